"""Vectors follow the writes, whatever their embedder does; changing it happens all at once."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

import lamina
from lamina import Memory, backlog
from lamina.backlog import MANY_ASIDE, Backlog
from lamina.embedders.checking import checked
from lamina.embedding import MANY
from lamina.errors import EmbedderUnavailableError
from lamina.testing import FakeEmbedder, Fault, FaultyEmbedder
from tests.places import STORES, where

if TYPE_CHECKING:
    from lamina.backlog import Later
    from lamina.stores.sqlite.store import SqliteStore

SOME = 300


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return where(request.param, tmp_path / "store")


def until(mem: Memory, pending: int = 0) -> None:
    """Wait for the thread in the background."""
    deadline = time.monotonic() + 30
    while mem.vectors().pending > pending:
        assert time.monotonic() < deadline, mem.vectors()
        time.sleep(0.02)


def test_a_write_is_found_by_its_words_before_it_has_a_vector(place: str) -> None:
    with lamina.open(place, embedder=FakeEmbedder()) as mem:
        receipt = mem.remember("a kettle")
        assert receipt.pending == ("vectors",)
        assert mem.vectors().pending == 1
        assert [hit.record.text for hit in mem.recall("kettle").hits] == ["a kettle"]
        # Who recalls sees to what waits.
        assert mem.vectors().pending == 0
        assert mem.vectors().made == 1


def test_the_first_recall_of_a_store_waits_for_no_writer(tmp_path: Path) -> None:
    """It would note whose vectors these are, and how near they place what has nothing in common."""
    holding, enough = threading.Event(), threading.Event()

    def hold(connection: object) -> None:
        holding.set()
        assert enough.wait(20), "a recall waited for a writer"

    with (
        lamina.open(tmp_path) as other,
        lamina.open(tmp_path, embedder=FakeEmbedder()) as mem,
        ThreadPoolExecutor() as threads,
    ):
        mem.remember("a kettle")
        held = threads.submit(cast("SqliteStore", other.store)._connections.write, hold)
        assert holding.wait(20)
        assert [hit.record.text for hit in mem.recall("kettle").hits] == ["a kettle"]
        enough.set()
        held.result()


def test_much_that_waits_is_made_in_the_background(place: str) -> None:
    with lamina.open(place, embedder=FakeEmbedder()) as mem:
        mem.remember_many([{"text": f"note number {n}"} for n in range(MANY + 50)])
        until(mem)
        assert mem.vectors().made == MANY + 50
        mem.remember("one more")
        until(mem)


def test_much_text_is_never_made_in_one_go(place: str) -> None:
    """A recall waits for one go at most, and so does whoever ends the process."""
    fake = FakeEmbedder()
    with lamina.open(place, embedder=fake) as mem:
        mem.remember_many([{"text": f"{n} " + "a long chunk " * 100} for n in range(30)])
        found = mem.recall("chunk")
        assert "lamina reindex" in found.degraded[0]
        assert mem.catch_up() is None
        assert mem.vectors().pending == 0
        assert not mem.recall("chunk").degraded
    assert len(fake.calls) > 3
    assert max(sum(map(len, texts)) for texts, _ in fake.calls) <= 20_000


@pytest.mark.parametrize("fault", [Fault.DOWN, Fault.SHORT, Fault.NAN, Fault.ZERO, Fault.WIDE])
def test_a_failing_embedder_loses_no_write_and_no_recall(place: str, fault: Fault) -> None:
    faulty = FaultyEmbedder(FakeEmbedder(), fault)
    with lamina.open(place, embedder=faulty) as mem:
        mem.remember("a kettle on the stove")
        found = mem.recall("kettle")
        assert [hit.record.text for hit in found.hits] == ["a kettle on the stove"]
        assert found.degraded
        health = mem.vectors()
        assert (health.pending, health.made) == (1, 0)
        assert health.error
    with lamina.open(place, embedder=FakeEmbedder()) as mem:
        if mem.count():
            # A store in memory is gone; the others catch up.
            mem.recall("kettle")
            assert mem.vectors().pending == 0


def test_a_text_that_is_refused_holds_nothing_up(place: str) -> None:
    faulty = FaultyEmbedder(FakeEmbedder(), refuses="poison")
    with lamina.open(place, embedder=faulty) as mem:
        mem.remember_many([{"text": text} for text in ("a kettle", "poison apple", "a cup")])
        mem.reindex()
        health = mem.vectors()
        assert (health.made, health.pending, health.refused) == (2, 0, 1)
        assert [hit.record.text for hit in mem.recall("poison").hits] == ["poison apple"]


def test_a_text_that_was_refused_is_asked_for_again_by_who_indexes_anew(place: str) -> None:
    faulty = FaultyEmbedder(FakeEmbedder(), refuses="poison")
    with lamina.open(place, embedder=faulty) as mem:
        mem.remember_many([{"text": "a kettle"}, {"text": "poison apple"}])
        assert mem.reindex().vectors.refused == 1
        faulty.refuses = ""
        health = mem.reindex().vectors
        assert (health.made, health.pending, health.refused) == (2, 0, 0)


def test_texts_that_cannot_be_taken_now_hold_up_none_behind_them(place: str) -> None:
    faulty = FaultyEmbedder(FakeEmbedder(), chokes_on="poison")
    with lamina.open(place, embedder=faulty) as mem:
        mem.remember_many([{"text": f"poison apple {n}"} for n in range(100)])
        mem.remember_many([{"text": f"a kettle {n}"} for n in range(5)])
        mem.reindex()
        health = mem.vectors()
        assert (health.made, health.pending, health.refused) == (5, 100, 0)
        assert "too busy" in (health.error or "")
        faulty.chokes_on = ""
        # What was set aside is not forgotten: who asks for it has it tried again at once.
        assert mem.reindex().vectors.made == 105


def test_a_text_that_cannot_be_taken_now_costs_no_recall_again_and_again(place: str) -> None:
    class Local(FaultyEmbedder):
        is_local = True

    faulty = Local(FakeEmbedder(), chokes_on="poison")
    with lamina.open(place, embedder=faulty) as mem:
        mem.remember_many([{"text": "poison apple"}, {"text": "a kettle"}])
        assert "wait" in mem.recall("kettle").degraded[0]
        assert (mem.vectors().made, mem.vectors().pending) == (1, 1)
        before = faulty.count
        assert "wait" in mem.recall("kettle").degraded[0]
        assert faulty.count == before + 1
        faulty.chokes_on = ""
        mem.reindex()
        assert not mem.recall("kettle").degraded


def test_what_waits_out_of_sight_is_not_told_of(place: str) -> None:
    faulty = FaultyEmbedder(FakeEmbedder(), chokes_on="poison")
    with lamina.open(place, embedder=faulty) as mem:
        alice, bob = mem.agent("alice", project="web"), mem.agent("bob", project="web")
        alice.remember("a kettle", layer="notebook")
        bob.remember("poison apple", layer="notebook")
        mem.reindex()
        assert mem.vectors().pending == 1
        assert alice.recall("kettle").degraded == ()
        assert "wait" in bob.recall("kettle").degraded[0]
        assert "wait" in mem.project("web").recall("kettle").degraded[0]


def test_an_embedder_that_takes_hardly_any_text_is_left_alone(tmp_path: Path) -> None:
    faulty = FaultyEmbedder(FakeEmbedder(), chokes_on="poison")
    with lamina.open(tmp_path, embedder=faulty) as mem:
        mem.remember_many([{"text": f"poison apple {n}"} for n in range(MANY_ASIDE + 100)])
        mem.remember("a kettle")
        with pytest.raises(EmbedderUnavailableError, match="too busy"):
            mem.reindex()
        assert mem.vectors().pending == MANY_ASIDE + 101


def test_another_embedder_does_not_take_over_by_itself(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder=FakeEmbedder(name="one")) as mem:
        mem.remember("a kettle")
        mem.recall("kettle")
    with lamina.open(tmp_path, embedder=FakeEmbedder(name="two")) as mem:
        found = mem.recall("kettle")
        assert found.hits
        assert "another embedder" in found.degraded[0]
        assert mem.store.spaces() == ["one|64"]
        health = mem.reindex().vectors
        assert health is not None
        assert (health.space, health.next_space, health.usable) == ("two|64", None, True)
        assert mem.store.spaces() == ["two|64"]
        assert not mem.recall("kettle").degraded


def test_a_text_that_the_new_embedder_never_takes_does_not_keep_it_out(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder=FakeEmbedder(name="one")) as mem:
        mem.remember_many([{"text": f"a kettle {n}"} for n in range(20)])
        mem.remember_many([{"text": "poison apple"}, {"text": "poison pear"}])
        mem.reindex()
    faulty = FaultyEmbedder(FakeEmbedder(name="two"), chokes_on="poison")
    with lamina.open(tmp_path, embedder=faulty) as mem:
        health = mem.reindex().vectors
        assert (health.space, health.next_space, health.usable) == ("two|64", None, True)
        assert (health.made, health.pending, health.set_aside) == (20, 2, 2)
        assert "too busy" in (health.error or "")
        [told] = [one for one in mem.check() if one.check == "embedding"]
        assert "could not take so far: 2" in told.message
        assert "meaning" in mem.recall("kettle").hits[0].parts
        faulty.chokes_on = ""
        assert mem.reindex().vectors.made == 22


def test_an_embedder_that_takes_few_texts_does_not_take_over(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder=FakeEmbedder(name="one")) as mem:
        mem.remember_many([{"text": f"a kettle {n}"} for n in range(10)])
        mem.remember_many([{"text": "poison apple"}, {"text": "poison pear"}])
        mem.reindex()
    faulty = FaultyEmbedder(FakeEmbedder(name="two"), chokes_on="poison")
    with lamina.open(tmp_path, embedder=faulty) as mem:
        health = mem.reindex().vectors
        assert (health.space, health.next_space) == ("one|64", "two|64")


def test_without_being_asked_a_text_is_tried_several_times_before_it_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "_ASIDE_SECONDS", 0.0)
    faulty = checked(FaultyEmbedder(FakeEmbedder(), chokes_on="poison"))
    with lamina.open(tmp_path, embedder=FakeEmbedder()) as mem:
        mem.remember_many([{"text": text} for text in ("a kettle", "poison apple")])
        later: Later = {}
        done = []
        for _ in range(3):
            run = Backlog(mem.store, faulty, later)
            run.keep(run.due(run.waiting(10)))
            done.append(run.is_done(for_now=False))
            assert run.is_done(for_now=True)
        assert done == [False, False, True]
        mem.remember("written since")
        assert not Backlog(mem.store, faulty, later).is_done(for_now=False)


def test_the_old_vectors_answer_until_the_new_ones_are_whole(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.configure("recall.embedder", "static")
        mem.remember_many([{"text": f"note number {n} on kettles"} for n in range(40)])
        mem.reindex()
        old = mem.vectors().space
        mem.configure("recall.embedder", "lamina")
        found = mem.recall("kettles")
        assert "meaning" in found.hits[0].parts
        until(mem)
        deadline = time.monotonic() + 30
        while mem.vectors().space == old:
            assert time.monotonic() < deadline
            mem.recall("kettles")
            time.sleep(0.05)
        assert len(mem.store.spaces()) == 1


def test_an_embedder_that_cannot_be_opened_is_not_chosen(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        with pytest.raises(lamina.InvalidInputError):
            mem.configure("recall.embedder", "crystal-ball")
        assert mem.settings()["recall.embedder"] == "lamina"


def test_without_an_embedder_recall_goes_by_words(place: str) -> None:
    with lamina.open(place) as mem:
        mem.configure("recall.embedder", "off")
        receipt = mem.remember("a kettle")
        assert receipt.pending == ()
        found = mem.recall("kettle")
        assert [hit.record.text for hit in found.hits] == ["a kettle"]
        assert not found.degraded
        assert mem.recall("zebra").abstained


def test_who_writes_much_is_not_looked_after_behind_each_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[int] = []
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        monkeypatch.setattr(type(mem.store), "fold", lambda *given: looked.append(len(given)))
        mem.remember_many([{"text": f"note number {n}"} for n in range(MANY)])
        for n in range(SOME):
            mem.remember(f"more of number {n}")
    assert len(looked) < SOME / 10
