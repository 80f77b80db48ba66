"""Duties: one at a time over all processes, and free again when their holder is gone."""

import multiprocessing
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.postgres.opened import opened
from tests.postgres.server import run_sql
from tests.postgres.shared import server


def test_a_duty_is_one_processes_at_a_time(address: str) -> None:
    with opened(address) as one, opened(address) as other, opened() as elsewhere:
        with one.duties.one("prune") as mine:
            assert mine
            assert one.duties.still("prune")
            with other.duties.one("prune") as theirs, other.duties.one("embed") as another:
                assert (theirs, another) == (False, True)
            with elsewhere.duties.one("prune") as apart:
                assert apart
            with one.duties.one("prune") as again, ThreadPoolExecutor(1) as threads:
                assert not again
                assert not threads.submit(one.duties.one("prune").__enter__).result(10)
            assert one.duties.still("prune")
        assert not one.duties.still("prune")
        with other.duties.one("prune") as theirs:
            assert theirs


def _hold(address: str, told: Any) -> None:
    with opened(address) as connections, connections.duties.one("prune") as mine:
        told.put(mine)
        signal.pause()


def test_a_duty_of_a_killed_process_is_free_again(address: str) -> None:
    context = multiprocessing.get_context("fork")
    told = context.Queue()
    with opened(address) as connections:
        child = context.Process(target=_hold, args=(address, told))
        child.start()
        assert told.get(timeout=30)
        with connections.duties.one("prune") as mine:
            assert not mine
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        child.join(10)
        for _ in range(1000):
            with connections.duties.one("prune") as mine:
                if mine:
                    return
    raise AssertionError("the duty is still held")


def test_a_duty_is_lost_with_the_connection_and_that_is_noticed() -> None:
    with opened() as connections:
        with connections.duties.one("prune") as mine:
            assert mine
            sql = (
                "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
                " where query like '%pg_try_advisory_lock%' and usename = 'lamina'"
                f" and pid = {connections.duties.pid}"
            )
            assert run_sql(server().superuser(), sql) == [(True,)]
            assert not connections.duties.still("prune")
            with connections.duties.one("prune") as again:
                assert again
        with connections.duties.one("prune") as once_more:
            assert once_more
