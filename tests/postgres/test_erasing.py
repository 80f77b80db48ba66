"""What an erase takes away is not brought back by whoever was at it, however they meet."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from time import sleep

import pytest

from lamina.core.announcements import MemoryFlush, Notice
from lamina.core.changes import Erase
from lamina.core.record import Record
from lamina.core.usage import Usage
from lamina.core.vectors import Embedded, packed
from lamina.stores.postgres import holding, vectors
from lamina.stores.postgres.driver import Connection
from lamina.stores.postgres.store import PostgresStore
from lamina.stores.sql import telemetry, usage
from lamina.testing.builders import NOON, a_commit, a_put, written
from tests.postgres.opened import opened
from tests.postgres.server import run_sql
from tests.postgres.shared import server

Work = tuple[Callable[[Connection], object], holding.Needs]
WAITING = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
SPACE = "compass"
TELLING = Notice(said=MemoryFlush(session_id="s"), by="ann", scope="global", layer="session")


def _meet(address: str, first: Work, second: Work) -> None:
    """Let the second come while the first is done and not yet committed."""
    with opened(address) as one, opened(address) as other, ThreadPoolExecutor(1) as pool:
        later: list[Future[object]] = []

        def work(connection: Connection) -> None:
            first[0](connection)
            later.append(pool.submit(other.write, second[0], needs=second[1]))
            while not later[0].done() and run_sql(server().superuser(), WAITING) == [(0,)]:
                sleep(0.01)

        one.write(work, needs=first[1])
        later[0].result(20)


def _rows(address: str, sql: str) -> list[tuple[object, ...]]:
    with opened(address) as connections, connections.reading() as reader:
        return list(reader.execute(sql))


@pytest.fixture
def stored(address: str) -> Iterator[tuple[PostgresStore, Record]]:
    """A store with one record."""
    with closing(PostgresStore(address)) as store:
        yield store, written(store, "a canary")


def _erase(store: PostgresStore, record: Record) -> Work:
    commit = a_commit(Erase(id=record.id))
    return lambda connection: store._run(connection, commit), holding.EVERYTHING


def _revise(store: PostgresStore, record: Record) -> Work:
    commit = a_commit(a_put("a finch", revises=record.id))
    return lambda connection: store._run(connection, commit), holding.EVERYTHING


def _embed(record: Record) -> Work:
    made = [Embedded(record.id, record.rev, packed((1.0, 0.0)))]
    return lambda connection: vectors.embed(connection, SPACE, made), holding.NOTHING


def _count(record: Record) -> Work:
    counts = {"": {record.id: Usage(1, NOON)}}
    return lambda connection: usage.write(connection, counts), holding.NOTHING


TELL: Work = (lambda c: telemetry.write(c, [TELLING], since=0), holding.NOTHING)
CLEAR: Work = (telemetry.clear, holding.NOTHING)
ORDERS = pytest.mark.parametrize("turn", [1, -1], ids=["erase last", "erase first"])


@ORDERS
def test_nothing_that_was_read_is_told_behind_an_erase(address: str, turn: int) -> None:
    _meet(address, *(TELL, CLEAR)[::turn])
    assert _rows(address, "select tid from telemetry") == [(0,)]


def test_two_erases_at_once_both_get_through(address: str) -> None:
    _meet(address, CLEAR, CLEAR)
    assert _rows(address, "select tid from telemetry") == [(0,)]


@ORDERS
def test_a_vector_goes_with_its_record(
    address: str, stored: tuple[PostgresStore, Record], turn: int
) -> None:
    _meet(address, *(_embed(stored[1]), _erase(*stored))[::turn])
    assert _rows(address, "select * from vector") == []


@ORDERS
def test_counts_go_with_their_record(
    address: str, stored: tuple[PostgresStore, Record], turn: int
) -> None:
    _meet(address, *(_count(stored[1]), _erase(*stored))[::turn])
    assert _rows(address, "select * from usage") == []


@ORDERS
def test_a_new_version_waits_for_its_own_vector(
    address: str, stored: tuple[PostgresStore, Record], turn: int
) -> None:
    store, record = stored
    _meet(address, *(_embed(record), _revise(store, record))[::turn])
    assert [one.text for one in store.unembedded(SPACE, 9)] == ["a finch"]
