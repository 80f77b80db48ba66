"""Graphs over the vectors of large spaces, which make the nearest of many quick to find.

Each is an index of the server over one space in one partition. Building one takes minutes and holds
up neither readers nor writers; it is built by the one process that folds. Whoever is killed
meanwhile leaves a part behind that nobody uses, and that is built anew.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from lamina.stores.postgres.connections import Connections
from lamina.stores.postgres.driver import Connection
from lamina.stores.postgres.nearest import FEW, graph_name
from lamina.stores.sql.driver import Connection as Asked
from lamina.stores.sql.driver import rows

_LONG_SECONDS: Final = 6 * 3600.0
_LARGE: Final = "select distinct home from stream where documents > ?"
_MANY: Final = (
    "select s.space, s.dimensions from space s where s.dimensions > 0 and s.dimensions <= 4000"
    " and (select count(*) from (select 1 from vector x where x.space = s.space and x.home = ?"
    " limit ?) as few) > ? order by s.space"
)
_THERE: Final = (
    "select c.relname, i.indisvalid from pg_index i join pg_class c on c.oid = i.indexrelid"
    " where c.relnamespace = current_schema()::regnamespace"
    " and c.relname like 'vector\\_graph\\_%'"
)
_SPACES: Final = "select space from space where dimensions > 0"
_DROP: Final = "drop index concurrently if exists {name}"
_BUILD: Final = (
    "create index concurrently {name} on {table} using hnsw"
    " ((cast(body as halfvec({dimensions}))) halfvec_cosine_ops)"
    " with (m = 16, ef_construction = 100) where space = {space} and body is not null"
)


def are_due(connections: Connections) -> bool:
    """Whether a space has become so large that it should have a graph and has none."""
    with connections.reading(snapshot=False) as connection:
        return any(missing(connection, home) for home in _large(connection))


def build(connections: Connections, stop: Callable[[], bool]) -> None:
    """Build the graphs that are missing."""
    with connections.reading(snapshot=False) as connection:
        homes = [home for home in _large(connection) if missing(connection, home)]
    for home in homes:
        connections.apart(partial(make, home=home, stop=stop), _LONG_SECONDS)


def missing(connection: Asked, home: int) -> list[tuple[int, int]]:
    """The spaces that have many vectors in a partition and no graph of them; with dimensions."""
    many = list(rows(connection, _MANY, (home, FEW + 1, FEW)))
    there: dict[str, bool] = dict(rows(connection, _THERE)) if many else {}
    return [
        (space, dimensions) for space, dimensions in many if not there.get(graph_name(space, home))
    ]


def make(session: Connection, *, home: int, stop: Callable[[], bool] = lambda: False) -> None:
    """Build the graphs that are missing in one partition."""
    session.begin()
    wanted = missing(session, home)
    session.commit()
    # Nobody waits behind it, so it may wait for the transactions that were there before.
    session.run("set lock_timeout = 0")
    for space, dimensions in wanted:
        if stop():
            return
        name, table = graph_name(space, home), f"vector_{home or 'rest'}"
        session.run(_DROP.format(name=name))
        session.run(_BUILD.format(name=name, table=table, space=space, dimensions=dimensions))


def sweep(connections: Connections) -> None:
    """Drop graphs of spaces that were left."""
    with connections.reading(snapshot=False) as connection:
        there = {name for name, _ in rows(connection, _THERE)}
        kept = tuple(graph_name(space, 0)[:-1] for (space,) in rows(connection, _SPACES))
    for name in sorted(one for one in there if not one.startswith(kept)):
        connections.apart(_run(_DROP.format(name=name)), _LONG_SECONDS)


def _large(connection: Asked) -> list[int]:
    return [home for (home,) in rows(connection, _LARGE, (FEW,))]


def _run(sql: str) -> Callable[[Connection], None]:
    return lambda session: session.run(sql)
