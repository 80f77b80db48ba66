"""Segments, overlays and merges answer as a plain look at every document does."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core.bm25 import Statistics
from lamina.core.text import Term
from lamina.indexes.overlay import Overlay
from lamina.indexes.places import EVERYWHERE, Sight
from lamina.indexes.postings import WordDoc
from lamina.indexes.word_index import WordIndex
from lamina.indexes.words import WordSegment
from tests.indexes import naive
from tests.indexes.making import (
    a_doc,
    a_header,
    documents,
    fresh,
    living,
    only,
    queries,
    sights,
    statistics,
)
from tests.scratch import scratch_folder

Batch = dict[int, WordDoc | None]


def batches() -> st.SearchStrategy[list[Batch]]:
    change = documents().flatmap(
        lambda doc: st.sampled_from([(doc.rid, doc), (doc.rid, doc), (doc.rid, None)])
    )
    return st.lists(st.lists(change, max_size=8).map(dict), max_size=4)


def segment_of(folder: Path, number: int, batch: Batch) -> WordSegment:
    docs = [doc for doc in batch.values() if doc]
    gone = [rid for rid, doc in batch.items() if doc is None]
    path = fresh(folder, "segment")
    return WordSegment.build(path, a_header(lo=number, hi=number + 1), docs, gone)


def index_of(folder: Path, changes: list[Batch], newest: Batch) -> WordIndex:
    segments = [segment_of(folder, number, batch) for number, batch in enumerate(changes)]
    drop = [rid for rid, doc in newest.items() if doc is None]
    overlay = Overlay().changed([doc for doc in newest.values() if doc], drop)
    return WordIndex.of(segments, overlay)


def answers(
    index: WordIndex, docs: dict[int, WordDoc], terms: list[Term], sight: tuple[Sight, Sight]
) -> list[tuple[int, float]]:
    ranking = index.rank(terms, statistics(docs.values()), *sight)
    return [pair for batch in ranking.batches(first=2) for pair in batch]


@given(batches(), batches(), queries(), sights(), sights())
def test_an_index_answers_like_a_look_at_every_document(
    changes: list[Batch], newer: list[Batch], terms: list[Term], visible: Sight, eligible: Sight
) -> None:
    newest = {rid: doc for batch in newer for rid, doc in batch.items()}
    docs = living([*changes, newest])
    with scratch_folder() as folder:
        index = index_of(folder, changes, newest)
        assert len(index) == len(docs)
        lengths = [len(doc.tokens) for doc in docs.values() if visible.covers(doc.scope, doc.layer)]
        seen = Statistics.of(sum(map(bool, lengths)), sum(lengths))
        assert index.counted(visible) == seen
        expected = naive.scores(docs.values(), terms, visible, eligible)
        assert answers(index, docs, terms, (visible, eligible)) == expected


@given(batches(), queries(), sights(), st.integers(0, 3), st.integers(1, 4))
def test_merged_segments_answer_like_those_they_were_made_of(
    changes: list[Batch], terms: list[Term], visible: Sight, first: int, length: int
) -> None:
    docs = living(changes)
    with scratch_folder() as folder:
        index = index_of(folder, changes, {})
        chosen = index.views[first : first + length]
        if chosen:
            header = a_header(lo=chosen[0].segment.header.lo, hi=chosen[-1].segment.header.hi)
            merged = WordSegment.merge(fresh(folder, "merged"), header, chosen)
            others = [view.segment for view in index.views if view not in chosen]
            index = WordIndex.of([*others, merged])
            merged.file.verify()
        expected = naive.scores(docs.values(), terms, visible)
        assert answers(index, docs, terms, (visible, EVERYWHERE)) == expected


@given(batches(), batches(), queries())
def test_a_change_leaves_the_index_before_it_as_it_was(
    changes: list[Batch], newer: list[Batch], terms: list[Term]
) -> None:
    with scratch_folder() as folder:
        index = index_of(folder, changes, {})
        before = answers(index, living(changes), terms, (EVERYWHERE, EVERYWHERE))
        later = index
        for batch in newer:
            drop = [rid for rid, doc in batch.items() if doc is None]
            later = later.changed([doc for doc in batch.values() if doc], drop)
        docs = living([*changes, *newer])
        assert answers(later, docs, terms, (EVERYWHERE, EVERYWHERE)) == naive.scores(
            docs.values(), terms
        )
        assert answers(index, living(changes), terms, (EVERYWHERE, EVERYWHERE)) == before


@given(batches(), batches(), queries())
def test_the_gains_of_a_record_add_up_to_its_score(
    changes: list[Batch], newer: list[Batch], terms: list[Term]
) -> None:
    newest = {rid: doc for batch in newer for rid, doc in batch.items()}
    docs = living([*changes, newest])
    with scratch_folder() as folder:
        ranking = index_of(folder, changes, newest).rank(terms, statistics(docs.values()))
        expected = dict(naive.scores(docs.values(), terms))
        for rid, gains in zip(range(1, 13), ranking.gains(range(1, 13)), strict=True):
            assert sum(gains.values()) == pytest.approx(expected.get(rid, 0.0), abs=2e-9)
            assert gains.keys() <= set(docs[rid].tokens if rid in docs else ())


def test_common_words_change_no_answer_when_they_are_looked_up_late(tmp_path: Path) -> None:
    # Enough documents that the word which all of them hold is looked up in the candidates alone.
    generator = np.random.default_rng(7)
    docs = [
        a_doc(rid, " ".join(["all", *(f"w{n}" for n in generator.zipf(1.3, 12) if n < 400)]))
        for rid in range(1, 3001)
    ]
    index = WordIndex.of([WordSegment.build(tmp_path / "one", a_header(), docs)])
    for words in ("w1 all", "w37 w5 all", "w399 w2 w1 all", "all", "w3 w4 w5", "w8 w9 w11 w12"):
        terms = [Term(word, 1.0, expand=False) for word in words.split()]
        expected = naive.scores(docs, terms)
        for limit in (1, 7, 40):
            assert list(index.rank(terms, statistics(docs)).best(limit)) == expected[:limit]


@pytest.mark.parametrize("seed", range(12))
def test_words_are_left_for_later_only_when_they_cannot_matter(seed: int, tmp_path: Path) -> None:
    # Nothing is said of the rare word but that: documents with the others overtake it.
    generator = np.random.default_rng(seed)
    docs = []
    for rid in range(1, 121):
        rare = generator.random() < 0.2
        words = generator.choice(["b", "c", "d", "e"], generator.integers(1, 8)).tolist()
        docs.append(a_doc(rid, "a" + " x" * (rid % 9) if rare else " ".join(words)))
    index = WordIndex.of([WordSegment.build(tmp_path / "one", a_header(), docs)])
    terms = [Term(word, 1.0, expand=False) for word in "abcd"]
    for limit in (1, 3, 10):
        found = list(index.rank(terms, statistics(docs)).best(limit))
        assert found == naive.scores(docs, terms)[:limit]


def test_documents_of_great_length_keep_their_exact_frequencies(tmp_path: Path) -> None:
    docs = [a_doc(n, "x " * (n * 300) + "y " * n) for n in range(1, 301, 7)]
    index = WordIndex.of([WordSegment.build(tmp_path / "one", a_header(), docs)])
    terms = [Term("x", 1.0, expand=False), Term("y", 1.0, expand=False)]
    found = list(index.rank(terms, statistics(docs)).best(100))
    assert found == naive.scores(docs, terms)


def test_words_beyond_sight_do_not_exist(tmp_path: Path) -> None:
    docs = [a_doc(1, "apple pie"), a_doc(2, "apple cider", "project/b"), a_doc(3, "applet")]
    index = WordIndex.of([WordSegment.build(tmp_path / "one", a_header(), docs)])
    assert index.count("cider", only("project/a")) == 0
    cider = [Term("cid", 1.0, expand=True)]
    assert list(index.rank(cider, Statistics(3, 2.0), only("project/a")).best(9)) == []
    assert list(index.rank(cider, Statistics(3, 2.0)).best(9)) != []


def test_a_merge_forgets_the_words_of_what_is_dead(tmp_path: Path) -> None:
    old = WordSegment.build(tmp_path / "old", a_header(hi=1), [a_doc(1, "password hunter2")])
    new = WordSegment.build(tmp_path / "new", a_header(lo=1, hi=2), [a_doc(1, "harmless")])
    index = WordIndex.of([old, new])
    WordSegment.merge(tmp_path / "both", a_header(hi=2), index.views)
    assert b"hunter2" in (tmp_path / "old").read_bytes()
    assert b"hunter2" not in (tmp_path / "both").read_bytes()
    assert b"harmless" in (tmp_path / "both").read_bytes()


def test_a_merge_remembers_what_was_taken_away_before_it(tmp_path: Path) -> None:
    oldest = WordSegment.build(tmp_path / "a", a_header(hi=1), [a_doc(1, "old"), a_doc(2, "old")])
    drops = WordSegment.build(tmp_path / "b", a_header(lo=1, hi=2), [], gone=[1])
    newest = WordSegment.build(tmp_path / "c", a_header(lo=2, hi=3), [a_doc(3, "new")])
    views = WordIndex.of([oldest, drops, newest]).views[1:]
    merged = WordSegment.merge(tmp_path / "d", a_header(lo=1, hi=3), views)
    assert WordIndex.of([oldest, merged]).count("old") == 1


def test_a_piece_is_not_found_across_two_words(tmp_path: Path) -> None:
    docs = [a_doc(1, "ab cd ef bcd xbc")]
    vocabulary = WordSegment.build(tmp_path / "one", a_header(), docs).words.vocabulary
    assert [vocabulary[number] for number in vocabulary.holding("bc")] == ["bcd", "xbc"]
    # The words lie side by side in this order: ab bcd cd ef xbc.
    for piece in ("bb", "de", "cdef", "xbcd"):
        assert vocabulary.holding(piece).tolist() == []


def test_a_record_is_in_a_segment_once(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="once"):
        WordSegment.build(tmp_path / "twice", a_header(), [a_doc(1, "a"), a_doc(1, "b")])
