"""Empty stores to test with, over and over: to make one takes far longer than to empty it.

Only what was given back as it was lent is lent again: with the same tables and indexes, and with
nobody connected to it any more.
"""

import atexit
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache

import psycopg

from lamina.core.versions import INDEX_VERSION
from lamina.stores.postgres import locks, migrations
from lamina.stores.postgres.address import parse
from lamina.stores.postgres.connections import Connections
from lamina.stores.postgres.dialect import DIALECT
from tests.postgres.shared import server

_MOST_USES = 50
"""What was deleted is still in the files, and slows down the next."""
_IN_SCHEMA = "from pg_class where relnamespace in (select oid from pg_namespace where nspname = %s)"
_TABLES = f"select relname {_IN_SCHEMA} and relkind in ('r', 'p') and not relispartition"
_SEQUENCES = "select sequencename from pg_sequences where schemaname = %s"
_SHAPE = f"select count(*), sum(relnatts) {_IN_SCHEMA}"
_CONNECTED = "select count(*) from pg_locks where locktype = 'advisory' and objid = %s"
_SETTINGS = {
    "format": str(migrations.NEWEST), "oldest_reader": str(migrations.NEWEST),
    "oldest_writer": str(migrations.NEWEST), "index_version": INDEX_VERSION,
}  # fmt: skip


@dataclass
class _Place:
    schema: str
    shape: object
    empty: str
    """The statements that make it as good as new."""
    uses: int = field(default=1)


_FREE: list[_Place] = []


@contextmanager
def lent_address(*, tcp: bool = False) -> Iterator[str]:
    """The address of an empty store, for as long as the block lasts."""
    place = _next()
    yield server().address(place.schema, tcp=tcp)
    # After a failure nothing about it is certain, and somebody may want to look at it.
    if place.uses < _MOST_USES:
        _FREE.append(place)


def _next() -> _Place:
    waiting = []
    try:
        while _FREE:
            place = _FREE.pop(0)
            if _is_connected(place):
                waiting.append(place)
            elif _clear(place):
                return place
    finally:
        _FREE.extend(waiting)
    return _made()


def _made() -> _Place:
    schema = f"t_{secrets.token_hex(6)}"
    with closing(Connections(parse(server().address(schema)), DIALECT)) as connections:
        connections.open()
    tables = [name for (name,) in _superuser().execute(_TABLES, (schema,))]
    sequences = [name for (name,) in _superuser().execute(_SEQUENCES, (schema,))]
    rows = ", ".join(f"('{name}', '{value}')" for name, value in _SETTINGS.items())
    statements = [
        *(f"delete from {schema}.{name}" for name in tables),
        *(f"alter sequence {schema}.{name} restart" for name in sequences),
        f"insert into {schema}.setting values {rows},"
        " ('identity', replace(gen_random_uuid()::text, '-', ''))",
    ]
    return _Place(schema, _shape(schema), "; ".join(statements))


def _clear(place: _Place) -> bool:
    """Whether it could be made as good as new."""
    if _shape(place.schema) != place.shape:
        return False
    _superuser().execute(place.empty.encode())
    place.uses += 1
    return True


def _is_connected(place: _Place) -> bool:
    """Whether a store that somebody forgot to close is still there, or was a moment ago."""
    number = locks.number(place.schema, f"{locks.PRESENCE}:{migrations.NEWEST}")
    return bool(_superuser().execute(_CONNECTED, (number & 0xFFFFFFFF,)).fetchall()[0][0])


def _shape(schema: str) -> object:
    return _superuser().execute(_SHAPE, (schema,)).fetchall()


@cache
def _superuser() -> "psycopg.Connection[tuple[object, ...]]":
    connection = psycopg.connect(server().superuser(), autocommit=True)
    atexit.register(connection.close)
    return connection
