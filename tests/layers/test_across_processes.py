"""The blackboard and the log between real processes, some of which are killed."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

import lamina
from lamina import Memory

ROOT = Path(__file__).parents[2]


class Worker:
    """Another process at the same board."""

    def __init__(self, role: str, store: Path, name: str, *rest: object) -> None:
        command = [sys.executable, "-m", "tests.layers.other_process", role, str(store), name]
        self.process = subprocess.Popen(
            [*command, *map(str, rest)], cwd=ROOT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert self.hear() == "ready"

    def hear(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def finn(store: Path) -> Iterator[Memory]:
    with lamina.open(store) as mem:
        mem.configure("recall.embedder", "off")
        yield mem.agent("finn", project="web")


def test_a_signal_wakes_who_waits_in_another_process(finn: Memory, store: Path) -> None:
    with Worker("wait", store, "maya", "module:x:built") as maya:
        finn.blackboard.publish("module:x:built:not", "another key that begins so")
        finn.blackboard.publish("module:x:built", {"status": "success"})
        assert maya.hear() == [{"status": "success"}, "finn"]


def test_what_has_run_out_wakes_nobody(finn: Memory, store: Path) -> None:
    with Worker("wait", store, "maya", "brief") as maya:
        finn.blackboard.publish("brief", "gone at once", ttl="0s")
        finn.blackboard.publish("brief", "here to stay")
        assert maya.hear() == ["here to stay", "finn"]


def values(notes: Path) -> list[int]:
    said = map(json.loads, notes.read_text().splitlines())
    return [one["value"] for one in said if "value" in one]


def test_a_killed_subscriber_goes_on_where_it_was(
    finn: Memory, store: Path, tmp_path: Path
) -> None:
    """Killed again and again in the middle of two writers: no gap, no repeat, in order."""
    notes = tmp_path / "notes"
    notes.touch()
    many, last = 100, 999_999
    with (
        Worker("publish", store, "ann", 0, many) as ann,
        Worker("publish", store, "bob", 1_000, many) as bob,
    ):
        # The first subscriber only keeps where the story begins.
        with Worker("follow", store, "maya", notes, last):
            pass
        ann.go()
        bob.go()
        for stop in range(30, 2 * many, 30):
            with Worker("follow", store, "maya", notes, last):
                while len(values(notes)) < stop:
                    time.sleep(0.005)
        assert (ann.process.wait(60), bob.process.wait(60)) == (0, 0)
    finn.blackboard.publish("n:step", last)
    with Worker("follow", store, "maya", notes, last) as maya:
        assert maya.process.wait(60) == 0
    seen = values(notes)
    assert [one for one in seen if one < many] == list(range(many))
    assert [one for one in seen if many <= one < last] == list(range(1_000, 1_000 + many))
    assert seen[-1] == last
    assert len(seen) == 2 * many + 1


def test_one_of_many_processes_wins_each_round(finn: Memory, store: Path) -> None:
    rounds, names = 25, ("ann", "bob", "cat", "dan")
    with ExitStack() as stack:
        racers = [stack.enter_context(Worker("race", store, name, rounds)) for name in names]
        for number in range(rounds):
            for racer in racers:
                racer.go()
            won = [racer.hear() for racer in racers]
            assert won.count(True) == 1
            stands = finn.blackboard.read("lock")
            assert stands is not None
            assert (stands.rev, stands.value) == (number + 1, names[won.index(True)])
            assert stands.publisher == stands.value


def test_a_turn_is_taken_once_by_whoever_says_the_same(finn: Memory, store: Path) -> None:
    """Compare-and-set has one winner although both want to write what stands there already."""
    finn.blackboard.publish("lock", "taken")
    assert finn.blackboard.publish("lock", "taken", expect=1).receipt.rev == 2
    with lamina.open(store) as other, pytest.raises(lamina.ConflictError):
        other.agent("finn", project="web").blackboard.publish("lock", "taken", expect=1)


def test_the_board_outlives_the_process_that_wrote_on_it(finn: Memory, store: Path) -> None:
    start = finn.cursor()
    with Worker("publish", store, "ann", 0, 5) as ann:
        ann.go()
        for news in finn.blackboard.subscribe("n:", after=start, timeout=60):
            if news.signal is not None and news.signal.value == 2:
                break
    with lamina.open(store) as again:
        stands = again.agent("maya", project="web").blackboard.read("n:step")
    assert stands is not None
    assert stands.publisher == "ann"
    assert stands.value >= 2


def test_a_compaction_that_is_killed_has_happened_or_has_not(finn: Memory, store: Path) -> None:
    told = {layer: {f"{layer} {number}" for number in range(101)} for layer in ("log", "session")}
    session = finn.session("s")
    finn.remember_many([{"layer": "log", "text": text} for text in sorted(told["log"])])
    session.extend([{"role": "user", "text": text} for text in sorted(told["session"])])
    chance = Random(5)
    for _ in range(5):
        with Worker("compact", store, "finn"):
            time.sleep(chance.uniform(0, 0.4))
        for layer, texts in told.items():
            left = finn.query({"layer": layer}, limit=1_000)
            archived = {"layer": "archive", "kind": "original", "text": {"$prefix": layer}}
            kept = finn.query(archived, limit=1_000)
            marked = finn.query({"layer": layer, "state": "archived"}, limit=1_000)
            assert {one.text for one in kept} == {one.text for one in marked}
            summaries = [one for one in left if "archive_id" in one.data]
            assert len(summaries) == bool(kept)
            assert {one.text for one in kept} | {one.text for one in left} - {
                one.text for one in summaries
            } == texts
            for one in summaries:
                finn.undo(finn.history(one.id)[0].event.tx)
    for layer, texts in told.items():
        assert {one.text for one in finn.query({"layer": layer}, limit=1_000)} == texts
