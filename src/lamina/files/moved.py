"""What the store has changed since files were written last: which places, which sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.core.scope import Scope, root_of
from lamina.errors import InvalidInputError
from lamina.files.layout import place_of

if TYPE_CHECKING:
    from lamina.feed import Feed
    from lamina.files.layout import Place
    from lamina.memory import Memory

_LAYERS: Final = frozenset(("now", "knowledge", "task", "log", "item", "session"))


class Moved:
    """The places behind a cursor."""

    def __init__(self, mem: Memory, cursor: str | None) -> None:
        self._mem = mem
        self._cursor = cursor
        self._places: dict[str, Place] | None = None
        self._sessions: dict[str, set[str]] = {}
        self._streams: set[str] = set()
        """Where something was erased, and nobody can tell any more in which place."""

    def is_any(self) -> bool:
        """Whether anything has changed at all."""
        return next(iter(self._feed()), None) is not None

    def places(self) -> list[Place]:
        """The places that have changed."""
        return list(self._read().values())

    def has(self, place: Place) -> bool:
        """Whether the store has something new for this place."""
        return place.scope.path in self._read() or place.scope.stream in self._streams

    def sessions(self, place: Place) -> set[str] | None:
        """The sessions of a place that have changed; nothing where any may have."""
        self._read()
        if place.scope.stream in self._streams or self._cursor is None:
            return None
        return self._sessions.get(place.scope.path, set())

    def _read(self) -> dict[str, Place]:
        if self._places is None:
            self._places = {}
            for change in self._feed():
                if change.record is None:
                    self._streams.add(root_of(change.event.stream))
                elif change.record.layer in _LAYERS:
                    self._saw(Scope.of(change.record.scope), change.record.layer)
        return self._places

    def _saw(self, scope: Scope, layer: str) -> None:
        place = place_of(scope)
        if self._places is not None:
            self._places[place.scope.path] = place
        name = scope.part("session")
        if layer == "session" and name is not None:
            self._sessions.setdefault(place.scope.path, set()).add(name)

    def _feed(self) -> Feed:
        try:
            return self._mem.changes(self._cursor)
        except InvalidInputError:
            # The store was brought back to an earlier day: everything may be different.
            self._cursor = None
            return self._mem.changes()
