"""Graphs over the vectors of large spaces, which make the nearest of many quick to find.

Each is an index of the server over one space, with a graph for each partition. Building one takes
minutes and holds up neither readers nor writers; it is built by the one process that folds. Whoever
is killed meanwhile leaves a part behind that nobody uses, and that is built anew.
"""

from collections.abc import Callable
from functools import partial
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
    "select c.relname, i.indisvalid from pg_index i join pg_class c on c.oid = i.indexrelid"
    " where i.indrelid = to_regclass('vector') and c.relname like 'vector\\_graph\\_%'"
)
_UNMADE: Final = (
    "select p.inhrelid::regclass::text from pg_inherits p where p.inhparent = to_regclass('vector')"
    " and not exists (select 1 from pg_index i join pg_inherits h on h.inhrelid = i.indexrelid"
    " where i.indrelid = p.inhrelid and h.inhparent = to_regclass(?))"
)
_SPACES: Final = "select space from space where dimensions > 0"
_BUILD: Final = (
    "create index {how} on {table} using hnsw"
    " ((cast(body as halfvec({dimensions}))) halfvec_cosine_ops)"
    " with (m = 16, ef_construction = 100) where space = {space} and body is not null"
)


def are_due(connections: Connections) -> bool:
    """Whether a space has become so large that it should have a graph and has none."""
    with connections.reading(snapshot=False) as connection:
        [(large,)] = rows(connection, _LARGE, (FEW,))
        if not large:
            return False
        there: dict[str, bool] = dict(rows(connection, _THERE))
        wanted = rows(connection, _WANTED, (FEW + 1, FEW))
        return not all(there.get(graph_name(space)) for space, _ in wanted)


def build(connections: Connections, stop: Callable[[], bool]) -> None:
    """Build the graphs that are missing."""
    with connections.reading(snapshot=False) as connection:
        there: dict[str, bool] = dict(rows(connection, _THERE))
        wanted = list(rows(connection, _WANTED, (FEW + 1, FEW)))
    for space, dimensions in wanted:
        if not there.get(graph_name(space)):
            make = partial(_make, space=space, dimensions=dimensions, stop=stop)
            connections.apart(make, _LONG_SECONDS)


def _make(session: Connection, *, space: int, dimensions: int, stop: Callable[[], bool]) -> None:
    """Build a graph partition by partition; it is valid when all of them have theirs."""
    # Others do not wait behind it, so it may wait for the transactions that were there before.
    session.run("set lock_timeout = 0")
    name = graph_name(space)
    whole = _BUILD.format(
        how=f"if not exists {name}", table="only vector", space=space, dimensions=dimensions
    )
    session.run(whole)
    for (table,) in list(rows(session, _UNMADE, (name,))):
        if stop():
            return
        part = f"{name}_of_{table}"
        session.run(f"drop index if exists {part}")
        session.run(
            _BUILD.format(
                how=f"concurrently {part}", table=table, space=space, dimensions=dimensions
            )
        )
        session.run(f"alter index {name} attach partition {part}")


def sweep(connections: Connections) -> None:
    """Drop graphs of spaces that were left."""
    with connections.reading(snapshot=False) as connection:
        there = {name for name, _ in rows(connection, _THERE)}
        kept = {graph_name(space) for (space,) in rows(connection, _SPACES)}
    for name in sorted(there - kept):
        connections.apart(_run(f"drop index if exists {name}"), _LONG_SECONDS)


def _run(sql: str) -> Callable[[Connection], None]:
    return lambda session: session.run(sql)
