"""The tasks as they are now: read once, then kept up with by what changes, whoever changes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.core.record import State

if TYPE_CHECKING:
    from lamina.core.changes import Changed
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.feed import Feed
    from lamina.orchestration.books import Books

_SEEN = (State.ARCHIVED, State.CURRENT)
"""In this order: of two tasks of one name the current one is meant."""


class Watch:
    """What `Books.known` says, without reading thousands of tasks each time that one moves."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._feed: Feed | None = None
        self._tasks: dict[RecordId, Record] = {}

    def known(self) -> dict[str, Record]:
        """Every task by its name, archived ones included, as it is now."""
        if self._feed is None or not all(map(self._take_in, self._feed)):
            self._read()
        found = sorted(self._tasks.values(), key=lambda one: (_SEEN.index(one.state), one.id))
        return {str(one.key): one for one in found}

    def _read(self) -> None:
        # From before what is read: what changes meanwhile is only seen twice.
        self._feed = self._books.changes()
        self._tasks = {one.id: one for one in self._books.known().values()}
        if any(one.expires_at is not None for one in self._tasks.values()):
            # What runs out does so without a change.
            self._feed = None

    def _take_in(self, change: Changed) -> bool:
        """Keep up with one change; says whether that was possible."""
        record = change.record
        if record is None:
            return change.event.record not in self._tasks
        if (record.layer, record.scope) != (self._books.layer, self._books.scope):
            return True
        if record.state in _SEEN:
            self._tasks[record.id] = record
        else:
            self._tasks.pop(record.id, None)
        return record.expires_at is None
