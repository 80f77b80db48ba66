"""The context window: what goes before a model, counted in tokens, and what had no room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.core.canonical import dumps
from lamina.errors import BudgetError
from lamina.paging.cutting import cut_to

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from lamina.core.chat import Message
    from lamina.runtime.turns import Group

    Count = Callable[[str], int]

_PER_MESSAGE: Final = 4
"""What a chat model spends on the marks around a message."""
_NOTE: Final = "[{} earlier messages are left out here; what matters of them is in memory]"
_LEAST_RESULT: Final = 64


@dataclass(frozen=True, slots=True)
class Window:
    """What goes before a model, in tokens."""

    budget: int
    system: int
    """The system prompt, less what was injected into it."""
    memory: int
    """What was injected: snippets of memory."""
    history: int
    """What user and model said, and the calls."""
    results: int
    """Results of tools."""
    tools: int
    """What is told of the tools themselves."""
    left_out: int = 0
    """How many messages of the history had no room."""
    shortened: int = 0
    """How many messages were cut to fit."""

    @property
    def total(self) -> int:
        """All of it."""
        return self.system + self.memory + self.history + self.results + self.tools

    @property
    def free(self) -> int:
        """What is left for the answer."""
        return self.budget - self.total


@dataclass(frozen=True, slots=True)
class Fixed:
    """What stands in a window whatever the history is."""

    prompt: str
    injected: str
    tools: Sequence[Mapping[str, Any]]


def fit(
    fixed: Fixed, history: Sequence[Group], budget: int, count: Count
) -> tuple[list[Message], Window]:
    """The messages that go before the model, and what they take.

    What does not fit is left out, the oldest first. What the run is about and what came last stay
    in any case, texts in it cut where they must be; how the session began stays while it can.

    Raises:
        BudgetError: Not even what must stay fits.
    """
    system, memory = count(fixed.prompt) + _PER_MESSAGE, count(fixed.injected)
    tools = count(dumps([dict(one) for one in fixed.tools])) if fixed.tools else 0
    packed = _Packing(history, budget - system - memory - tools, count)
    chosen = packed.messages()
    content = f"{fixed.prompt}\n\n{fixed.injected}" if fixed.injected else fixed.prompt
    messages: list[Message] = [{"role": "system", "content": content}, *chosen]
    results = sum(_size(one, count) for one in chosen if one["role"] == "tool")
    said = sum(_size(one, count) for one in chosen if one["role"] != "tool")
    window = Window(
        budget, system, memory, said, results, tools, packed.left_out, packed.shortened
    )  # fmt: skip
    return messages, window


class _Packing:
    """A history that is made to fit."""

    def __init__(self, history: Sequence[Group], room: int, count: Count) -> None:
        self._parts = [[*group.messages] for group in history]
        self._count = count
        self._room = room
        self.left_out = 0
        self.shortened = 0
        requests = [number for number, group in enumerate(history) if group.request]
        self._pinned = {*requests[-1:], len(history) - 1} if history else set[int]()

    def messages(self) -> list[Message]:
        """What is shown, in order, with a note where something is left out."""
        if sum(map(self._weight, range(len(self._parts)))) <= self._room:
            return [message for part in self._parts for message in part]
        room = self._room - self._count(_NOTE) - _PER_MESSAGE
        self._shorten(room)
        shown = self._chosen(room)
        made: list[Message] = []
        told = False
        for number, part in enumerate(self._parts):
            if number in shown:
                made += part
            elif not told:
                told = True
                out = [len(one) for at, one in enumerate(self._parts) if at not in shown]
                self.left_out = sum(out)
                made.append({"role": "user", "content": _NOTE.format(self.left_out)})
        return made

    def _chosen(self, room: int) -> set[int]:
        shown = set(self._pinned)
        left = room - sum(map(self._weight, shown))
        if self._parts and 0 not in shown and self._weight(0) <= left // 2:
            shown.add(0)
            left -= self._weight(0)
        for number in reversed(range(len(self._parts))):
            if number in shown:
                continue
            left -= self._weight(number)
            if left < 0:
                break
            shown.add(number)
        return shown

    def _shorten(self, room: int) -> None:
        """Cut what came last until all that must stay fits, but never what was asked for."""
        last = self._parts[-1] if self._parts else []
        for _ in last:
            over = sum(map(self._weight, self._pinned)) - room
            if over <= 0:
                return
            long = [at for at, one in enumerate(last) if one["role"] in ("tool", "assistant")]
            longest = max(long, key=lambda at: len(last[at]["content"]), default=None)
            if longest is None:
                break
            content = last[longest]["content"]
            most = max(_LEAST_RESULT, self._count(content) - over)
            last[longest] = {**last[longest], "content": cut_to(content, most, self._count) or ""}
            self.shortened += 1
        if sum(map(self._weight, self._pinned)) > room:
            raise BudgetError(
                f"what was said last does not fit into the {max(room, 0):,} tokens that are left"
                " of the window",
                remedy="Say less at once, or allow more with Limits(window=…)",
            )

    def _weight(self, number: int) -> int:
        return sum(_size(message, self._count) for message in self._parts[number])


def _size(message: Message, count: Count) -> int:
    calls = message.get("tool_calls")
    return _PER_MESSAGE + count(message["content"]) + (count(dumps(calls)) if calls else 0)
