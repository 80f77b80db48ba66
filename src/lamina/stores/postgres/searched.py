"""The part of the Postgres store that is searched: words, vectors, and what makes both fast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.stores.sql.store import SqlStore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.core.access import Reach
    from lamina.core.record import Record
    from lamina.core.vectors import Embedded, Progress
    from lamina.stores.postgres.connections import Connections
    from lamina.stores.questions import Found, Search
    from lamina.stores.sql.driver import Connection

_FOLDING: Final = "fold"


class Searched(SqlStore):
    """Searches, and what they need: loaded when somebody searches."""

    _connections: Connections

    def search(self, search: Search) -> Found:
        from dataclasses import replace

        from lamina.stores.postgres import vectors
        from lamina.stores.postgres.nearest import Nearest
        from lamina.stores.questions import MISFIT
        from lamina.stores.sql.index import in_tables
        from lamina.stores.sql.searching import search as find

        # Not only the reach: what stands around a match is told from what is beyond it.
        with self._connections.reading(search.reach) as connection:
            asked, nearest = search.vector, None
            misfit: tuple[str, ...] = ()
            if asked is not None:
                space = vectors.known(connection, asked.space)
                if space.dimensions == asked.dimensions:
                    nearest = Nearest(connection, space, asked)
                elif space.dimensions:
                    misfit = (MISFIT,)
            found = find(connection, search, in_tables(connection, search.terms), nearest)
        return replace(found, degraded=(*found.degraded, *misfit))

    def unembedded(self, space: str, limit: int) -> list[Record]:
        from lamina.stores.postgres import vectors

        with self._connections.reading() as connection:
            return vectors.unembedded(connection, space, limit)

    def waits(self, space: str, reach: Reach) -> bool:
        from lamina.stores.postgres import vectors

        with self._connections.reading(reach, snapshot=False) as connection:
            return vectors.waits(connection, space, reach)

    def embed(self, space: str, made: Sequence[Embedded], *, wait: bool = True) -> int:
        from lamina.stores.postgres import holding, vectors

        def work(connection: Connection) -> int:
            return vectors.embed(connection, space, made)

        if wait:
            # They can be made again: not worth a sync of their own.
            return self._connections.write(work, synced=False, needs=holding.OF_VECTORS)
        kept: list[int] = []
        self._connections.write_if_quiet(
            lambda connection: kept.append(work(connection)), needs=holding.OF_VECTORS
        )
        return kept[-1]

    def progress(self, space: str) -> Progress:
        from lamina.stores.postgres import vectors

        with self._connections.reading() as connection:
            return vectors.progress(connection, space)

    def spaces(self) -> list[str]:
        from lamina.stores.postgres import vectors

        with self._connections.reading(snapshot=False) as connection:
            return vectors.spaces(connection)

    def dimensions(self, space: str) -> int:
        from lamina.stores.postgres import vectors

        with self._connections.reading(snapshot=False) as connection:
            return vectors.known(connection, space).dimensions

    def leave_space(self, space: str) -> None:
        from lamina.stores.postgres import graphs, holding, vectors

        def work(connection: Connection) -> None:
            vectors.leave(connection, space)

        self._connections.write(work, synced=False, needs=holding.OF_VECTORS)
        graphs.sweep(self._connections)

    def fold(self, stop: Callable[[], bool] = lambda: False) -> None:
        from lamina.stores.postgres import graphs

        with self._connections.duties.one(_FOLDING) as is_ours:
            if is_ours:
                graphs.sweep(self._connections)
                graphs.build(self._connections, stop)

    def fold_is_due(self) -> bool:
        from lamina.stores.postgres import graphs

        return graphs.are_due(self._connections)
