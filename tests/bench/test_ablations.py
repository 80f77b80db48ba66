"""A blinded recall lacks one signal, and everything else stays as it was."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lamina.bench.ablations import ABLATIONS, Laboratory
from lamina.bench.sets import load
from lamina.bench.telling import Told, told
from lamina.core.ranking.fusion import WEIGHTS
from lamina.results import Hit
from tests.bench.small_sets import write

ASKED = "Who watered the tomatoes by the southern wall?"


@pytest.fixture
def garden(tmp_path: Path) -> Iterator[Told]:
    (tmp_path / "data").mkdir()
    collection = load(write(tmp_path / "data"), ["garden"])[0].collections[0]
    with told(tmp_path / "store", collection, "static", lambda share: None) as store:
        yield store


def _changed(store: Told, name: str) -> Told:
    changed = {one.name: changed for one, changed in Laboratory(store).variants()}[name]
    assert changed is not None
    return changed


def _hits(store: Told, name: str, query: str = ASKED) -> dict[str, Hit]:
    changed = _changed(store, name)
    hits = changed.mem.recall(query, layers=store.layers, floor=0.0, weights=changed.weights).hits
    return {store.documents[hit.record.id]: hit for hit in hits}


def test_without_words_nothing_matches_by_a_word(garden: Told) -> None:
    assert any(hit.terms for hit in _hits(garden, "all vectors").values())
    # What is near is still found.
    near = _hits(garden, "all words")
    assert near
    assert not any(hit.terms for hit in near.values())


def test_without_vectors_only_words_and_neighbours_lead_anywhere(garden: Told) -> None:
    assert set(_hits(garden, "all vectors", "meadow mown")) == {"d4"}
    assert len(_hits(garden, "all neighbours", "meadow mown")) > 1


def test_without_times_and_speakers_records_look_alike(garden: Told) -> None:
    timeless, nameless = _hits(garden, "all times"), _hits(garden, "all speakers")
    assert {hit.record.source for hit in timeless.values()} >= {"ada-l", "user"}
    assert {hit.record.source for hit in nameless.values()} == {"user"}
    times = {(hit.record.valid_from, hit.record.created_at) for hit in timeless.values()}
    assert len(times) == 1
    assert any(hit.record.valid_from for hit in nameless.values())


def test_a_part_of_the_sum_is_left_out(garden: Told) -> None:
    whole = _hits(garden, "all neighbours")
    assert any("coverage" in hit.parts for hit in whole.values())
    less = _hits(garden, "coverage")
    assert less
    assert not any("coverage" in hit.parts for hit in less.values())
    assert any("meaning" in hit.parts for hit in less.values())
    asked = _changed(garden, "coverage").ask(ASKED, floor=0.0)
    assert asked.scores != garden.ask(ASKED, floor=0.0).scores


def test_every_part_that_is_left_out_is_one_of_the_ranking() -> None:
    assert {one.part for one in ABLATIONS if one.part} <= set(WEIGHTS)


def test_a_signal_that_no_document_has_is_not_taken_away(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    harbour = load(write(tmp_path / "data"), ["harbour"])[0].collections[0]
    with told(tmp_path / "store", harbour, "off", lambda share: None) as store:
        found = {one.name for one, changed in Laboratory(store).variants() if changed is not None}
    assert found == {"all words", "all vectors", "words", "coverage", "meaning"}
