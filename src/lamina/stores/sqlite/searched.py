"""The part of the SQLite store that is searched: words, vectors, and what makes both fast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.errors import IndexDamagedError
from lamina.stores.sqlite import INDEXES
from lamina.stores.sqlite.driver import one, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from lamina.core.record import Record
    from lamina.core.vectors import Embedded, Progress, Vector
    from lamina.stores.questions import Found, Search
    from lamina.stores.sqlite.connections import Connections
    from lamina.stores.sqlite.driver import Connection
    from lamina.stores.sqlite.following import Following
    from lamina.stores.sqlite.index import Stream
    from lamina.stores.sqlite.nearest import Nearest, VectorSegments
    from lamina.stores.sqlite.searching import Within, Words
    from lamina.stores.sqlite.segments import WordSegments


class Searched:
    """Searches, and what they need: loaded when somebody searches."""

    _folder: Path
    _connections: Connections
    _segments: WordSegments | None = None
    _vectors: dict[int, VectorSegments]

    def search(self, search: Search) -> Found:
        from lamina.stores.sqlite.index import SqlWords
        from lamina.stores.sqlite.searching import search as find

        with self._connections.reading() as connection:
            nearest = self._nearest(connection, search.vector)
            try:
                return find(connection, search, self._words(connection, search), nearest)
            except IndexDamagedError:
                for derived in self._derived():
                    derived.drop()
                # The tables hold the truth, and answer more slowly.
                return find(
                    connection, search, lambda s, _: SqlWords(connection, s, search.terms), nearest
                )

    def unembedded(self, space: str, limit: int) -> list[Record]:
        from lamina.stores.sqlite import vectors

        with self._connections.reading() as connection:
            return vectors.unembedded(connection, space, limit)

    def embed(self, space: str, made: Sequence[Embedded]) -> int:
        from lamina.stores.sqlite import vectors

        # They can be made again: not worth a sync of their own.
        return self._connections.write(
            lambda connection: vectors.embed(connection, space, made), synced=False
        )

    def progress(self, space: str) -> Progress:
        from lamina.stores.sqlite import vectors

        with self._connections.reading() as connection:
            return vectors.progress(connection, space)

    def spaces(self) -> list[str]:
        from lamina.stores.sqlite import vectors

        with self._connections.reading(snapshot=False) as connection:
            return vectors.spaces(connection)

    def leave_space(self, space: str) -> None:
        from lamina.stores.sqlite import vectors

        self._connections.write(lambda connection: vectors.leave(connection, space), synced=False)
        # What was copied of it would be taken for what there is.
        self._vectors.clear()

    def duty(self, name: str) -> AbstractContextManager[bool]:
        from lamina.stores.sqlite import locks

        return locks.duty(self._folder, name)

    def fold(self, stop: Callable[[], bool] = lambda: False) -> None:
        for derived in self._derived():
            derived.fold(self._connections, stop)

    def fold_is_due(self) -> bool:
        from lamina.stores.sqlite.index import LARGE

        with self._connections.reading(snapshot=False) as connection:
            if not one(connection, "select max(documents) >= ? from stream", (LARGE,)):
                return False
            return any(derived.is_due(connection) for derived in self._derived())

    def clean_indexes(self) -> None:
        """Remove derived indexes that may hold what was erased."""
        if (self._folder / INDEXES).is_dir():
            for derived in self._derived():
                derived.clean(self._connections)

    def _derived(self) -> list[Following[Any, Any]]:
        with self._connections.reading(snapshot=False) as connection:
            spaces = list(rows(connection, "select space, fingerprint from space"))
        return [self._worded(), *(self._placed(*space) for space in spaces)]

    def _worded(self) -> WordSegments:
        from lamina.stores.sqlite.segments import WordSegments

        if self._segments is None:
            self._segments = WordSegments(self._folder)
        return self._segments

    def _words(self, connection: Connection, search: Search) -> Callable[[Stream, Within], Words]:
        from lamina.stores.sqlite.index import LARGE, SqlWords

        def words(stream: Stream, within: Within) -> Words:
            if stream.documents >= LARGE:
                from lamina.stores.sqlite.segments import SegmentWords

                if (index := self._worded().current(connection, stream.sid)) is not None:
                    return SegmentWords(index, stream, search.terms, within)
            return SqlWords(connection, stream, search.terms)

        return words

    def _nearest(self, connection: Connection, asked: Vector | None) -> Nearest | None:
        if asked is None:
            return None
        sql = "select space from space where fingerprint = ?"
        space = one(connection, sql, (asked.space,))
        if space is None:
            return None
        from lamina.stores.sqlite.nearest import Nearest

        return Nearest(self._placed(space, asked.space), connection, asked)

    def _placed(self, space: int, fingerprint: str) -> VectorSegments:
        from lamina.stores.sqlite.nearest import VectorSegments

        if space not in self._vectors:
            self._vectors[space] = VectorSegments(self._folder, space, fingerprint)
        return self._vectors[space]
