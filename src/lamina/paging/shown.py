"""What was put before a model by this process: known again when it comes back as its words."""

from __future__ import annotations

from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from lamina import clock
from lamina.paging.statements import statements
from lamina.paging.tiling import Statements
from lamina.paging.wording import words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.layers.face import Door
    from lamina.paging.context import Entry
    from lamina.stores.base import Store

_MOST: Final = 1_000
_LONGEST: Final = 20_000
"""How many characters of one memory are known again."""
_MOST_ACTORS: Final = 256
_AT_ONCE: Final = 32
_EACH_SECOND: Final = 2
"""How many writes of one actor are searched for what other processes have shown it."""


class Said:
    """What records say, and what is told about them where they are listed."""

    def __init__(self) -> None:
        self.statements = Statements()
        self.marks: dict[RecordId, frozenset[str]] = {}

    def add(self, record: Record, line: str) -> None:
        """A record is shown as this line."""
        told = record.text[:_LONGEST]
        self.statements.add(statements(told) | statements(line[:_LONGEST]), record.id)
        text = words_of(told) if told.isprintable() else ""
        if record.key and text:
            key = words_of(record.key)
            named = {f"{key} {text}", f"{key} {record.kind} {text}", f"{text} {key}"}
            self.statements.add_named(named, record.id)
        when = {f"{at:%Y-%m-%d}" for at in (record.valid_from, record.updated_at) if at}
        source, trust = record.source, record.trust.value
        marks = {source, trust, f"{source}/{trust}", record.kind, record.layer, record.id}
        self.marks[record.id] = frozenset(when | marks)


class Shown:
    """What one actor was shown of one store lately."""

    def __init__(self) -> None:
        self._entries: dict[tuple[RecordId, str], Record] = {}
        self._waiting: dict[tuple[RecordId, str], Record] = {}
        self._said = Said()
        self._searches, self._counted_at = float(_AT_ONCE), clock.stopwatch()
        self._lock = Lock()

    @property
    def is_empty(self) -> bool:
        """Whether it was shown nothing yet."""
        return not self._entries and not self._waiting

    def may_search(self) -> bool:
        """Whether one more write is worth a search for what another process has shown.

        An agent that learns as it goes writes now and then; one that writes without end copies
        something, and is not made to wait.
        """
        with self._lock:
            at = clock.stopwatch()
            more = (at - self._counted_at) * _EACH_SECOND
            self._searches, self._counted_at = min(_AT_ONCE, self._searches + more), at
            may = self._searches >= 1
            self._searches -= may
            return may

    def found_again(self) -> None:
        """A search was worth its while."""
        with self._lock:
            self._searches = min(_AT_ONCE, self._searches + 1)

    def add(self, entries: Iterable[Entry]) -> None:
        """Take note of entries; they are read when something comes back."""
        with self._lock:
            self._waiting.update({(one.record.id, one.line): one.record for one in entries})
            for old in list(islice(self._waiting, max(0, len(self._waiting) - _MOST))):
                del self._waiting[old]

    def forget(self, ids: Collection[str]) -> None:
        """Know nothing of these records any more."""
        with self._lock:
            for some in (self._waiting, self._entries):
                for one in [one for one in some if one[0] in ids]:
                    del some[one]
            # What was read of the others is read again when something comes back.
            self._waiting = self._entries | self._waiting
            self._entries, self._said = {}, Said()

    def known(self) -> Said:
        """Everything that was shown."""
        with self._lock:
            new = {one: record for one, record in self._waiting.items() if one not in self._entries}
            self._waiting.clear()
            self._entries.update(new)
            excess = len(self._entries) - _MOST
            if excess > 0:
                for old in list(islice(self._entries, excess)):
                    del self._entries[old]
                self._said, new = Said(), self._entries
            for (_, line), record in new.items():
                self._said.add(record, line)
            return self._said


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
    shown_to(door).add(entries)


def forget_shown(store: Store, ids: Collection[str]) -> None:
    """These records are erased: nothing that was shown of them stays in this process."""
    with _lock:
        actors = list(_shown.get(store, {}).values())
    for one in actors:
        one.forget(ids)
