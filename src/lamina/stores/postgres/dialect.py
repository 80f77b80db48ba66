"""What Postgres does in its own way."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from lamina.stores.postgres import words
from lamina.stores.postgres.driver import Connection as Session
from lamina.stores.postgres.driver import DriverError, UnheldError
from lamina.stores.postgres.migrations import NEWEST
from lamina.stores.sql.driver import Connection, Dialect, rows


def _numbers(connection: Connection, number: int) -> Iterator[int]:
    sql = "select nextval('number') from generate_series(1, ?)"
    return iter([given for (given,) in rows(connection, sql, (number,))] if number else ())


def _drop_vectors(connection: Connection, rid: int) -> None:
    connection.execute("delete from vector where rid = ?", (rid,))


def _at_once(connection: Connection) -> AbstractContextManager[None]:
    return connection.at_once() if isinstance(connection, Session) else nullcontext()


def _check_held(connection: Connection, stream: str) -> None:
    if isinstance(connection, Session) and stream not in connection.held:
        raise UnheldError(stream)


DIALECT: Final = Dialect(
    error=DriverError,
    format=NEWEST,
    numbers=_numbers,
    home="home",
    task="(v.data::json ->> 'task')",
    receipt_stream="(x.body::json #>> '{2,0,0}')",
    receipt_seq="cast(x.body::json #>> '{2,0,1}' as bigint)",
    postings=words.POSTINGS,
    rounded=words.ROUNDED,
    add_words=words.add,
    drop_words=words.drop,
    drop_vectors=_drop_vectors,
    at_once=_at_once,
    vectors="vector x join record r on r.rid = x.rid"
    " join stream s on s.sid = x.sid and s.home = x.home",
    vector_body="x.body::text",
    check_held=_check_held,
)
