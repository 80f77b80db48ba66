"""What was put before a model by this process: known again when it comes back as its words."""

from __future__ import annotations

from collections import deque
from threading import Lock
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from lamina.paging.statements import statements

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.core.ids import RecordId
    from lamina.layers.face import Door
    from lamina.paging.context import Entry
    from lamina.stores.base import Store

_MOST_LINES: Final = 2_000
_MOST_ACTORS: Final = 256


class Shown:
    """What one actor was shown of one store lately."""

    def __init__(self) -> None:
        self._lines: deque[tuple[str, RecordId]] = deque(maxlen=_MOST_LINES)
        self._known: dict[str, RecordId] = {}
        self._waiting: dict[str, RecordId] = {}
        self._lock = Lock()

    def add(self, lines: Iterable[tuple[str, RecordId]]) -> None:
        """Take note of lines; they are read when something comes back."""
        with self._lock:
            self._waiting.update(lines)

    def known(self) -> dict[str, RecordId]:
        """Every statement that was shown, with the record whose words it is."""
        with self._lock:
            new = [one for one in self._waiting.items() if one not in self._lines]
            overflows = len(self._lines) + len(new) > _MOST_LINES
            self._lines.extend(new)
            self._waiting.clear()
            if overflows:
                self._known.clear()
                new = list(self._lines)
            for line, record in new:
                self._known.update(dict.fromkeys(statements(line), record))
            return self._known


_shown: WeakKeyDictionary[Store, dict[str, Shown]] = WeakKeyDictionary()
_lock = Lock()


def shown_to(door: Door) -> Shown:
    """What the actor behind a handle was shown."""
    with _lock:
        actors = _shown.setdefault(door.store, {})
        found = actors.pop(door.principal.identity, None) or Shown()
        actors[door.principal.identity] = found
        while len(actors) > _MOST_ACTORS:
            actors.pop(next(iter(actors)))
        return found


def remember_shown(door: Door, entries: Iterable[Entry]) -> None:
    """These entries are put before a model."""
    said = [(text, one.record.id) for one in entries for text in (one.line, one.record.text)]
    shown_to(door).add(said)
