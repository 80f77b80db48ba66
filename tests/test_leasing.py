"""Leases: nobody has a turn at the same time, and the dead do not keep theirs."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import lamina
from lamina import clock, leasing
from lamina.core.scope import Scope
from lamina.errors import BusyError, ConflictError, InvalidInputError, StoreFullError
from tests.places import STORES, where

ROOT = Scope.of("project/web")
_HOLDER = """
import sys, time
import lamina
from lamina import clock, leasing
from lamina.core.scope import Scope
with lamina.open(sys.argv[1]) as mem:
    leasing.take(mem.agent("maya", project="web"), "s-1", scope=Scope.of("project/web"))
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("store", STORES)
def test_one_has_it_at_a_time(store: str, tmp_path: Path) -> None:
    with lamina.open(where(store, tmp_path)) as mem:
        finn, maya = mem.agent("finn", project="web"), mem.agent("maya", project="web")
        with leasing.take(finn, "s-1", scope=ROOT) as held:
            with pytest.raises(BusyError, match=r"`s-1` is being worked on by finn"):
                leasing.take(maya, "s-1", scope=ROOT)
            with leasing.take(maya, "s-2", scope=ROOT):
                held.check()
        with leasing.take(maya, "s-1", scope=ROOT):
            pass


@pytest.mark.parametrize("store", STORES)
def test_of_many_that_want_it_one_gets_it(store: str, tmp_path: Path) -> None:
    with lamina.open(where(store, tmp_path)) as mem:
        agents = [mem.agent(f"a{number}", project="web") for number in range(8)]
        together, inside, most = threading.Lock(), [0], [0]

        def work(agent: lamina.memory.AgentMemory) -> None:
            with leasing.take(agent, "s-1", scope=ROOT, wait=60):
                with together:
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                with together:
                    inside[0] -= 1

        threads = [threading.Thread(target=work, args=(agent,)) for agent in agents]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert most == [1]


def test_the_dead_do_not_keep_it(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with lamina.open(tmp_path) as mem:
            finn = mem.agent("finn", project="web")
            with pytest.raises(BusyError, match="maya"):
                leasing.take(finn, "s-1", scope=ROOT)
            os.kill(holder.pid, signal.SIGKILL)
            holder.wait()
            with leasing.take(finn, "s-1", scope=ROOT) as taken:
                taken.check()


def test_who_is_not_heard_of_loses_it_and_is_told(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER.replace('web"))', 'web"), seconds=0.5)'), str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        os.kill(holder.pid, signal.SIGSTOP)
        with lamina.open(tmp_path) as mem:
            finn = mem.agent("finn", project="web")
            with leasing.take(finn, "s-1", scope=ROOT, wait=60):
                pass
        holder.kill()


def test_a_lease_that_was_taken_over_says_so() -> None:
    with lamina.open(":memory:") as mem:
        finn = mem.agent("finn", project="web")
        with leasing.take(finn, "s-1", scope=ROOT, seconds=0.2) as held:
            [record] = finn.query({"layer": "blackboard", "kind": "lease"})
            finn.forget(record.id)
            with leasing.take(mem.agent("maya", project="web"), "s-1", scope=ROOT, wait=60):
                while not held.is_lost:
                    pass
                with pytest.raises(BusyError, match="was taken over"):
                    held.check()


@pytest.mark.parametrize("store", STORES)
def test_a_commit_happens_only_while_it_is_held(store: str, tmp_path: Path) -> None:
    with lamina.open(where(store, tmp_path)) as mem:
        finn, maya = mem.agent("finn", project="web"), mem.agent("maya", project="web")
        # Nothing renews it here within an hour: so a process is after it was stopped.
        with leasing.take(finn, "s-1", scope=ROOT, seconds=3600) as held:
            held.commit([{"layer": "log", "kind": "SYSTEM", "text": "first"}])
            held.commit([{"layer": "fact", "key": "a", "text": "1", "expect": 0}])
            with pytest.raises(ConflictError):
                held.commit([{"layer": "fact", "key": "a", "text": "2", "expect": 0}])
            held.check()
            [record] = finn.query({"layer": "blackboard", "kind": "lease"})
            finn.edit(record.id, expires=record.created_at)
            with leasing.take(maya, "s-1", scope=ROOT):
                assert not held.is_lost
                with pytest.raises(BusyError, match="was taken over"):
                    held.commit([{"layer": "log", "kind": "SYSTEM", "text": "second"}])
            assert [one.text for one in finn.log.tail()] == ["first"]


def test_whose_time_is_over_asks_before_going_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with lamina.open(":memory:") as mem:
        finn, maya = mem.agent("finn", project="web"), mem.agent("maya", project="web")
        with leasing.take(finn, "s-1", scope=ROOT, seconds=3600) as held:
            later = clock.stopwatch() + 3601
            monkeypatch.setattr(clock, "stopwatch", lambda: later)
            held.check()
            [record] = finn.query({"layer": "blackboard", "kind": "lease"})
            finn.edit(record.id, expires=record.created_at)
            with leasing.take(maya, "s-1", scope=ROOT):
                monkeypatch.setattr(clock, "stopwatch", lambda: later + 3601)
                with pytest.raises(BusyError, match="was taken over"):
                    held.check()


def test_a_fork_does_not_hold_it(tmp_path: Path) -> None:
    with (
        lamina.open(tmp_path) as mem,
        leasing.take(mem.agent("finn", project="web"), "s-1", scope=ROOT) as held,
    ):
        child = os.fork()
        if not child:
            try:
                held.check()
            except BusyError:
                held.release()
                os._exit(7)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        held.check()
        with pytest.raises(BusyError):
            leasing.take(mem.agent("maya", project="web"), "s-1", scope=ROOT)


def test_what_could_not_be_released_is_free_in_the_same_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with lamina.open(":memory:") as mem:
        finn = mem.agent("finn", project="web")
        held = leasing.take(finn, "s-1", scope=ROOT)

        def full(*_: object, **__: object) -> None:
            raise StoreFullError("no room is left")

        with monkeypatch.context() as patch:
            patch.setattr(finn, "edit", full)
            held.release()
        with leasing.take(mem.agent("maya", project="web"), "s-1", scope=ROOT) as taken:
            taken.check()


@pytest.mark.parametrize("wrong", [-1, "soon", None, float("nan")])
def test_a_wrong_time_is_refused(wrong: object) -> None:
    with lamina.open(":memory:") as mem, pytest.raises(InvalidInputError, match="`wait`"):
        leasing.take(mem, "s-1", scope=ROOT, wait=wrong)  # type: ignore[arg-type]


def test_turns_leave_one_record_behind() -> None:
    with lamina.open(":memory:") as mem:
        for name in ("finn", "maya", "finn"):
            with leasing.take(mem.agent(name, project="web"), "s-1", scope=ROOT):
                pass
        assert len({change.event.record for change in mem.changes()}) == 1
        assert mem.query({"layer": "blackboard"}) == []
