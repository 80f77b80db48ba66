"""The promise the analyser is judged by: a word or a short piece finds its fact again."""

import pytest

from tests.core.text.bm25 import Bm25
from tests.core.text.facts import FACTS, HELD_OUT, Fact

_ALL = FACTS + HELD_OUT


@pytest.fixture(scope="module")
def index() -> Bm25:
    return Bm25([fact.text for fact in _ALL])


def _recall(index: Bm25, probes: list[tuple[int, str]]) -> float:
    found = sum(position in index.search(query) for position, query in probes)
    return found / len(probes)


def _words(facts: tuple[Fact, ...]) -> list[tuple[int, str]]:
    return [(_ALL.index(fact), fact.word) for fact in facts]


def _pieces(facts: tuple[Fact, ...]) -> list[tuple[int, str]]:
    return [(_ALL.index(fact), fact.piece) for fact in facts if fact.piece is not None]


def test_the_measure_has_the_size_it_claims() -> None:
    assert (len(FACTS), len(HELD_OUT)) == (200, 40)
    assert len(set(_ALL)) == 240
    assert all(1 <= len(piece) <= 3 for _, piece in _pieces(_ALL))


@pytest.mark.parametrize("facts", [FACTS, HELD_OUT], ids=["tuned", "held_out"])
def test_one_word_finds_its_fact_among_the_first_five(index: Bm25, facts: tuple[Fact, ...]) -> None:
    recall = _recall(index, _words(facts))
    print(f"recall@5 by word: {recall:.3f} of {len(facts)}")
    assert recall >= 0.95


@pytest.mark.parametrize("facts", [FACTS, HELD_OUT], ids=["tuned", "held_out"])
def test_a_piece_of_a_word_finds_its_fact_among_the_first_five(
    index: Bm25, facts: tuple[Fact, ...]
) -> None:
    probes = _pieces(facts)
    recall = _recall(index, probes)
    print(f"recall@5 by piece: {recall:.3f} of {len(probes)}")
    assert recall >= 0.95


def test_c_plus_plus_ranks_above_c() -> None:
    texts = ["The kernel is C. C is old, C is small.", "The parser is C++.", "The plugin is C#."]
    assert Bm25(texts).search("C++")[0] == 1
    assert Bm25(texts).search("C#")[0] == 2
