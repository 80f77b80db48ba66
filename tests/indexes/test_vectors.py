"""Vector indexes find what a look at every vector finds, of what may be seen."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamina.indexes import looking, outlines
from lamina.indexes.file import Array
from lamina.indexes.lance import LanceSegment
from lamina.indexes.places import EVERYWHERE, Sight
from lamina.indexes.vector_index import Vectors
from lamina.indexes.vectors import VectorBatch, VectorSegment
from lamina.indexes.views import stacked
from tests.indexes.making import SCOPES, a_header, fresh, only, sights
from tests.indexes.near import (
    ENGINES,
    KIND,
    WIDTH,
    Engine,
    a_batch,
    beside,
    needs_lance,
    some_vectors,
)
from tests.scratch import scratch_folder

Batch = dict[int, int | None]
"""For each record what its vector is made of; `None` takes it away."""


def changes() -> st.SearchStrategy[list[Batch]]:
    seed = st.one_of(st.none(), st.integers(0, 9))
    return st.lists(st.dictionaries(st.integers(1, 30), seed, max_size=12), max_size=4)


def vectors_of(batch: Batch) -> VectorBatch:
    kept = {rid: seed for rid, seed in batch.items() if seed is not None}
    rows = [some_vectors(1, rid * 100 + seed)[0] for rid, seed in kept.items()]
    places = [(SCOPES[rid % len(SCOPES)], "log") for rid in kept]
    return VectorBatch(np.array([*kept], "i8"), places, np.array(rows, "f4").reshape(-1, WIDTH))


def gone_of(batch: Batch) -> list[int]:
    return [rid for rid, seed in batch.items() if seed is None]


def expected(batches: list[Batch], query: Array, sight: Sight) -> dict[int, float]:
    found: dict[int, float] = {}
    for batch in batches:
        made = vectors_of(batch)
        for rid in batch:
            found.pop(rid, None)
        for rid, place, vector in zip(made.rids.tolist(), made.places, made.vectors, strict=True):
            if sight.covers(*place):
                found[rid] = float(vector @ query)
    return found


History = tuple[list[Batch], list[Batch], Sight, int, int]
"""What lies in segments, what is newer, what is in sight, and which segments are joined."""
HISTORIES = st.tuples(changes(), changes(), sights(), st.integers(0, 3), st.integers(0, 3))


@given(HISTORIES)
def test_an_index_finds_what_a_look_at_every_vector_finds(history: History) -> None:
    finds_what_a_look_at_every_vector_finds(VectorSegment, history)


@needs_lance
@settings(max_examples=25, deadline=None)
@given(HISTORIES)
def test_tables_find_what_a_look_at_every_vector_finds(history: History) -> None:
    finds_what_a_look_at_every_vector_finds(LanceSegment, history)


def finds_what_a_look_at_every_vector_finds(engine: Engine, history: History) -> None:
    older, newer, sight, first, length = history
    kind, query = KIND[engine], some_vectors(1, 99)[0]
    with scratch_folder() as folder:
        segments: list[Any] = [
            engine.build(fresh(folder, "s"), a_header(kind, n, n + 1), [vectors_of(b)], gone_of(b))
            for n, b in enumerate(older)
        ]
        index = Vectors.of(segments)
        if chosen := stacked(segments)[first : first + length]:
            covers = (chosen[0].segment.header.lo, chosen[-1].segment.header.hi)
            merged = engine.merge(fresh(folder, "m"), a_header(kind, *covers), chosen)
            merged.file.verify()
            index = Vectors.of([*segments[:first], merged, *segments[first + len(chosen) :]])
        for batch in newer:
            index = index.changed(vectors_of(batch), gone_of(batch))
        cosines = expected([*older, *newer], query, sight)
        found = dict(index.search(query, 50, sight))
        assert found == pytest.approx(cosines, abs=0.02)
        assert len(index) == len(expected([*older, *newer], query, EVERYWHERE))
        if cosines:
            background = index.background(query, sight)
            assert background.mean == pytest.approx(np.mean([*cosines.values()]), abs=0.02)
            assert background.size == len(cosines)


@pytest.fixture
def many(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> VectorSegment:
    """As a segment of a million rows is, but smaller: it has outlines."""
    monkeypatch.setattr(outlines, "FROM", 20_000)
    path = tmp_path_factory.mktemp("many") / "many"
    batches = [a_batch([*range(at, at + 5000)], at) for at in range(1, 30_001, 5000)]
    return VectorSegment.build(path, a_header("vectors"), batches)


def exact(segment: VectorSegment, query: Array, limit: int, sight: Sight) -> set[int]:
    near = segment.rows.floats(slice(None)) @ query
    mask = segment.places.mask(sight)
    near[~mask if mask is not None else []] = -2
    return set(segment.rows.rids[np.argsort(-near)[:limit]].tolist())


@pytest.mark.parametrize("sight", [EVERYWHERE, only("project/a", "log"), only("project/ab")])
def test_outlines_lose_little(
    many: VectorSegment, sight: Sight, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "LOOKED_AT", 2000)
    monkeypatch.setattr(looking, "COMPARED", 200)
    monkeypatch.setattr(looking, "EXACT", 1000)
    index = Vectors.of([many])
    found = same = 0
    for query in beside(many.rows.floats(slice(None, None, 750))):
        best = exact(many, query, 10, sight)
        got = {rid for rid, _ in index.search(query, 10, sight)}
        found, same = found + len(got & best), same + len(best)
    assert len(many.outlines) == len(many)
    assert found >= 0.95 * same


@pytest.mark.parametrize("engine", ENGINES)
def test_a_merge_remembers_what_was_taken_away_before_it(tmp_path: Path, engine: Engine) -> None:
    batches = [[a_batch([1, 2])], [], [a_batch([3])]]
    gone: list[list[int]] = [[], [1], []]
    segments: list[Any] = [
        engine.build(tmp_path / f"{n}", a_header(KIND[engine], n, n + 1), batch, gone[n])
        for n, batch in enumerate(batches)
    ]
    assert len(Vectors.of(segments).search(some_vectors(1)[0], 9)) == 2
    views = stacked(segments)[1:]
    merged = engine.merge(tmp_path / "merged", a_header(KIND[engine], 1, 3), views)
    found = Vectors.of([segments[0], merged]).search(some_vectors(1)[0], 9)
    assert sorted(found.rids.tolist()) == [2, 3]


def test_a_merge_with_outlines_finds_old_and_new(
    many: VectorSegment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "LOOKED_AT", 1000)
    monkeypatch.setattr(looking, "EXACT", 1000)
    more = a_batch([*range(40_001, 42_001)], 5)
    small = VectorSegment.build(tmp_path / "small", a_header("vectors", 1, 2), [more], [7])
    views = stacked([many, small])
    merged = VectorSegment.merge(tmp_path / "merged", a_header("vectors", 0, 2), views)
    assert len(merged) == len(many) + len(small) - 1
    assert len(merged.outlines) == len(merged)
    index = Vectors.of([merged])
    for rid, vector in zip(more.rids[::100].tolist(), more.vectors[::100], strict=True):
        assert rid in {found for found, _ in index.search(vector, 10)}
    assert np.isnan(index.cosines(more.vectors[0], [7])).all()
    for rid in range(11, 30_000, 1000):
        old = many.rows.floats(many.positions(np.array([rid])))[0]
        assert index.cosines(old, [rid])[0] == pytest.approx(1, abs=0.01)
        assert index.search(old, 1).rids.tolist() == [rid]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_none_are_refused(value: float) -> None:
    vectors = some_vectors(2)
    vectors[1, 3] = value
    with pytest.raises(ValueError, match="finite"):
        VectorBatch(np.array([1, 2]), [("global", "log")] * 2, vectors)


def test_a_vector_of_zeros_is_near_to_nothing(tmp_path: Path) -> None:
    batch = VectorBatch(np.array([1]), [("global", "log")], np.zeros((1, WIDTH), "f4"))
    segment = VectorSegment.build(tmp_path / "zero", a_header("vectors"), [batch])
    assert Vectors.of([segment]).search(some_vectors(1)[0], 3).cosines.tolist() == [0.0]
