"""Who meets others at work: a lock is waited for once, and nothing that was agreed on is lost."""

import os
import resource
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

import lamina
from lamina.errors import StoreReadOnlyError, StoreUnavailableError
from lamina.stores.base import Severity
from lamina.stores.postgres import connections as module
from lamina.stores.postgres.address import parse
from lamina.stores.postgres.connections import Connections
from lamina.stores.postgres.holding import NOTHING
from lamina.stores.sql import lines
from lamina.stores.sql.formats import MOVED_TO
from lamina.stores.together import Request
from tests.postgres.opened import add, names, opened
from tests.postgres.shared import server

CROWD = 8
LONG = 20


@contextmanager
def _beside(*statements: str) -> Iterator[psycopg.Connection[Any]]:
    """A transaction of somebody else, which has begun with these."""
    with psycopg.connect(server().superuser()) as connection:
        for statement in statements:
            connection.execute(statement.encode())
        yield connection


def test_what_is_waited_for_in_vain_is_not_waited_for_by_each_in_turn(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []
    try_them = Connections._try

    def counted(self: Connections, batch: Any, local: Any = ()) -> None:
        tried.append(len(batch))
        try_them(self, batch, (*local, ("lock_timeout", "300ms")))

    monkeypatch.setattr(Connections, "_try", counted)
    monkeypatch.setattr(module, "_REST_SECONDS", 0.4)
    with opened(address) as mine, ThreadPoolExecutor(CROWD) as threads:
        add(mine, "before")
        tried.clear()
        held = f"lock table {mine.schema}.stream in share mode"
        with _beside(held) as beside:
            with mine._together.turn:
                asked = [threads.submit(add, mine, f"s{one}") for one in range(CROWD)]
                while len(mine._together._queue) < CROWD:
                    pass
            wait(asked, LONG)
            beside.rollback()
        assert all(isinstance(one.exception(), StoreUnavailableError) for one in asked)
        # Together, and then those that there was time for.
        assert tried[0] == CROWD
        assert len(tried) < CROWD
        assert names(mine) == ["before"]
        add(mine, "behind")


def test_who_has_waited_in_the_queue_waits_for_less(address: str) -> None:
    told: list[str] = []

    def asks(connection: Any) -> None:
        told.append(str(connection.execute("select current_setting('lock_timeout')").first()))

    with opened(address) as mine:
        mine.write(asks)
        request = Request(asks, synced=True, needs=NOTHING)
        request.since -= 100
        mine._commit([request])
    assert told == ["7s", "500ms"]


def test_nobody_adds_to_a_record_that_is_pruned(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    late: list[Future[Any]] = []
    shorten = lines.shorten

    def beside(*given: Any) -> int:
        late.append(threads.submit(other.edit, one.id, text="the newest"))
        wait(late, 1)
        return shorten(*given)

    with (
        lamina.open(address) as mem,
        lamina.open(address) as other,
        ThreadPoolExecutor() as threads,
    ):
        one = mem.remember("a kettle")
        for turn in range(5):
            mem.edit(one.id, text=f"a kettle, {turn}")
        mem.configure("history.knowledge", "3")
        monkeypatch.setattr(lines, "shorten", beside)
        mem.maintain()
        late[0].result(LONG)
        monkeypatch.undo()
        kept = [version.record.text for version in mem.history(one.id) if version.record]
        assert kept == [*(f"a kettle, {turn}" for turn in range(1, 5)), "the newest"]
        assert {found.severity for found in mem.store.check()} == {Severity.OK}


def test_a_setting_is_not_chosen_in_a_store_that_was_just_handed_over(address: str) -> None:
    schema = parse(address).schema
    with lamina.open(address) as mem, ThreadPoolExecutor() as threads:
        with _beside(f"lock table {schema}.setting in share row exclusive mode") as beside:
            chosen = threads.submit(mem.configure, "recall.use", "off")
            wait([chosen], 0.5)
            sql = f"insert into {schema}.setting values ('{MOVED_TO}', 'elsewhere')"
            beside.execute(sql.encode())
        with pytest.raises(StoreReadOnlyError, match="elsewhere"):
            chosen.result(LONG)
        assert "recall.use" not in mem.store.settings()


def test_a_process_that_has_much_open_goes_on(address: str) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    many = 1100
    if hard != resource.RLIM_INFINITY and hard < many + 300:
        pytest.skip("so much may not be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, many + 300), hard))
    opened_now: list[int] = []
    try:
        opened_now += (os.open(os.devnull, os.O_RDONLY) for _ in range(many))
        with opened(address) as mine:
            for one in range(3):
                add(mine, f"s{one}")
            assert names(mine) == ["s0", "s1", "s2"]
            with mine.reading() as reader:
                assert not reader._connection.has_news()
    finally:
        for one in opened_now:
            os.close(one)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
