"""What Postgres does in its own way."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from lamina.stores.postgres import streaming, words
from lamina.stores.postgres.driver import Connection as Session
from lamina.stores.postgres.driver import DriverError, UnheldError
from lamina.stores.postgres.migrations import NEWEST
from lamina.stores.postgres.pool import Reader
from lamina.stores.postgres.verdicts import is_removed
from lamina.stores.sql.driver import Asked, Connection, Dialect, Row, rows

_NUMBERS: Final = "select nextval('number') from generate_series(1, ?)"


def _numbers(connection: Connection, number: int) -> Iterator[int]:
    return iter([given for (given,) in rows(connection, _NUMBERS, (number,))] if number else ())


def _foreseen(number: int) -> Sequence[Asked]:
    return [(_NUMBERS, (number,))] if number else []


def _drop_vectors(connection: Connection, rid: int) -> None:
    connection.execute("delete from vector where rid = ?", (rid,))


def _at_once(connection: Connection) -> AbstractContextManager[None]:
    return connection.at_once() if isinstance(connection, Session) else nullcontext()


def _answers(connection: Connection, asked: Sequence[Asked]) -> list[list[Row]]:
    if isinstance(connection, Session | Reader):
        return connection.ask(asked)
    return [list(connection.execute(sql, parameters)) for sql, parameters in asked]


def _check_held(connection: Connection, stream: str) -> None:
    if isinstance(connection, Session) and stream not in connection.held:
        raise UnheldError(stream)


def _meet_erases(connection: Connection, erases: bool) -> None:
    # Those who write do not hinder one another; an erase waits for them, and they for it.
    mode = "share row exclusive" if erases else "row exclusive"
    connection.execute(f"lock table telemetry in {mode} mode")


def _patiently(connection: Connection, seconds: float) -> AbstractContextManager[None]:
    assert isinstance(connection, Session | Reader)
    return connection.patiently(seconds)


DIALECT: Final = Dialect(
    error=DriverError,
    format=NEWEST,
    numbers=_numbers,
    foreseen=_foreseen,
    home="home",
    task="(v.data::json ->> 'task')",
    receipt_stream="(x.body::json #>> '{2,0,0}')",
    receipt_seq="cast(x.body::json #>> '{2,0,1}' as bigint)",
    postings=words.POSTINGS,
    counted=words.COUNTED,
    seen=words.SEEN,
    rounded=words.ROUNDED,
    add_words=words.add,
    drop_words=words.drop,
    drop_vectors=_drop_vectors,
    at_once=_at_once,
    answers=_answers,
    each=streaming.each,
    patiently=_patiently,
    vectors="vector x join record r on r.rid = x.rid"
    " join stream s on s.sid = x.sid and s.home = x.home",
    vector_body="x.body::text",
    kept=" for key share",
    alone=" for update",
    is_removed=is_removed,
    check_held=_check_held,
    meet_erases=_meet_erases,
)
