"""Log: what an agent did, thought, heard and failed at, entry by entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.core.canonical import check_text
from lamina.core.settings import LOG_TAIL
from lamina.layers.face import Face, only
from lamina.reading import check_limit

if TYPE_CHECKING:
    from lamina.core.changes import Receipt
    from lamina.core.record import Record


class Log(Face):
    """The log of one agent; entries are added and never changed."""

    layer = "log"

    def append(self, kind: str, text: str, /, **data: Any) -> Receipt:
        """Add an entry of a kind: TOOL_USE, THOUGHT, USER_FEEDBACK, ERROR or SYSTEM."""
        return self._put({"kind": kind, "text": text, "data": data})

    def tool_use(self, tool: str, text: str = "", **data: Any) -> Receipt:
        """A tool was used, with what it was given or gave."""
        return self.append(
            "TOOL_USE", check_text(text, "text") or tool, tool=check_text(tool, "tool"), **data
        )

    def thought(self, text: str, **data: Any) -> Receipt:
        """What the agent thinks or intends."""
        return self.append("THOUGHT", text, **data)

    def user_feedback(self, text: str, **data: Any) -> Receipt:
        """What a person said about the work."""
        return self.append("USER_FEEDBACK", text, **data)

    def error(self, text: str, **data: Any) -> Receipt:
        """What went wrong."""
        return self.append("ERROR", text, **data)

    def system(self, text: str, **data: Any) -> Receipt:
        """What happened around the agent: a start, a stop, a compaction."""
        return self.append("SYSTEM", text, **data)

    def tail(self, n: int | None = None, *, kind: str | None = None) -> list[Record]:
        """The last entries, oldest first: so many, or as the setting `log.tail` says."""
        number = int(self._door.settings()[LOG_TAIL]) if n is None else check_limit(n, "n")
        return self._find(number, **only("kind", kind, "kind"))[::-1]
