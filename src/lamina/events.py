"""The events of a memory: read, write, flush, compact, search, as one stream of typed values.

Writes come from the log: each once, in order, and as far back as the log goes. The others come from
the store's notices: the newest of them, as well as can be.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from lamina.clock import stopwatch
from lamina.core.announcements import (
    Announcement,
    Audience,
    MemoryCompact,
    MemoryFlush,
    MemoryRead,
    MemorySearch,
    MemoryWrite,
    check_names,
    micros,
    written,
)
from lamina.core.cursor import parse_cursor
from lamina.core.scope import Scope
from lamina.feed import Feed, Following, check_timeout

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.core.announcements import Notice
    from lamina.core.cursor import Cursor
    from lamina.reading import ReadPath
    from lamina.stores.base import Store

__all__ = [
    "Announcement",
    "Events",
    "MemoryCompact",
    "MemoryFlush",
    "MemoryRead",
    "MemorySearch",
    "MemoryWrite",
    "Wanted",
]

_PAGE: Final = 200


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which events are asked for, and whether to wait for more."""

    after: str | None = None
    names: Iterable[str] | None = None
    scope: str | None = None
    follow: bool = False
    timeout: float | None = None


class Events(Following, Iterator[Announcement]):
    """Events behind a place in history; iterate over it.

    `cursor` is the place behind the last event that was handed out. Going on from there, no write
    is missed and none comes twice.
    """

    def __init__(self, store: Store, reads: ReadPath, identity: str, wanted: Wanted) -> None:
        super().__init__(store, follow=wanted.follow, patience=check_timeout(wanted.timeout))
        names = check_names(wanted.names)
        start = _start(reads, wanted.after, wanted.scope)
        within = reads.within(wanted.scope)
        scope = None if wanted.scope is None else Scope.of(wanted.scope)
        listener = Audience(reads.within(None), identity)
        self._writes = _Writes(Feed(store, within, start, follow=False, patience=None))
        self._notices = _Notices(store, listener, start, _Choice(names, scope))
        self._sources: list[_Writes | _Notices] = []
        if MemoryWrite.name in names:
            self._sources.append(self._writes)
        if names - {MemoryWrite.name}:
            self._sources.append(self._notices)

    @property
    def cursor(self) -> str:
        """Where the stream is, for going on from there another time."""
        place = parse_cursor(self._writes.cursor, "cursor")
        return replace(place, noted=self._notices.number).to_text()

    def __next__(self) -> Announcement:
        quiet_since = stopwatch()
        if not any(source.ready for source in self._sources):
            self._fill(quiet_since)
        ready = [source for source in self._sources if source.more()]
        if self._closed or not ready:
            raise StopIteration
        return min(ready, key=lambda source: source.ready[0].at).take()

    def _fill(self, quiet_since: float) -> None:
        """Look again until there is something to hand out, or an end."""
        while not self._closed:
            pulse = self._store.pulse() if self._follow else 0
            for source in self._sources:
                source.may_have_more = True
            if any(source.more() for source in self._sources):
                return
            if not self._follow or not self._wait(pulse, quiet_since):
                return


def _start(reads: ReadPath, after: str | None, scope: str | None) -> Cursor:
    if after is None:
        return replace(reads.beginning(scope), noted=0)
    return reads.cursor(after, "after", scope)


class _Writes:
    """The writes of the log, read some at a time."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._cursors: deque[str] = deque()
        self.ready: deque[MemoryWrite] = deque()
        self.may_have_more = True
        self.cursor = feed.cursor

    def more(self) -> bool:
        """Whether something is there to hand out, or can be read."""
        while not self.ready and self.may_have_more:
            self.may_have_more = False
            # One by one: if reading on fails, what was read already is still handed out.
            for number, change in enumerate(islice(self._feed, _PAGE), start=1):
                self.may_have_more = number == _PAGE
                if (said := written(change)) is not None:
                    self._cursors.append(change.cursor)
                    self.ready.append(said)
            if not self.ready:
                # What was read is hidden or no write.
                self.cursor = self._feed.cursor
        return bool(self.ready)

    def take(self) -> MemoryWrite:
        self.cursor = self._cursors.popleft()
        return self.ready.popleft()


@dataclass(frozen=True, slots=True)
class _Choice:
    names: frozenset[str]
    scope: Scope | None

    def takes(self, notice: Notice) -> bool:
        inside = self.scope is None or self.scope.contains(Scope.of(notice.scope))
        return inside and notice.said.name in self.names


class _Notices:
    """The notices of the store, read some at a time."""

    def __init__(self, store: Store, listener: Audience, start: Cursor, choice: _Choice) -> None:
        self._store = store
        self._listener = listener
        self._choice = choice
        self._since = start.at if start.noted is None else None
        self.number = micros(start.at) if start.noted is None else start.noted
        """That of the last one handed out. What was hidden is not counted: a number that moved
        without an event would tell that others are busy."""
        self._ahead = self.number
        self._numbers: deque[int] = deque()
        self.ready: deque[Announcement] = deque()
        self.may_have_more = True

    def more(self) -> bool:
        """Whether something is there to hand out, or can be read."""
        while not self.ready and self.may_have_more:
            found = self._store.noted(self._listener, self._ahead, _PAGE)
            self.may_have_more = found.last != self._ahead
            self._ahead = found.last
            for notice in found.notices:
                if self._choice.takes(notice) and not self._is_past(notice):
                    self.ready.append(notice.said)
                    self._numbers.append(notice.number)
        return bool(self.ready)

    def take(self) -> Announcement:
        self.number = self._numbers.popleft()
        return self.ready.popleft()

    def _is_past(self, notice: Notice) -> bool:
        """Notices are written down a moment late, perhaps behind the cursor that was asked for."""
        return self._since is not None and notice.said.at < self._since
