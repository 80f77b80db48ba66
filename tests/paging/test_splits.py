"""The split of a context: asked for, chosen for an agent, or learned from what was used."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lamina
from lamina import InvalidInputError, Memory
from lamina.core.shares import LEAST, MOST, TIERS, USUAL, check_split, learned
from tests.places import STORES, where

COUNTS = st.fixed_dictionaries({tier: st.floats(0, 1_000) for tier in TIERS})
PARTS = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any)


@pytest.fixture(params=STORES)
def mem(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        yield opened


def told(mem: Memory) -> Memory:
    """Every tier knows of herons."""
    finn = mem.agent("finn", project="web")
    for n in range(6):
        finn.notebook("t-1").note(f"heron of task number {n} is called Tilda{n}")
        finn.remember(f"heron of project number {n} is called Petra{n}", scope="project/web")
        mem.remember(f"heron of everyone number {n} is called Gustav{n}")
    return finn


def test_use_moves_the_split_and_reset_takes_it_back(mem: Memory) -> None:
    finn = told(mem)
    assert finn.context("heron").origin == "setting"
    for _ in range(12):
        context = finn.context("heron", split="learned", hot=False)
        context.used_in("They are Tilda0, Tilda1: the heron of task number 0 and number 1")
    found = finn.split.read(learning=True)
    assert found.origin == "learned"
    assert found.told == 12
    assert found.shares["task"] > USUAL["task"] + 0.05
    assert found.shares["global"] < USUAL["global"]
    # Only who asks for it gets it, or who has switched it on.
    assert finn.context("heron").split == USUAL
    mem.configure("context.learn", "on")
    assert finn.context("heron").split == found.shares
    assert mem.agent("maya", project="web").context("heron").split == USUAL
    finn.split.reset()
    assert finn.context("heron").split == USUAL
    assert finn.split.reset() is None


def test_what_is_chosen_for_an_agent_holds_for_it_alone(mem: Memory) -> None:
    finn = told(mem)
    finn.split.set("50/30/20")
    found = finn.context("heron")
    assert (found.split, found.origin) == ({"task": 0.5, "project": 0.3, "global": 0.2}, "agent")
    assert mem.agent("maya", project="web").context("heron").origin == "setting"
    asked = finn.context("heron", split="0/0/1")
    assert (asked.split, asked.origin) == ({"task": 0.0, "project": 0.0, "global": 1.0}, "request")
    with pytest.raises(InvalidInputError, match="`split`"):
        finn.split.set("most")
    mem.configure("context.split", "20/20/60")
    assert finn.split.reset() is not None
    assert finn.context("heron").split["global"] == pytest.approx(0.6)


def test_the_split_decides_who_is_shown() -> None:
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        finn = told(mem)
        tokens = {
            split: finn.context("heron", budget=220, split=split, hot=False).shares
            for split in ("80/10/10", "10/10/80")
        }
        assert tokens["80/10/10"]["task"] > tokens["10/10/80"].get("task", 0)
        assert tokens["10/10/80"]["global"] > tokens["80/10/10"].get("global", 0)


def test_telling_back_changes_only_what_it_should() -> None:
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        finn = told(mem)
        context = finn.context("heron")
        first = context.ids[0]
        before = finn.count()
        # Without learning nothing is written; what was not shown does not count.
        assert context.used([first, "0" * 26]) == (first,)
        assert finn.count() == before
        assert finn.split.read().told == 0
        assert context.used_in("I know nothing about that") == ()
        reader = mem.agent("rita", project="web", role="reader")
        shown = reader.context("heron", split="learned", hot=False)
        assert shown.used(shown.ids) == shown.ids
        assert reader.split.read().told == 0


@settings(max_examples=60, deadline=None)
@given(PARTS, COUNTS, COUNTS)
def test_whatever_is_told_every_tier_keeps_its_bounds(
    parts: list[int], shown: dict[str, float], used: dict[str, float]
) -> None:
    chosen = check_split(dict(zip(TIERS, parts, strict=True)))
    found = learned(chosen, shown, used)
    assert sum(found.values()) == pytest.approx(1, abs=0.001)
    assert all(LEAST - 1e-6 <= found[tier] <= MOST + 1e-6 for tier in TIERS)


def test_little_evidence_moves_little() -> None:
    one = learned(USUAL, {"task": 1, "project": 1, "global": 1}, {"task": 1})
    many = learned(USUAL, {"task": 99, "project": 99, "global": 99}, {"task": 99})
    assert USUAL["task"] < one["task"] < USUAL["task"] + 0.05 < many["task"] <= MOST


def test_full_tiers_get_their_shares_of_the_budget() -> None:
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        finn = mem.agent("finn", project="web")
        places = {"task": f"{finn.scope}/task/t-1", "project": "project/web", "global": "global"}
        for tier, place in places.items():
            words = [" ".join(f"{tier}{n}x{i}" for i in range(20)) for n in range(30)]
            layer = "notebook" if tier == "task" else "knowledge"
            door = mem if tier == "global" else finn
            door.remember_many(
                [{"layer": layer, "scope": place, "text": f"heron {one}"} for one in words]
            )
        for split, expected in ((None, (0.4, 0.4, 0.2)), ("20/20/60", (0.2, 0.2, 0.6))):
            found = finn.context("heron", budget=3_000, hot=False, task="t-1", split=split)
            taken = sum(found.shares.values())
            assert tuple(found.shares[tier] / taken for tier in TIERS) == pytest.approx(
                expected, abs=0.05
            )
            assert found.tokens > 2_700
