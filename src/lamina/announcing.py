"""Telling who reads and searches, where the store asks for it; `lamina.events` is the other end.

Loaded with the first read of every process, so it imports what it needs once there is something to
tell.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from lamina.answering import Answers
from lamina.clock import stopwatch
from lamina.core.settings import READS
from lamina.errors import InvalidInputError, LaminaError
from lamina.timing import StoreClock

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from lamina.core.announcements import Announcement, Notice
    from lamina.core.ids import RecordId
    from lamina.core.principal import Principal
    from lamina.core.record import Record
    from lamina.results import Hit, Recall
    from lamina.stores.base import Store

T = TypeVar("T")
_BELIEVED_SECONDS: Final = 1.0
"""How long the switch is taken for what it was: a read should not cost another one."""


class _Switch:
    """Whether reads and searches are announced on a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._is_on = False
        self._asked: float | None = None

    def is_on(self) -> bool:
        now = stopwatch()
        if self._asked is None or now - self._asked > _BELIEVED_SECONDS:
            self._is_on = self._store.settings().get(READS) == "on"
            self._asked = now
        return self._is_on

    def ask_again(self) -> None:
        self._asked = None


class Announcer:
    """Announces what one principal does. A read never fails because it cannot be announced."""

    def __init__(
        self,
        store: Store,
        principal: Principal,
        switch: _Switch | None = None,
        answers: Answers | None = None,
    ) -> None:
        self._store = store
        self._principal = principal
        self._switch = switch or _Switch(store)
        self._clock = StoreClock(store)
        self.answers = answers or Answers()
        """How the recalls of this process went, those of all principals."""

    def of(self, principal: Principal) -> Announcer:
        """The announcer of another principal on the same store."""
        return Announcer(self._store, principal, self._switch, self.answers)

    def ask_again(self) -> None:
        """Look at the store's settings anew before the next read."""
        self._switch.ask_again()

    def read(self, records: Iterable[Record]) -> None:
        """These records were handed out."""
        with suppress(LaminaError, OSError):
            if self._switch.is_on():
                self._store.note([self._read(record) for record in _first(records)])

    def searched(self, query: str, hits: Sequence[Hit]) -> None:
        """These records were found; what the query says of secrets is not kept."""
        with suppress(LaminaError, OSError):
            if self._switch.is_on():
                self._store.note([self._search(query, hits)])

    def answered(self, found: Recall) -> None:
        """A recall was answered, perhaps with nothing."""
        root = self._principal.root
        self.answers.note(root.stream if root else "", found)

    def used(self, ids: Iterable[RecordId], at: datetime) -> None:
        """These records were of use: recalled, or said again. Counted outside the log."""
        with suppress(LaminaError, OSError):
            root, counts = self._principal.root, dict.fromkeys(ids, 1)
            if counts:
                self._store.note_use(counts, at, root.stream if root else "")

    def announce(self, event: Announcement, scope: str | None) -> Announcement:
        """Tell by hand of a flush or a compaction; returns what was told."""
        from lamina.core.access import check_write
        from lamina.core.announcements import MemoryCompact, MemoryFlush
        from lamina.core.scope import GLOBAL, Scope

        if not isinstance(event, MemoryFlush | MemoryCompact):
            raise InvalidInputError(
                f"`event` must be a MemoryFlush or a MemoryCompact, not {type(event).__name__}",
                remedy="Reads, writes and searches announce themselves",
            )
        where = Scope.of(scope or self._principal.home or GLOBAL)
        check_write(self._principal, where, "session")
        said = replace(event, at=self._clock.now(), actor=self._principal.name)
        self._store.note([self._notice(said, scope=where.path, layer="session")])
        return said

    def _read(self, record: Record) -> Notice:
        from lamina.core.announcements import read

        said = read(record, self._clock.now(), self._principal.name)
        notice = self._notice(said, scope=record.scope, layer=record.layer)
        return replace(notice, records=(record.id,))

    def _search(self, query: str, hits: Sequence[Hit]) -> Notice:
        from lamina.core.announcements import LONGEST_QUERY, MemorySearch
        from lamina.core.scope import GLOBAL
        from lamina.sealing import scrub

        asked = scrub(query.encode(errors="replace").decode())[:LONGEST_QUERY]
        results = tuple(_first(hit.record.id for hit in hits))
        actor, home = self._principal.name, self._principal.home or GLOBAL
        said = MemorySearch(at=self._clock.now(), actor=actor, query=asked, results=results)
        return replace(self._notice(said, scope=home.path), records=results)

    def _notice(self, said: Announcement, *, scope: str, layer: str = "") -> Notice:
        from lamina.core.announcements import Notice

        root = self._principal.root
        by = self._principal.identity
        return Notice(said=said, by=by, root=root.path if root else "", scope=scope, layer=layer)


def _first(values: Iterable[T]) -> Iterable[T]:
    from lamina.core.announcements import MOST_RESULTS

    return islice(values, MOST_RESULTS)
