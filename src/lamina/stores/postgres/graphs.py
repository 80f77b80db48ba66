"""Graphs over the vectors of large spaces, which make the nearest of many quick to find.

Each is an index of the server over one space in one partition. Building one takes minutes and holds
up nobody's reading; it is built by the one process that folds.
"""

from collections.abc import Callable
from typing import Final

from lamina.stores.postgres.connections import Connections
from lamina.stores.postgres.driver import Connection
from lamina.stores.postgres.nearest import FEW, graph_name
from lamina.stores.sql.driver import rows

_LONG_SECONDS: Final = 6 * 3600.0
_LARGE: Final = "select exists (select 1 from stream where documents > ?)"
_WANTED: Final = (
    "select s.space, s.dimensions from space s where s.dimensions > 0 and s.dimensions <= 4000"
    " and (select count(*) from (select 1 from vector x where x.space = s.space limit ?) as few)"
    " > ? order by s.space"
)
_THERE: Final = (
    "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace"
    " where n.nspname = current_schema() and c.relkind in ('i', 'I')"
    " and c.relname like 'vector\\_graph\\_%'"
)
_SPACES: Final = "select space from space where dimensions > 0"
_BUILD: Final = (
    "create index {name} on vector using hnsw"
    " ((cast(body as halfvec({dimensions}))) halfvec_cosine_ops)"
    " with (m = 16, ef_construction = 100) where space = {space} and body is not null"
)


def are_due(connections: Connections) -> bool:
    """Whether a space has become so large that it should have a graph and has none."""
    with connections.reading(snapshot=False) as connection:
        [(large,)] = rows(connection, _LARGE, (FEW,))
        if not large:
            return False
        there = {name for (name,) in rows(connection, _THERE)}
        wanted = rows(connection, _WANTED, (FEW + 1, FEW))
        return any(graph_name(space) not in there for space, _ in wanted)


def build(connections: Connections, stop: Callable[[], bool]) -> None:
    """Build the graphs that are missing."""
    with connections.reading(snapshot=False) as connection:
        there = {name for (name,) in rows(connection, _THERE)}
        wanted = list(rows(connection, _WANTED, (FEW + 1, FEW)))
    for space, dimensions in wanted:
        name = graph_name(space)
        if name in there or stop():
            continue
        sql = _BUILD.format(name=name, space=space, dimensions=dimensions)
        connections.apart(_run(sql), _LONG_SECONDS)


def sweep(connections: Connections) -> None:
    """Drop graphs of spaces that were left."""
    with connections.reading(snapshot=False) as connection:
        there = {name for (name,) in rows(connection, _THERE)}
        kept = {graph_name(space) for (space,) in rows(connection, _SPACES)}
    for name in sorted(there - kept):
        connections.apart(_run(f"drop index if exists {name}"), _LONG_SECONDS)


def _run(sql: str) -> Callable[[Connection], None]:
    return lambda session: session.run(sql)
