"""Leases: nobody has a turn at the same time, and the dead do not keep theirs."""

import os
import signal
import subprocess
import sys
import threading
from datetime import timedelta
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
_FORKING = """
import os, sys
import lamina
from lamina import leasing
from lamina.core.scope import Scope
def asked(lease):
    try:
        lease.check()
    except lamina.LaminaError as error:
        return type(error).__name__
with lamina.open(sys.argv[1]) as mem:
    maya = mem.agent("maya", project="web")
    lease = leasing.take(maya, "s-1", scope=Scope.of("project/web"), seconds=3)
    print("held", flush=True)
    if not (child := os.fork()):
        with lease:
            print("forked:", asked(lease), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    sys.stdin.readline()
    print("awake:", asked(lease), flush=True)
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


def test_who_is_not_heard_of_loses_it_and_knows_before_it_goes_on(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", _FORKING, str(tmp_path)],
        stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True,
    ) as holder:  # fmt: skip
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        # A child of the holder has its copy, and nothing to say about it.
        assert holder.stdout.readline() == "forked: BusyError\n"
        with lamina.open(tmp_path) as mem:
            finn = mem.agent("finn", project="web")
            # Who lives renews it, so it is held however long a busy machine took to come here.
            with pytest.raises(BusyError, match="maya"):
                leasing.take(finn, "s-1", scope=ROOT)
            os.kill(holder.pid, signal.SIGSTOP)
            with leasing.take(finn, "s-1", scope=ROOT, wait=60) as taken:
                # What it is told next is there when it wakes, before it could have renewed.
                print("go on", file=holder.stdin, flush=True)
                os.kill(holder.pid, signal.SIGCONT)
                assert holder.stdout.readline() == "awake: BusyError\n"
                taken.check()


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
            # Edited by somebody, and nobody else's for that.
            finn.edit(record.id, "finn would rather not be disturbed")
            held.commit([{"layer": "log", "kind": "SYSTEM", "text": "still"}])
            finn.edit(record.id, expires=record.created_at)
            with leasing.take(maya, "s-1", scope=ROOT):
                assert not held.is_lost
                with pytest.raises(BusyError, match="was taken over"):
                    held.commit([{"layer": "log", "kind": "SYSTEM", "text": "second"}])
            assert [one.text for one in finn.log.tail()] == ["first", "still"]


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


def test_a_lease_whose_record_was_edited_is_still_held_and_can_be_released() -> None:
    with lamina.open(":memory:") as mem:
        finn, maya = mem.agent("finn", project="web"), mem.agent("maya", project="web")
        with leasing.take(finn, "s-1", scope=ROOT, seconds=0.6) as held:
            [record] = finn.query({"layer": "blackboard", "kind": "lease"})
            edited = finn.edit(record.id, "finn would rather not be disturbed")
            for _ in mem.changes(mem.cursor(), follow=True, timeout=20):
                break
            [renewed] = finn.query({"layer": "blackboard", "kind": "lease"})
            assert renewed.rev > edited.rev
            held.check()
            with pytest.raises(BusyError):
                leasing.take(maya, "s-1", scope=ROOT)
        leasing.take(maya, "s-1", scope=ROOT).release()


def test_a_clock_that_leaps_makes_a_holder_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    with lamina.open(":memory:") as mem:
        finn, maya = mem.agent("finn", project="web"), mem.agent("maya", project="web")
        start, passed = clock.now(), [timedelta()]
        monkeypatch.setattr(clock, "now", lambda: start + passed[0])
        with leasing.take(finn, "s-1", scope=ROOT, seconds=600) as held:
            passed[0] = timedelta(days=-900)
            held.check()
            with pytest.raises(BusyError):
                leasing.take(maya, "s-1", scope=ROOT)
            # By a day nobody can tell it from the time that has passed.
            passed[0] = timedelta(days=1)
            held.check()
            with pytest.raises(BusyError):
                leasing.take(maya, "s-1", scope=ROOT)
            passed[0] = timedelta(days=2)
            with leasing.take(maya, "s-1", scope=ROOT), pytest.raises(BusyError):
                held.check()


def test_a_store_that_is_closed_ends_the_renewals(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        held = leasing.take(mem.agent("finn", project="web"), "closed", scope=ROOT, seconds=0.3)
    [thread] = [one for one in threading.enumerate() if one.name == "lease closed"]
    thread.join(60)
    assert not thread.is_alive()
    with pytest.raises(BusyError):
        held.check()


def test_who_holds_it_is_told_from_others_of_its_number() -> None:
    with lamina.open(":memory:") as mem:
        finn, maya = mem.agent("finn", project="web"), mem.agent("maya", project="web")
        for said, is_free in (
            ({"born": "1"}, True),  # another process has that number by now
            ({"pid": 2**40}, True),
            ({"pid": 1, "born": leasing._UNSEEN}, False),
            ({"place": "elsewhere", "pid": 2**22}, False),
        ):
            with leasing.take(finn, "s-1", scope=ROOT) as held:
                [record] = finn.query({"layer": "blackboard", "kind": "lease"})
                finn.edit(record.id, data={**record.data, **said})
                if is_free:
                    leasing.take(maya, "s-1", scope=ROOT).release()
                else:
                    with pytest.raises(BusyError):
                        leasing.take(maya, "s-1", scope=ROOT)
                    held.check()


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
