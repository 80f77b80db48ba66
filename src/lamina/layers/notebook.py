"""The notebook of one agent on one task: notes, reasoning by stage, what tools gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from lamina.layers.face import Face

if TYPE_CHECKING:
    from lamina.core.changes import Receipt
    from lamina.core.record import Record
    from lamina.core.scope import Scope
    from lamina.layers.face import Door
    from lamina.recalling import How
    from lamina.results import Recall


class Notebook(Face):
    """Notes that belong to a task, and go when it ends unless they are promoted or archived."""

    layer = "notebook"

    def note(self, text: str, **data: Any) -> Receipt:
        """Write something down."""
        return self._put({"kind": "note", "text": text, "data": data})

    def reason(self, stage: str, text: str, **data: Any) -> Receipt:
        """Write down what was thought at a stage of the work."""
        return self._put({"kind": "reasoning", "text": text, "data": {"stage": stage, **data}})

    def tool_output(self, tool: str, text: str, **data: Any) -> Receipt:
        """Write down what a tool gave."""
        return self._put({"kind": "tool_output", "text": text, "data": {"tool": tool, **data}})

    def read(
        self, *, kind: str | None = None, stage: str | None = None, limit: int = 1_000
    ) -> list[Record]:
        """The notes, oldest first: of a kind, or of a stage."""
        where: dict[str, Any] = {} if kind is None else {"kind": kind}
        where |= {} if stage is None else {"data.stage": stage}
        return self._find(limit, **where)[::-1]

    def search(self, query: str, **how: Unpack[How]) -> Recall:
        """Search these notes by words and meaning."""
        here: How = {**how, "layers": [self.layer], "scope": self.scope}
        return self._door.recall(query, **here)

    def discard(self) -> Receipt | None:
        """Forget every note, in one change that can be undone; nothing when there is none."""
        found = self._find(10_000)
        return self._door.forget(*(record.id for record in found)) if found else None


class Notebooks:
    """The notebooks of one agent, by task."""

    def __init__(self, door: Door, scope: Scope) -> None:
        self._door = door
        self._scope = scope

    def __call__(self, task: str) -> Notebook:
        """The notebook for a task; it begins with its first note."""
        return Notebook(self._door, self._scope.child("task", task))
