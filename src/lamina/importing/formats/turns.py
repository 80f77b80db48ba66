"""What both sorts of conversation have in common: messages in the order in which they were said."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from lamina.core.names import to_name
from lamina.core.record import Trust
from lamina.importing.formats.items import Item, Left, Place, some, told

_TICK: Final = timedelta(microseconds=1)
_SAYING: Final = {
    "user": (Trust.USER, "user"),
    "assistant": (Trust.AGENT, "assistant"),
    "tool_call": (Trust.AGENT, "assistant"),
    "tool_result": (Trust.TOOL, "tool"),
}
"""How far each role is believed, and by which name; what an assistant said is no user's word."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message."""

    role: str
    text: str
    name: str
    """Its id within the conversation."""
    at: datetime | None = None
    data: dict[str, Any] = field(default_factory=dict)
    is_file: bool = False
    """Whether somebody else wrote it, and it was only handed over."""


@dataclass(slots=True)
class Talk:
    """One conversation: it becomes a session, whose messages keep their times and their order."""

    tool: str
    name: str
    title: str
    place: Place
    began: datetime | None
    _last: datetime | None = None
    _seen: set[tuple[str, str]] = field(default_factory=set)

    def items(self, turn: Turn) -> Iterator[Item | Left]:
        """A message as an item; each id and role once."""
        if (turn.role, turn.name) in self._seen:
            yield Left(self.place, f"the message {turn.name:.80} stands there twice")
            return
        self._seen.add((turn.role, turn.name))
        trust, source = _SAYING[turn.role]
        said_at = turn.at or self._last or self.began
        # Messages are read in the order of their times, which are missing or odd now and then.
        if said_at is not None and self._last is not None:
            said_at = max(said_at, self._last + _TICK)
        self._last = said_at
        yield Item(
            place=self.place, identity=(self.name, turn.role, turn.name),
            text=turn.text, kind=turn.role, layer="session",
            session=to_name(f"{self.tool}-{self.name}", self.tool), key=turn.name,
            trust=Trust.FILE if turn.is_file else trust, source="file" if turn.is_file else source,
            created=said_at, updated=said_at, stamp=turn.at or self.began,
            data=some(
                title=self.title, conversation=self.name, said_at=told(turn.at), **turn.data
            ),
        )  # fmt: skip
