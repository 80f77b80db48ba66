"""While a project moves to partitions of its own nobody waits for long, and nothing is lost."""

import multiprocessing
import os
import signal
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest

import lamina
from lamina.core.vectors import Embedded
from lamina.memory import Memory
from lamina.stores.base import Severity
from lamina.stores.postgres import partitions
from lamina.stores.postgres.address import parse
from lamina.stores.postgres.driver import Connection
from tests.postgres.parted import AT, MANY, contents, filled, lying, sid_of, texts
from tests.postgres.server import run_sql
from tests.postgres.shared import server

SPACE = "made up"
_VECTORS = "select count(*), count(distinct (rid, space)) from {}.vector"


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that even a few rows are many pages."""
    for bound in ("_FIRST", "_FEWEST", "_MOST"):
        monkeypatch.setattr(partitions, bound, 7)


def _killed(address: str, at: int) -> None:
    """Move out, and be gone for good before the nth commit."""
    for bound in ("_FIRST", "_FEWEST", "_MOST"):
        setattr(partitions, bound, 40)
    commit, told = Connection.commit, 0

    def counted(connection: Connection) -> None:
        nonlocal told
        told += 1
        if told == at:
            os.kill(os.getpid(), signal.SIGKILL)
        commit(connection)

    with lamina.open(address) as mem, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connection, "commit", counted)
        mem.store.arrange()


def _runs(target: Callable[..., None], *given: object) -> int | None:
    child = multiprocessing.get_context("fork").Process(target=target, args=given)
    child.start()
    child.join(60)
    return child.exitcode


@pytest.mark.parametrize("at", [1, 2, 3, 4, 5, 6, 9])
def test_a_kill_at_any_moment_leaves_the_store_whole_and_the_next_goes_on(
    address: str, at: int
) -> None:
    with filled(address) as mem:
        _embed(mem)
        before = contents(mem)
        ended = [_runs(_killed, address, at)]
        # Until then it does again what it can do any number of times, and gets no further.
        while at > 5 and ended[-1] == -signal.SIGKILL:
            assert contents(mem) == before
            assert mem.store.progress(SPACE).made == 20
            assert not any(one.severity.is_damage for one in mem.store.check())
            ended.append(_runs(_killed, address, at))
        assert ended[0] == -signal.SIGKILL
        mem.store.arrange()
        assert contents(mem) == before
        assert mem.store.progress(SPACE).made == 20
        assert {one.severity for one in mem.store.check()} == {Severity.OK}
        assert lying(address, "version")[f"version_{sid_of(address, 'large')}"] == 2 * MANY


def test_doctor_says_that_a_move_was_broken_off(address: str) -> None:
    with filled(address) as mem:
        assert _runs(_killed, address, 4) == -signal.SIGKILL
        [told] = [one for one in mem.store.check() if one.check == "partitions"]
        assert told.severity is Severity.NOTE
        assert "project/large" in told.message
        assert "lamina maintain" in told.remedy
        # What is not wanted any more goes back.
        mem.configure("project.partition_at", "off")
        [arranged] = mem.store.arrange()
        assert not arranged.apart
        assert set(lying(address, "event")) == {"event_rest"}


@pytest.mark.usefixtures("small_pages")
def test_writers_and_readers_notice_nothing(address: str) -> None:
    over = Event()
    with filled(address) as mem, _busy(address, over) as counted:
        _embed(mem)
        for _ in range(3):
            mem.store.arrange()
            _wipe(mem)
            mem.store.arrange()
            mem.remember_many(texts("large", MANY, "again"))
        mem.store.arrange()
        over.set()
        assert min(counted()) > 0
        assert {one.severity for one in mem.store.check()} == {Severity.OK}
        sid = sid_of(address, "large")
        assert set(lying(address, "event")) == {"event_rest", f"event_{sid}"}
        schema = parse(address).schema
        [(rows, vectors)] = run_sql(server().superuser(), _VECTORS.format(schema))
        assert rows == vectors


@contextmanager
def _busy(address: str, over: Event) -> Iterator[Callable[[], list[int]]]:
    """Writers, readers and an embedder at work until it is over; how much each has done."""
    works = (_write, _read, _change, _make_vectors)
    with ThreadPoolExecutor(len(works)) as threads:
        try:
            running = [threads.submit(work, address, over) for work in works]
            yield lambda: [one.result(60) for one in running]
        finally:
            over.set()


def _write(address: str, over: Event) -> int:
    """Write to a scope of the project that moves, and find again all that was acknowledged."""
    done = 0
    with lamina.open(address) as mem:
        while not over.is_set():
            mem.remember(f"note {done}", scope="project/large/task/t", key=f"note{done}")
            done += 1
            assert mem.project("large").count({"scope": "project/large/task/t"}) == done
    return done


def _read(address: str, over: Event) -> int:
    """Another project is there as a whole at every moment."""
    done = 0
    with lamina.open(address, project="small") as mem:
        while not over.is_set():
            found = mem.query({"scope": "project/small"})
            assert len(found) == len({one.id for one in found}) == AT // 4
            done += 1
    return done


def _change(address: str, over: Event) -> int:
    """Change one record again and again: each version follows the one before."""
    done = 0
    with lamina.open(address) as mem:
        record = mem.remember("turn 0", scope="project/large/task/u", key="turn").id
        while not over.is_set():
            done += 1
            mem.remember(f"turn {done}", scope="project/large/task/u", key="turn")
            assert len(mem.store.versions(mem.reach, record)) == done + 1
    return done


def _make_vectors(address: str, over: Event) -> int:
    done = 0
    with lamina.open(address) as mem:
        while not over.is_set():
            _embed(mem)
            done += 1
    return done


def _embed(mem: Memory) -> None:
    waiting = mem.store.unembedded(SPACE, 20)
    made = [Embedded(one.id, one.rev, struct.pack("<2f", 1.0, 0.0)) for one in waiting]
    mem.store.embed(SPACE, made)


def _wipe(mem: Memory) -> None:
    mem.erase(*[one.id for one in mem.query({"scope": "project/large"}, limit=1000)])


def test_two_that_would_move_it_do_it_once(address: str) -> None:
    with filled(address) as mem, lamina.open(address) as other, ThreadPoolExecutor(2) as threads:
        both = [threads.submit(one.store.arrange) for one in (mem, other)]
        moved = [arranged for one in both for arranged in one.result(60)]
        assert [one.stream for one in moved] == ["project/large"]
        with mem.store.duty(partitions.DUTY) as mine:
            assert mine
            _wipe(other)
            assert other.store.arrange() == []
