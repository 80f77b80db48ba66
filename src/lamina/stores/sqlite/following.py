"""Indexes that follow a stream: segments on the shelf, and over them what happened since.

Words and vectors differ in what they read and build, and in nothing else. This process maps the
segments and follows the log from where they end; whoever has the duty folds what is newer into
further segments. Nothing that can be found depends on them.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

from lamina.indexes import policy
from lamina.indexes.file import Header
from lamina.stores.forking import renew_in_children
from lamina.stores.sql.driver import Value, rows
from lamina.stores.sqlite.connections import Connections
from lamina.stores.sqlite.driver import Connection
from lamina.stores.sqlite.shelf import S, Shelf, epoch, identity, is_unclean, reaches

_PAGE: Final = 5_000


class _Index(Protocol):
    """What there is to know of an index here."""

    @property
    def views(self) -> tuple[Any, ...]:
        """Its segments, oldest first."""

    @property
    def overlay(self) -> Any:
        """What is newer than they are."""


I = TypeVar("I", bound=_Index)  # noqa: E741 - an index


@dataclass(frozen=True, slots=True)
class Place:
    """How far a stream has come: its log, and what an index counts its entries by."""

    seq: int
    made: int

    def is_beyond(self, other: "Place") -> bool:
        """Whether this knows of something that the other does not."""
        return self.seq > other.seq or self.made > other.made


@dataclass(frozen=True, slots=True)
class Known(Generic[I]):
    """What this process has of a stream."""

    index: I
    at: Place
    edition: str


class OvertakenError(Exception):
    """What is being built would be of no use any more, or nobody waits for it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A stream that is read whole, in one snapshot: a segment says of which moment it is."""

    connection: Connection
    connections: Connections
    sid: int
    seq: int
    stop: Callable[[], bool]
    is_there: Callable[[Connection], bool]
    """Whether there is still something to make an index of."""

    def pages(self, sql: str, *first: Value) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a statement that goes on behind a record's number, which comes first in them.

        Raises:
            OvertakenError: Nobody wants it any more, or somebody erased something and waits for it
                to be nowhere.
        """
        last = 0
        while True:
            with self.connections.reading() as present:
                if (
                    self.stop()
                    or not self.is_there(present)
                    or is_unclean(present, self.sid, self.seq)
                ):
                    raise OvertakenError
            page = list(rows(self.connection, sql, (*first, self.sid, last, _PAGE)))
            if not page:
                return
            yield page
            last = page[-1][0]


class Following(ABC, Generic[I, S]):
    """One sort of index over all streams, shared by the threads of this process."""

    sort: str
    """What the segments are about."""

    def __init__(self, folder: Path, name: str, opened: Callable[[Path], S]) -> None:
        self._shelf: Shelf[S] = Shelf(folder, name, opened)
        self.kind = name
        """What the names of its files begin with."""
        self.trouble: str | None = None
        """Why the files could not be looked at, the last time that somebody tried."""
        self._known: dict[int, Known[I]] = {}
        self.renew()
        renew_in_children(self)

    def renew(self) -> None:
        """In a forked child: whoever held the lock is not here to let it go."""
        self._lock = threading.Lock()

    def current(self, connection: Connection, sid: int) -> I | None:
        """The index of a stream up to what the connection sees; `None` when there is none."""
        with self._lock:
            known, now = self._known.get(sid), self._place(connection, sid)
            if known is not None and known.at.is_beyond(now):
                # Others have read on since this snapshot was taken; it gets an index of its own.
                older = self._opened(connection, sid)
                older = older and self._caught_up(connection, sid, older)
                return None if older is None else older.index
            if not self._is_valid(connection, sid, known):
                known = self._opened(connection, sid)
            known = known and self._caught_up(connection, sid, known)
            if known is None:
                self._known.pop(sid, None)
                return None
            self._known[sid] = known
            return known.index

    def is_due(self, connection: Connection) -> bool:
        """Whether folding would make searches faster, or a large file is to be looked at."""
        return any(self._is_due(connection, sid) for sid in self._large(connection))

    def fold(self, connections: Connections, stop: Callable[[], bool]) -> None:
        """Make segments of what is newer than them, and fewer of many."""
        with connections.reading(snapshot=False) as connection:
            large = self._large(connection)
        for sid in large:
            if not stop():
                self._fold_stream(connections, sid, stop)

    def damaged(self) -> list[str]:
        """What is wrong with the files."""
        return self._shelf.damaged()

    def forget(self) -> None:
        """Let go of what was opened: others have replaced it."""
        with self._lock:
            self._known.clear()

    def drop(self) -> None:
        """Remove every file and whatever was mapped: one of them is damaged."""
        with self._lock:
            self._known.clear()
            self._shelf.clear()

    # -- what a sort of index has of its own

    @abstractmethod
    def _edition(self, connection: Connection) -> str:
        """By what means entries are made; others are of no use."""

    def _is_there(self, connection: Connection) -> bool:
        """Whether entries of this sort are kept at all."""
        return True

    @abstractmethod
    def _large(self, connection: Connection) -> list[int]:
        """The streams that are worth segments."""

    @abstractmethod
    def _place(self, connection: Connection, sid: int) -> Place:
        """How far a stream has come."""

    @abstractmethod
    def _of(self, chain: Sequence[S]) -> I | None:
        """An index of these segments; of none, what serves where there are none."""

    @abstractmethod
    def _news(self, connection: Connection, sid: int, known: Known[I]) -> I | None:
        """The index with what happened since; `None` when that is too much to read now."""

    @abstractmethod
    def _whole(self, stream: Reading, path: Path, header: Header) -> S:
        """A segment of everything there is."""

    @abstractmethod
    def _newest(self, path: Path, header: Header, index: I) -> S:
        """A segment of what is newer than the others."""

    @abstractmethod
    def _joined(self, path: Path, header: Header, views: Sequence[Any]) -> S:
        """One segment in place of several that follow on one another."""

    # -- inside

    def _is_valid(self, connection: Connection, sid: int, known: Known[I] | None) -> bool:
        return (
            known is not None
            and known.edition == self._edition(connection)
            and not is_unclean(connection, sid, known.at.seq)
        )

    def _is_due(self, connection: Connection, sid: int) -> bool:
        with self._lock:
            known = self._known.get(sid)
            if not self._is_valid(connection, sid, known):
                # Nobody searches here; what is on the shelf may be good all the same.
                known = self._opened(connection, sid)
                if known is not None:
                    self._known[sid] = known
        if known is None or not known.index.views:
            return True
        if any(self._shelf.is_to_be_proven(view.segment) for view in known.index.views):
            return True
        made, overlay = self._place(connection, sid).made, known.index.overlay
        if made == known.index.views[-1].segment.header.hi:
            # Nothing is newer than the segments but what was taken away: none would tell of it.
            return False
        return policy.folds(len(overlay), len(overlay.gone)) or policy.folds(made - known.at.made)

    def _opened(self, connection: Connection, sid: int) -> Known[I] | None:
        made_by = self._edition(connection)
        try:
            chain = self._shelf.chain(connection, sid, made_by, self._place(connection, sid).made)
            self.trouble = None
        except OSError as error:
            # The tables hold everything that the files do.
            chain, self.trouble = [], error.strerror
        index = self._of(chain)
        if index is None:
            return None
        last = chain[-1].header if chain else None
        at = Place(reaches(last), last.hi) if last else Place(0, 0)
        return Known(index, at, made_by)

    def _caught_up(self, connection: Connection, sid: int, known: Known[I]) -> Known[I] | None:
        now = self._place(connection, sid)
        if now.seq <= known.at.seq and now.made <= known.at.made:
            return known
        index = self._news(connection, sid, known)
        return None if index is None else replace(known, index=index, at=now)

    def _fold_stream(self, connections: Connections, sid: int, stop: Callable[[], bool]) -> None:
        with connections.reading() as connection:
            known = self._opened(connection, sid)
            if known is not None and not known.index.views:
                known = None
            known = known and self._caught_up(connection, sid, known)
            now = self._place(connection, sid)
            made_by = epoch(connection, sid, now.seq, self._edition(connection))
            header = Header(self.sort, identity(connection), sid, made_by, 0, now.made)
            if known is None:
                stream = Reading(connection, connections, sid, now.seq, stop, self._is_there)
                try:
                    chain = [self._whole(stream, self._shelf.path(header), header)]
                except OvertakenError:
                    return
        if known is not None:
            for view in known.index.views:
                self._shelf.prove(view.segment)
            reached = known.index.views[-1].segment.header.hi
            chain = self._grown(known.index, replace(header, lo=reached))
        self._shelf.keep_only(sid, [segment.header for segment in chain])
        with self._lock:
            self._known.pop(sid, None)

    def _grown(self, index: I, header: Header) -> list[S]:
        """A segment of what is newest, joined with those before it that are not much larger."""
        chain: list[S] = [view.segment for view in index.views]
        if header.lo == header.hi:
            return chain
        chain.append(self._newest(self._shelf.path(header), header, index))
        stacked = self._of(chain)
        views = stacked.views if stacked is not None else ()
        cut = policy.merges([policy.Size(len(view), len(view.dead)) for view in views])
        if cut is None:
            return chain
        for segment in chain[cut]:
            # What is altered in one file must not become the next one's truth.
            segment.file.verify()
        # It lacks what has died by now, so it is of no use to who sees less than that.
        whole = replace(header, lo=chain[cut][0].header.lo, hi=chain[cut][-1].header.hi)
        chain[cut] = [self._joined(self._shelf.path(whole), whole, views[cut])]
        return chain
