"""Every engine for vectors keeps the same promises."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from lamina.errors import IndexDamagedError
from lamina.indexes import tables
from lamina.indexes.base import VectorIndex
from lamina.indexes.lance import LanceSegment
from lamina.indexes.vector_index import LiveVectors, Vectors
from lamina.indexes.vectors import VectorBatch, VectorSegment
from tests.indexes.making import a_header, fresh, only
from tests.indexes.near import KIND, Engine, a_batch, needs_lance, some_vectors


class VectorIndexContract:
    """What every engine behind the protocol promises."""

    def test_the_nearest_come_first_and_are_in_sight(self, index: VectorIndex) -> None:
        batch = a_batch([*range(1, 201)])
        index.add(batch)
        query = batch.vectors[41]
        sight = only("project/a/task", "knowledge")
        seen = [n for n, place in enumerate(batch.places) if sight.covers(*place)]
        best = sorted(seen, key=lambda n: -float(batch.vectors[n] @ query))
        found = index.search(query, 10, sight)
        assert found.rids.tolist() == batch.rids[best[:10]].tolist()
        assert found.cosines == pytest.approx(batch.vectors[best[:10]] @ query, abs=0.01)

    def test_a_vector_takes_the_place_of_the_one_before(self, index: VectorIndex) -> None:
        index.add(a_batch([1, 2, 3], 1))
        newer = a_batch([2], 50)
        index.add(newer)
        assert len(index) == 3
        assert index.cosines(newer.vectors[0], [2])[0] == pytest.approx(1, abs=0.01)

    def test_cosines_come_in_the_order_asked_for(self, index: VectorIndex) -> None:
        batch = a_batch([*range(1, 31)])
        index.add(batch)
        asked = [17, 3, 29, 99, 3]
        near = index.cosines(batch.vectors[2], asked)
        for rid, cosine in zip(asked, near.tolist(), strict=True):
            right = float("nan") if rid == 99 else float(batch.vectors[rid - 1] @ batch.vectors[2])
            assert cosine == pytest.approx(right, abs=0.01, nan_ok=True)

    def test_what_was_dropped_is_not_found(self, index: VectorIndex) -> None:
        batch = a_batch([1, 2, 3])
        index.add(batch)
        index.drop([2, 99])
        assert len(index) == 2
        assert {rid for rid, _ in index.search(batch.vectors[1], 9)} == {1, 3}
        assert np.isnan(index.cosines(batch.vectors[1], [2, 99])).all()

    def test_among_equals_the_newest_are_taken(self, index: VectorIndex) -> None:
        batch = a_batch([*range(1, 101)])
        alike = np.repeat(batch.vectors[:1], 100, axis=0)
        index.add(VectorBatch(batch.rids, batch.places, alike))
        index.drop([97, 98])
        assert index.search(alike[0], 4).rids.tolist() == [100, 99, 96, 95]

    def test_names_are_not_read_as_conditions(self, index: VectorIndex) -> None:
        names = ["project/it's", "project/it_s", "project/it's/task/a", "project/its", "x' or '1"]
        rows = some_vectors(len(names))
        rids = np.arange(1, len(names) + 1)
        index.add(VectorBatch(rids, [(name, "log") for name in names], rows))
        for name, seen in (("project/it's", {1, 3}), ("project/it_s", {2}), ("x' or '1", {5})):
            assert set(index.search(rows[0], 9, only(name)).rids.tolist()) == seen

    def test_an_empty_index_finds_nothing(self, index: VectorIndex) -> None:
        query = some_vectors(1)[0]
        assert len(index) == 0
        assert list(index.search(query, 5)) == []
        assert np.isnan(index.cosines(query, [1])).all()
        assert index.background(query).size == 0

    def test_the_background_is_of_what_is_in_sight(self, index: VectorIndex) -> None:
        batch = a_batch([*range(1, 401)])
        index.add(batch)
        query, sight = some_vectors(1, 9)[0], only("project/ab")
        seen = [n for n, place in enumerate(batch.places) if sight.covers(*place)]
        near = batch.vectors[seen] @ query
        background = index.background(query, sight)
        assert background.mean == pytest.approx(near.mean(), abs=0.01)
        assert background.size == len(seen)


class TestOverlay(VectorIndexContract):
    @pytest.fixture
    def index(self) -> Iterator[VectorIndex]:
        index = LiveVectors()
        yield index
        index.close()


class Folded(LiveVectors):
    """One that makes a segment of every change."""

    def __init__(self, folder: Path, engine: Engine) -> None:
        super().__init__()
        self._folder = folder
        self._engine = engine

    def add(self, batch: VectorBatch) -> None:
        super().add(batch)
        self._fold()

    def drop(self, rids: Iterable[int]) -> None:
        super().drop(rids)
        self._fold()

    def _fold(self) -> None:
        views, overlay = self.now.views, self.now.overlay
        header = a_header(KIND[self._engine], len(views), len(views) + 1)
        path = fresh(self._folder, "segment")
        newest = self._engine.build(path, header, [overlay.batch()], overlay.gone)
        self.now = Vectors.of([*(view.segment for view in views), newest])


class TestSegments(VectorIndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> VectorIndex:
        return Folded(tmp_path, VectorSegment)


@needs_lance
class TestLance(VectorIndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> VectorIndex:
        return Folded(tmp_path, LanceSegment)

    def test_every_changed_byte_of_a_table_is_found(self, tmp_path: Path) -> None:
        path = tmp_path / "segment"
        LanceSegment.build(path, a_header("lance"), [a_batch([*range(1, 9)])])
        for part in (one for one in tables.beside(path).rglob("*") if one.is_file()):
            whole = part.read_bytes()
            for at in range(0, len(whole), 7):
                part.write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :])
                with pytest.raises(IndexDamagedError, match="segment"):
                    LanceSegment.open(path).file.verify()
            part.write_bytes(whole)
        LanceSegment.open(path).file.verify()
