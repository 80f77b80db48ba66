"""CONTEXT: what goes before the model: prompt, memory, and the session as far as it has room.

Loads the profile, the context of the memory (NOW, the tail of the LOG, facts, open tasks, MEMORY,
and what recall finds for the request) and the view of the session. NOW is read again before every
call of the model, and the rest with it where it has changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lamina.core.sealed import hidden
from lamina.core.text import estimate_tokens
from lamina.runtime.prompting import system_prompt
from lamina.runtime.turns import Group, groups
from lamina.runtime.window import Fixed, Window, fit
from lamina.sealing import scrub

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from lamina.core.chat import Message
    from lamina.layers.sessions import Session
    from lamina.memory import AgentMemory
    from lamina.paging import Context
    from lamina.runtime.intake import Taken
    from lamina.runtime.limits import Limits


@dataclass(frozen=True, slots=True)
class Seen:
    """What the model sees."""

    messages: list[Message]
    window: Window
    context: Context


class Sight:
    """What one run puts before its model, step by step."""

    def __init__(
        self,
        memory: AgentMemory,
        session: Session,
        taken: Taken,
        limits: Limits,
        count: Callable[[str], int] | None,
    ) -> None:
        self._memory = memory
        self._session = session
        self._asked = taken.asked
        self._run = taken.journal.run
        self._limits = limits
        self._own_count = count
        self._count = count or estimate_tokens
        self._context: Context | None = None
        self._now: object = None

    def look(self, tools: Sequence[Mapping[str, Any]], extra: str) -> Seen:
        """What is to be seen now.

        Raises:
            BudgetError: The window is too small for what was said last.
        """
        context = self._remembered()
        prompt = system_prompt(self._memory, extra, has_tools=bool(tools))
        fixed = Fixed(prompt, context.text, tools)
        history = self._with_request(groups(self._session.view()))
        messages, window = fit(fixed, history, self._limits.window, self._count)
        return Seen(messages, window, context)

    def _with_request(self, history: list[Group]) -> list[Group]:
        """The history, and what this run is about even if that was archived long ago."""
        if any(group.request == self._run for group in history):
            return history
        # Its words are those of the user still, not yet what was written down of them.
        asked = hidden(scrub(self._asked))
        request = Group([{"role": "user", "content": asked}], request=self._run)
        return [request, *history]

    def _remembered(self) -> Context:
        # All that stands in NOW.md, notes of people below headings of their own included.
        where = {"layer": "now", "scope": self._memory.now.scope}
        now = {(one.id, one.rev) for one in self._memory.query(where)}
        if self._context is None or now != self._now:
            budget = max(64, min(self._limits.memory, self._limits.window // 2))
            self._context = self._memory.context(
                self._asked, budget=budget, count=self._own_count, session=self._session.name
            )
            self._now = now
        return self._context
