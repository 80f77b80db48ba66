"""Recall as a user meets it: ten languages, identifiers, pieces of words."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from lamina import Memory
from tests.core.text.facts import FACTS, HELD_OUT, Fact
from tests.places import STORES, where

MADE_BY = {"words alone": "off", "words and meaning": "lamina"}


@pytest.fixture(scope="module", params=[(store, by) for store in STORES for by in MADE_BY])
def known(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Memory]:
    """All facts, in every store in turn."""
    store, made_by = request.param
    folder: Path = tmp_path_factory.mktemp("words")
    with lamina.open(where(store, folder / "store")) as mem:
        mem.configure("recall.embedder", MADE_BY[made_by])
        mem.remember_many([{"text": fact.text} for fact in FACTS + HELD_OUT])
        mem.reindex()
        yield mem


def recall_at_5(mem: Memory, probes: list[tuple[str, str]]) -> float:
    found = sum(
        text in [hit.record.text for hit in mem.recall(query, k=5).hits] for text, query in probes
    )
    return found / len(probes)


def test_the_measure_has_the_size_it_claims() -> None:
    assert (len(FACTS), len(HELD_OUT)) == (200, 40)
    assert len({fact.text for fact in FACTS + HELD_OUT}) == 240


@pytest.mark.parametrize("facts", [FACTS, HELD_OUT], ids=["tuned", "held_out"])
def test_one_word_finds_its_fact_among_the_first_five(
    known: Memory, facts: tuple[Fact, ...]
) -> None:
    recall = recall_at_5(known, [(fact.text, fact.word) for fact in facts])
    print(f"recall@5 by word: {recall:.3f} of {len(facts)}")
    assert recall >= 0.95


@pytest.mark.parametrize("facts", [FACTS, HELD_OUT], ids=["tuned", "held_out"])
def test_a_piece_of_a_word_finds_its_fact_among_the_first_five(
    known: Memory, facts: tuple[Fact, ...]
) -> None:
    probes = [(fact.text, fact.piece) for fact in facts if fact.piece is not None]
    recall = recall_at_5(known, probes)
    print(f"recall@5 by piece: {recall:.3f} of {len(probes)}")
    assert recall >= 0.95


def test_a_named_language_ranks_above_its_letter(tmp_path: Path) -> None:
    texts = ["The kernel is C. C is old, C is small.", "The parser is C++.", "The plugin is C#."]
    with lamina.open(tmp_path) as mem:
        mem.remember_many([{"text": text} for text in texts])
        assert mem.recall("C++").hits[0].record.text == texts[1]
        assert mem.recall("C#").hits[0].record.text == texts[2]
