"""A blinded recall lacks one signal, and everything else stays as it was."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lamina.bench.ablations import ABLATIONS
from lamina.bench.sets import load
from lamina.bench.telling import Told, told
from lamina.core.record import Record
from tests.bench.small_sets import write

BY_NAME = {one.name: one for one in ABLATIONS}
ASKED = "Who watered the tomatoes by the southern wall?"


@pytest.fixture
def garden(tmp_path: Path) -> Iterator[Told]:
    (tmp_path / "data").mkdir()
    collection = load(write(tmp_path / "data"), ["garden"])[0].collections[0]
    with told(tmp_path / "store", collection, "static", lambda share: None) as store:
        yield store


def _seen(store: Told, name: str, query: str = ASKED) -> dict[str, Record]:
    blinded = BY_NAME[name].blinded(store)
    assert blinded is not None
    hits = blinded.mem.recall(query, layers=store.layers, floor=0.0).hits
    return {store.documents[hit.record.id]: hit.record for hit in hits}


def _terms(store: Told, name: str) -> set[str]:
    blinded = BY_NAME[name].blinded(store)
    assert blinded is not None
    hits = blinded.mem.recall(ASKED, layers=store.layers, floor=0.0).hits
    return {term for hit in hits for term in hit.terms}


def test_without_words_nothing_matches_by_a_word(garden: Told) -> None:
    assert _terms(garden, "vectors")
    assert not _terms(garden, "words")
    # What is near is still found.
    assert _seen(garden, "words")


def test_without_vectors_only_words_and_neighbours_lead_anywhere(garden: Told) -> None:
    garden_words = "meadow mown"
    assert set(_seen(garden, "vectors", garden_words)) == {"d4"}
    assert len(_seen(garden, "neighbours", garden_words)) > 1


def test_without_times_and_speakers_records_look_alike(garden: Told) -> None:
    assert {one.source for one in _seen(garden, "times").values()} >= {"ada-l", "user"}
    assert {one.source for one in _seen(garden, "speakers").values()} == {"user"}
    times = {(one.valid_from, one.created_at) for one in _seen(garden, "times").values()}
    assert len(times) == 1
    assert any(one.valid_from for one in _seen(garden, "speakers").values())


def test_a_signal_that_no_document_has_is_not_taken_away(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    harbour = load(write(tmp_path / "data"), ["harbour"])[0].collections[0]
    with told(tmp_path / "store", harbour, "off", lambda share: None) as store:
        found = {name: one.blinded(store) is not None for name, one in BY_NAME.items()}
    assert found == {
        "words": True, "vectors": True, "neighbours": False, "times": False, "speakers": False,
    }  # fmt: skip
