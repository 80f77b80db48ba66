"""A budget of tokens: so many a day for all who share a project, so many for one piece of work.

Before a call, as many tokens are set aside as it can take at most; a call that there are not
enough for is never made. Afterwards the difference goes back, to the day it was taken from. Whoever
dies in between has spent what was set aside: nobody knows what the call cost. The next day begins
with none of it.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from lamina.core.settings import DAY_TOKENS, JOB_TOKENS
from lamina.core.text import estimate_tokens
from lamina.errors import BudgetError, ConflictError, LaminaError, ModelError
from lamina.layers.face import Face
from lamina.models.shape import counted, size

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lamina.core.chat import Message, Model, Reply
    from lamina.core.record import Record
    from lamina.layers.face import Door

_USUAL_ANSWER: Final = 8_192
"""How long an answer may get where nobody says; less where less is left."""
_SHORTEST_ANSWER: Final = 16
_KIND: Final = "budget"
_TRIES: Final = 100


class DayBook(Face):
    """What models have cost a project today, kept where all its processes see it."""

    layer = "blackboard"

    def __init__(self, door: Door) -> None:
        super().__init__(door, door.principal.common)

    def spent(self) -> int:
        """How many tokens this day has cost so far."""
        return _spent(self._holder(_key(self._day()), kind=_KIND))

    def set_aside(self, tokens: int, limit: int | None = None) -> str | None:
        """Count tokens and return the day they count for; nothing if that would be too many."""
        day = self._day()
        return day if self._add(day, tokens, limit) else None

    def settle(self, day: str, difference: int) -> None:
        """Count more or less for a day on which tokens were set aside."""
        self._add(day, difference)

    def _add(self, day: str, tokens: int, limit: int | None = None) -> bool:
        for _ in range(_TRIES):
            found = self._holder(_key(day), kind=_KIND)
            total = max(0, _spent(found) + tokens)
            if limit is not None and total > limit:
                return False
            try:
                self._write(day, total, 0 if found is None else found.rev)
            except ConflictError:
                # Somebody else counted in that moment.
                continue
            return True
        raise ConflictError(
            "the tokens of this day could not be counted", remedy="Too many count at once; retry"
        )

    def _write(self, day: str, total: int, expect: int) -> None:
        told = f"{total} tokens of models were used on {day}"
        self._put(
            {"kind": _KIND, "key": _key(day), "text": told,
             "data": {"day": day, "spent": total}, "expect": expect,
             "expires": self._now() + timedelta(days=2)}
        )  # fmt: skip

    def _day(self) -> str:
        return f"{self._now():%Y-%m-%d}"


class Governed:
    """A model that stops being asked when its tokens are spent."""

    def __init__(
        self, model: Model, book: DayBook, *, day: int | None = None, job: int | None = None
    ) -> None:
        self.name = model.name
        self.model = model
        self.book = book
        self.day = day
        """How many tokens the project may use in a day; `None` is without a bound."""
        self.job = job
        """The same for this piece of work."""
        self._lock = threading.Lock()
        self._used = 0

    def __repr__(self) -> str:
        return f"Governed({self.model!r}, day={self.day}, job={self.job})"

    @property
    def used(self) -> int:
        """How many tokens this piece of work has taken so far."""
        return self._used

    def chat(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        on_text: Callable[[str], None] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """Ask the model, if there are tokens enough for the longest answer it may give."""
        asked = size(messages, tools)
        most = self._longest(asked, max_tokens)
        aside = asked + (most or 0)
        day = self._set_aside(aside)
        cost = aside
        try:
            reply = self.model.chat(messages, tools=tools, on_text=on_text, max_tokens=most)
            cost = _cost(reply, asked)
        except ModelError as error:
            cost = error.tokens
            raise
        finally:
            self._settle(day, cost - aside)
        return reply

    def _longest(self, asked: int, max_tokens: int | None) -> int | None:
        """How many tokens the answer may have: what was said, else what is left."""
        left = [] if self.day is None else [self.day - self.book.spent()]
        left += [] if self.job is None else [self.job - self._used]
        if max_tokens is not None or not left:
            return max_tokens
        return max(_SHORTEST_ANSWER, min(_USUAL_ANSWER, min(left) - asked))

    def _set_aside(self, tokens: int) -> str:
        with self._lock:
            if self.job is not None and self._used + tokens > self.job:
                raise _over(JOB_TOKENS, self.job, self._used, tokens)
            self._used += tokens
        try:
            day = self.book.set_aside(tokens, self.day)
        except LaminaError:
            self._count(-tokens)
            raise
        if day is None:
            self._count(-tokens)
            raise _over(DAY_TOKENS, self.day, self.book.spent(), tokens)
        return day

    def _settle(self, day: str, difference: int) -> None:
        self._count(difference)
        if difference:
            # An answer that was paid for is not lost because the store is busy.
            with suppress(LaminaError):
                self.book.settle(day, difference)

    def _count(self, tokens: int) -> None:
        with self._lock:
            self._used = max(0, self._used + tokens)


def _key(day: str) -> str:
    return f"model budget {day}"


def _cost(reply: Reply, asked: int) -> int:
    """What a reply says that it took, as far as that can be believed."""
    calls = (f"{call.name}{call.arguments}" for call in reply.tool_calls)
    said = sum(map(estimate_tokens, (reply.text, *calls)))
    return counted(reply.tokens_in, asked) + counted(reply.tokens_out, said)


def _spent(found: Record | None) -> int:
    told: Any = found.data.get("spent") if found is not None else 0
    return told if type(told) is int and told >= 0 else 0


def _over(setting: str, limit: int | None, used: int, wanted: int) -> BudgetError:
    return BudgetError(
        f"`{setting}` allows {limit:,} tokens, {used:,} are used, and this may take {wanted:,}",
        remedy=f"Wait until tomorrow, or: lamina config set {setting} NUMBER"
        if setting == DAY_TOKENS
        else f"Begin another piece of work, or: lamina config set {setting} NUMBER",
    )
