"""What was read before an erase is not told behind it, however the two meet on a server."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from time import sleep

import pytest

from lamina.core.announcements import MemoryFlush, Notice
from lamina.stores.postgres.driver import Connection
from lamina.stores.sql import telemetry
from tests.postgres.opened import opened
from tests.postgres.server import run_sql
from tests.postgres.shared import server

Work = Callable[[Connection], None]
WAITING = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"


def _tell(connection: Connection) -> None:
    said = MemoryFlush(session_id="s")
    read = Notice(said=said, by="ann", scope="global", layer="session")
    telemetry.write(connection, [read], since=0)


def _meet(address: str, first: Work, second: Work) -> list[tuple[object, ...]]:
    """Let the second come while the first is done and not yet committed; what is there then."""
    with opened(address) as one, opened(address) as other, ThreadPoolExecutor(1) as pool:
        later: list[Future[None]] = []

        def work(connection: Connection) -> None:
            first(connection)
            later.append(pool.submit(other.write, second))
            while not later[0].done() and run_sql(server().superuser(), WAITING) == [(0,)]:
                sleep(0.01)

        one.write(work)
        later[0].result(20)
        with one.reading() as reader:
            return list(reader.execute("select tid, body from telemetry"))


@pytest.mark.parametrize("pair", [(_tell, telemetry.clear), (telemetry.clear, _tell)])
def test_nothing_is_told_behind_an_erase(address: str, pair: tuple[Work, Work]) -> None:
    assert [row[0] for row in _meet(address, *pair)] == [0]


def test_two_erases_at_once_both_get_through(address: str) -> None:
    assert len(_meet(address, telemetry.clear, telemetry.clear)) == 1
