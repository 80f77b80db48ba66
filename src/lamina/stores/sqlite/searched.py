"""The part of the SQLite store that is searched: words, vectors, and what makes both fast."""

from __future__ import annotations

import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final

from lamina.calm import one_thread
from lamina.errors import IndexDamagedError, StoreError
from lamina.stores.filesystem import meaning
from lamina.stores.sql.driver import one, rows
from lamina.stores.sql.store import SqlStore
from lamina.stores.sqlite import INDEXES
from lamina.stores.sqlite.driver import DriverError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from lamina.core.access import Reach
    from lamina.core.record import Record
    from lamina.core.vectors import Embedded, Progress, Vector
    from lamina.stores.questions import Found, Search
    from lamina.stores.sql.searching import OfStreams, Within, Words
    from lamina.stores.sql.streams import Stream
    from lamina.stores.sqlite.connections import Connections
    from lamina.stores.sqlite.driver import Connection
    from lamina.stores.sqlite.following import Following
    from lamina.stores.sqlite.nearest import Engine, Nearest, VectorSegments
    from lamina.stores.sqlite.segments import WordSegments

_FOLDING: Final = "fold"
_TRIES: Final = 3
_BLOCKED: Final = "indexes: their files cannot be read ({}), so searching takes longer"
_LOST: Final = "vectors: they cannot be read; `lamina doctor` says more"
_PATIENCE_SECONDS: Final = 30.0
_PAUSE_SECONDS: Final = 0.02


class Searched(SqlStore):
    """Searches, and what they need: loaded when somebody searches."""

    _folder: Path
    _connections: Connections
    _segments: WordSegments | None = None
    _vectors: dict[str, VectorSegments]
    """By what the names of their files begin with."""

    def search(self, search: Search) -> Found:
        from dataclasses import replace

        from lamina.stores.questions import MISFIT
        from lamina.stores.sqlite import vectors

        with self._connections.reading() as connection:
            asked = search.vector
            try:
                kept = 0 if asked is None else vectors.dimensions(connection, asked.space)
            except DriverError:
                # Searching will meet the same, and say so.
                kept = 0
            if asked is None or kept in (0, asked.dimensions):
                return self._best(connection, search)
            found = self._best(connection, replace(search, vector=None))
            return replace(found, degraded=(*found.degraded, MISFIT))

    def _best(self, connection: Connection, search: Search) -> Found:
        from dataclasses import replace

        from lamina.stores.sql.index import in_tables

        lost: tuple[str, ...] = ()
        failed = None
        for _ in range(_TRIES):
            try:
                return self._found(connection, search, self._words(connection, search))
            except IndexDamagedError:
                self.drop_indexes()
                break
            except DriverError:
                if search.vector is None:
                    raise
                # Vectors can be made again; what they were kept in is gone or damaged.
                search, lost = replace(search, vector=None), (_LOST,)
                break
            except OSError as error:
                # Whoever folds put another table in the place of one that was open here.
                self._forget()
                failed = error.strerror
        # The tables hold the truth, and answer more slowly.
        found = self._found(
            connection,
            search,
            in_tables(connection, search.terms),
            failed or "",
        )
        return replace(found, degraded=found.degraded + lost)

    def _found(
        self,
        connection: Connection,
        search: Search,
        words: OfStreams,
        failed: str | None = None,
    ) -> Found:
        from dataclasses import replace

        from lamina.stores.sql.searching import search as find

        nearest = self._nearest(connection, search.vector, failed)
        # Once for the whole search: to ask for one thread costs more than most that is computed.
        with nullcontext() if nearest is None else one_thread():
            found = find(connection, search, words, nearest)
        return replace(found, degraded=found.degraded + self._blocked())

    def _blocked(self) -> tuple[str, ...]:
        every: tuple[Following[Any, Any] | None, ...] = (self._segments, *self._vectors.values())
        troubles = {derived.trouble for derived in every if derived and derived.trouble}
        return tuple(map(_BLOCKED.format, sorted(troubles)))

    def _forget(self) -> None:
        for derived in list(self._vectors.values()):
            derived.forget()

    def unembedded(self, space: str, limit: int) -> list[Record]:
        from lamina.stores.sqlite import vectors

        with self._connections.reading() as connection:
            return vectors.unembedded(connection, space, limit)

    def waits(self, space: str, reach: Reach) -> bool:
        from lamina.stores.sqlite import vectors

        with self._connections.reading(snapshot=False) as connection:
            return vectors.waits(connection, space, reach)

    def embed(self, space: str, made: Sequence[Embedded], *, wait: bool = True) -> int:
        from lamina.stores.sqlite import vectors

        if wait:
            # They can be made again: not worth a sync of their own.
            return self._connections.write(
                lambda connection: vectors.embed(connection, space, made), synced=False
            )
        kept: list[int] = []
        self._connections.write_if_quiet(
            lambda connection: kept.append(vectors.embed(connection, space, made))
        )
        return kept[-1]

    def progress(self, space: str) -> Progress:
        from lamina.stores.sqlite import vectors

        with self._connections.reading() as connection:
            return vectors.progress(connection, space)

    def spaces(self) -> list[str]:
        from lamina.stores.sqlite import vectors

        with self._connections.reading(snapshot=False) as connection:
            return vectors.spaces(connection)

    def dimensions(self, space: str) -> int:
        from lamina.stores.sqlite import vectors

        with self._connections.reading(snapshot=False) as connection:
            return vectors.dimensions(connection, space)

    def leave_space(self, space: str) -> None:
        from lamina.stores.sqlite import vectors

        self._connections.write(lambda connection: vectors.leave(connection, space), synced=False)
        # Whoever folds next sees to the files that are nobody's now.
        with self.duty(_FOLDING) as is_ours:
            if is_ours:
                self._sweep()

    def duty(self, name: str) -> AbstractContextManager[bool]:
        from lamina.stores.sqlite import locks

        return locks.duty(self._folder, name)

    def fold(self, stop: Callable[[], bool] = lambda: False) -> None:
        with self.duty(_FOLDING) as is_ours:
            if is_ours:
                self._sweep()
                with self._explained():
                    for derived in self._derived():
                        _fold(derived, self._connections, stop)

    def fold_is_due(self) -> bool:
        from lamina.stores.sqlite.words import LARGE

        with self._connections.reading(snapshot=False) as connection:
            if not one(connection, "select max(documents) >= ? from stream", (LARGE,)):
                return False
            return any(derived.is_due(connection) for derived in self._derived())

    def clean_indexes(self) -> list[str]:
        """Remove derived indexes that may hold what was erased; return what had to be left.

        Whoever folds just now has read what is gone; it stops at the next page.
        """
        if not (self._folder / INDEXES).is_dir():
            return []
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            with self.duty(_FOLDING) as is_ours:
                if is_ours:
                    try:
                        return self._sweep()
                    except StoreError:
                        return [INDEXES]
            if time.monotonic() > deadline:
                return [INDEXES]
            time.sleep(_PAUSE_SECONDS)

    def drop_indexes(self) -> None:
        """Remove all derived indexes: one of them is damaged, or what they were made from was."""
        if not (self._folder / INDEXES).is_dir():
            return
        from lamina.stores.sqlite.shelf import clear

        mine: list[Following[Any, Any]] = [self._worded(), *self._vectors.values()]
        for derived in mine:
            derived.drop()
        clear(self._folder)

    def damaged_indexes(self) -> list[str]:
        """What is wrong with derived indexes, each read whole."""
        if not (self._folder / INDEXES).is_dir():
            return []
        every = (fault for derived in self._derived() for fault in derived.damaged())
        return list(dict.fromkeys(every))

    def lacking(self) -> str | None:
        """What this process has not got of the engine that was chosen for the store."""
        with self._connections.reading(snapshot=False) as connection:
            return self._engine(connection)[1]

    def _sweep(self) -> list[str]:
        from lamina.stores.sqlite import shelf

        kinds = {derived.kind for derived in self._derived()}
        with self._explained(), self._connections.reading(snapshot=False) as connection:
            return shelf.sweep(connection, self._folder, kinds | self._elsewhere(connection))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise meaning(self._folder / INDEXES, error) from error

    def _derived(self) -> list[Following[Any, Any]]:
        with self._connections.reading(snapshot=False) as connection:
            spaces = list(rows(connection, "select space, fingerprint from space"))
            engine = self._engine(connection)[0] if spaces else None
        placed = [self._placed(space, name, engine) for space, name in spaces if engine]
        for left in self._vectors.keys() - {derived.kind for derived in placed}:
            self._vectors.pop(left, None)
        return [self._worded(), *placed]

    def _engine(self, connection: Connection) -> tuple[Engine, str | None]:
        """What this process finds the nearest by, and why not by what was chosen."""
        from lamina.core.settings import ENGINE, LANCE
        from lamina.indexes import lance
        from lamina.indexes.vectors import VectorSegment

        if one(connection, "select value from setting where name = ?", (ENGINE,)) != LANCE:
            return VectorSegment, None
        trouble = lance.trouble()
        return (VectorSegment, trouble) if trouble else (lance.LanceSegment, None)

    def _elsewhere(self, connection: Connection) -> set[str]:
        """The kinds of files that others make, who have what this process lacks."""
        from lamina.indexes.lance import LanceSegment
        from lamina.stores.sqlite.nearest import kind_of

        if not self._engine(connection)[1]:
            return set()
        spaces = rows(connection, "select space from space")
        return {kind_of(LanceSegment, space) for (space,) in spaces}

    def _worded(self) -> WordSegments:
        from lamina.stores.sqlite.segments import WordSegments

        if self._segments is None:
            self._segments = WordSegments(self._folder)
        return self._segments

    def _words(self, connection: Connection, search: Search) -> OfStreams:
        from lamina.stores.sql.index import in_tables
        from lamina.stores.sqlite.words import LARGE

        def words(several: Sequence[tuple[Stream, Within]]) -> list[Words]:
            found: dict[int, Words] = {}
            for stream, within in several:
                if stream.documents >= LARGE:
                    from lamina.stores.sqlite.segments import SegmentWords

                    if (index := self._worded().current(connection, stream.sid)) is not None:
                        found[stream.sid] = SegmentWords(index, stream, search.terms, within)
            others = [one for one in several if one[0].sid not in found]
            told = in_tables(connection, search.terms)(others)
            found |= {stream.sid: its for (stream, _), its in zip(others, told, strict=True)}
            return [found[stream.sid] for stream, _ in several]

        return words

    def _nearest(
        self, connection: Connection, asked: Vector | None, failed: str | None = None
    ) -> Nearest | None:
        """Who tells the nearest; where files have failed, the engine that can do without any."""
        if asked is None:
            return None
        from lamina.indexes.vectors import VectorSegment
        from lamina.stores.sqlite.nearest import Nearest

        engine, trouble = self._engine(connection)
        if failed is not None:
            engine, trouble = VectorSegment, failed or trouble

        sql = "select space from space where fingerprint = ? and dimensions = ?"
        for (space,) in list(rows(connection, sql, (asked.space, asked.dimensions))):
            placed = self._placed(space, asked.space, engine)
            return Nearest(placed, connection, asked, trouble)
        return None

    def _placed(self, space: int, fingerprint: str, engine: Engine) -> VectorSegments:
        from lamina.stores.sqlite.nearest import VectorSegments, kind_of

        kind = kind_of(engine, space)
        if (known := self._vectors.get(kind)) is not None:
            return known
        made = VectorSegments(self._folder, space, fingerprint, engine)
        return self._vectors.setdefault(kind, made)


def _fold(derived: Following[Any, Any], connections: Connections, stop: Callable[[], bool]) -> None:
    try:
        derived.fold(connections, stop)
    except IndexDamagedError:
        derived.drop()
