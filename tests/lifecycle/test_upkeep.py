"""Upkeep: one process at a time, one transaction for each part, again and again if wanted."""

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lamina
from lamina import Memory, clock, leasing
from lamina.compaction import extract
from lamina.compaction.checking import Summarise
from lamina.core.changes import Action
from lamina.core.record import Record
from lamina.core.scope import GLOBAL
from lamina.errors import BusyError, InvalidInputError
from lamina.lifecycle import scheduling, upkeep
from lamina.lifecycle.face import Lifecycle
from lamina.lifecycle.scheduling import Scheduler, Turn
from lamina.lifecycle.upkeep import Upkeep
from lamina.memory import AgentMemory
from tests.days import Day
from tests.lifecycle.seen import everything, states
from tests.meta.children import environment

CHILD = """
import sys
import lamina
mem = lamina.open(sys.argv[1])
print("ready", flush=True)
while True:
    mem.undo(mem.lifecycle.plans("consolidation")[0].apply(confirm=True).tx)
"""


def test_one_at_a_time(whole: Memory, day: Day) -> None:
    finn = whole.agent("finn", project="web")
    finn.episode.record("t-1", "completed")
    day.passed = 40
    with leasing.take(whole, "maintenance", scope=GLOBAL):
        with pytest.raises(BusyError):
            whole.lifecycle.run()
        assert states(whole, "episode") == ["current"]
        assert whole.lifecycle.run(dry_run=True).done[2].plan.takes == 1
    assert whole.lifecycle.run().done[2].receipt is not None
    assert states(whole, "episode") == ["archived"]


def test_every_part_is_done_and_each_can_be_undone(whole: Memory, day: Day) -> None:
    finn = whole.agent("finn", project="web")
    whole.configure("log.compact_entries", "3")
    whole.configure("project.max_items", "3")
    for number in range(5):
        finn.log.thought(f"thought {number}")
        finn.knowledge.put("fact", f"k{number}", f"value {number}")
    finn.remember("the kettle leaks", scope="project/web")
    finn.remember("The kettle leaks.", scope="project/web", tags=["kitchen"])
    finn.episode.record("t-1", "completed")
    finn.session("s-1").append("user", "hello")
    day.passed = 40
    before = everything(whole)
    told = whole.lifecycle.run(dry_run=True)
    assert everything(whole) == before
    found = whole.lifecycle.run()
    assert [done.plan.ids for done in found.done[:4]] == [done.plan.ids for done in told.done[:4]]
    assert [one.what for one in found.compacted] == ["log of project/web/agent/finn"]
    assert [(one.what, one.entries, one.tx) for one in told.compacted] == [
        (one.what, one.entries, "") for one in found.compacted
    ]
    assert found.history is not None
    assert found.history.applied
    names = [done.plan.name for done in found.done if done.receipt]
    assert names == ["consolidation", "retention", "archiving", "eviction"]
    for tx in [found.compacted[0].tx, *(one.receipt.tx for one in found.done[::-1] if one.receipt)]:
        whole.undo(tx)
    after = everything(whole)
    assert {name: after[name] for name in before} == before


def test_parts_that_are_not_named_are_left(one: Memory, day: Day) -> None:
    found = one.lifecycle.run("archiving", "retention")
    assert [done.plan.name for done in found.done] == ["retention", "archiving"]
    assert (found.history, found.logs) == (None, None)


@settings(max_examples=30)
@given(
    days=st.lists(st.integers(0, 80), max_size=12),
    texts=st.lists(st.sampled_from(["the kettle leaks", "Kettle leaks!", "it bites"]), max_size=9),
)
def test_a_dry_run_and_the_run_name_the_same_records(days: list[int], texts: list[str]) -> None:
    day = Day()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(clock, "now", day)
        with lamina.open(":memory:") as mem:
            mem.configure("recall.embedder", "off")
            mem.configure("project.max_items", "4")
            finn = mem.agent("finn", project="web")
            for day.passed in sorted(days):
                finn.episode.record("t-1", "completed")
                finn.session(f"s-{day.passed % 3}").append("user", "hello")
            for text in texts:
                finn.remember(text, scope="project/web")
            before = everything(mem)
            for name in ("consolidation", "retention", "archiving", "eviction", "stale"):
                [shown], [plan] = mem.lifecycle.plans(name), mem.lifecycle.plans(name)
                assert (shown.ids, shown) == (plan.ids, plan)
                receipt = plan.apply(confirm=True)
                done = receipt.outcomes if receipt else ()
                assert [one.id for one in done] == list(shown.ids)
                assert Action.UNCHANGED not in [one.action for one in done]
                if receipt is not None:
                    mem.undo(receipt.tx)
                assert everything(mem) == before


def test_killed_in_the_middle_all_of_it_is_done_or_nothing(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.configure("recall.embedder", "off")
        mem.remember_many([{"text": f"statement {n % 50}"} for n in range(100)])
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path)],
        stdout=subprocess.PIPE,
        env=environment(PYTHONPATH=os.pathsep.join(sys.path)),
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    with lamina.open(tmp_path) as mem:
        feed = mem.changes(mem.cursor(), follow=True, timeout=20)
        # Each plan and its undoing are a hundred changes.
        assert len(list(islice(feed, 130))) == 130
        child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    child.stdout.close()
    with lamina.open(tmp_path) as mem:
        assert states(mem, "knowledge").count("superseded") in (0, 50)
        assert sum("merged" in one.data for one in mem.query(limit=100)) in (0, 50)


def test_the_scheduler_runs_at_once_and_until_it_is_stopped(whole: Memory, day: Day) -> None:
    finn = whole.agent("finn", project="web")
    finn.episode.record("t-1", "completed")
    day.passed = 40
    turned = threading.Event()
    heard: list[Turn] = []

    def told(turn: Turn) -> None:
        heard.append(turn)
        turned.set()

    with Scheduler(whole.lifecycle, "1h", told=told) as scheduler:
        assert scheduler.start() is scheduler
        assert turned.wait(30)
        assert scheduler.is_running
    assert not scheduler.is_running
    assert scheduler.last is heard[0]
    assert (len(heard), heard[0].error) == (1, None)
    assert states(whole, "episode") == ["archived"]
    with leasing.take(whole, "maintenance", scope=GLOBAL):
        assert isinstance(scheduler.turn().error, BusyError)
    assert scheduler.turn().error is None
    assert scheduler.turns == 3


def test_the_scheduler_outlives_a_run_that_fails_and_one_that_is_in_hand(
    one: Memory, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end = threading.Event(), threading.Event()
    calls: list[int] = []

    class Breaking(Lifecycle):
        def run(self, *only: str, dry_run: bool = False, confirm: bool = False) -> Upkeep:
            calls.append(1)
            begun.set()
            assert may_end.wait(30)
            raise ZeroDivisionError("a plan that breaks")

    monkeypatch.setattr(scheduling, "_PATIENCE", 0.01)
    heard: queue.SimpleQueue[Turn] = queue.SimpleQueue()
    scheduler = Scheduler(Breaking(one), "1s", told=heard.put).start()
    assert begun.wait(30)
    scheduler.stop()
    assert not scheduler.is_running
    # Started anew while the run before is in hand, there is still one at a time.
    scheduler.start()
    assert scheduler.is_running
    assert len(calls) == 1
    may_end.set()
    for _ in range(3):
        assert isinstance(heard.get(timeout=30).error, ZeroDivisionError)
    assert scheduler.is_running
    scheduler.stop()
    assert "a plan that breaks" in caplog.text


@pytest.mark.parametrize("every", ["0s", "soon", "", "99999999999w"])
def test_an_interval_that_is_none_is_refused(one: Memory, every: str) -> None:
    with pytest.raises(InvalidInputError, match="`every`"):
        Scheduler(one.lifecycle, every)


def test_what_changes_while_it_is_compacted_waits_and_the_rest_is_done(
    whole: Memory, day: Day, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole.configure("log.compact_entries", "3")
    finn, maya = whole.agent("finn", project="web"), whole.agent("maya", project="web")
    for agent in (finn, maya):
        for number in range(5):
            agent.log.thought(f"thought {number} of {agent.principal.name}")

    def meddling(agent: AgentMemory) -> Summarise | None:
        def summarise(records: Sequence[Record], most_tokens: int, /) -> str:
            finn.forget(records[0].id)
            return extract(records, most_tokens)

        return summarise if agent.principal.name == "finn" else None

    monkeypatch.setattr(upkeep, "summariser", meddling)
    found = whole.lifecycle.run("compaction")
    assert [one.what for one in found.compacted] == ["log of project/web/agent/maya"]
    assert len(finn.log.tail()) == 4
