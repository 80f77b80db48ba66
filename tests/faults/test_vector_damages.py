"""Damage to vectors costs no recall, and no record gets a vector that is not its own."""

import random
import shutil
from pathlib import Path

import pytest

from lamina import Memory
from lamina.core.text import query_terms
from lamina.embedding import Vectors
from lamina.errors import StoreError
from lamina.stores.questions import Search
from lamina.testing.embedders import FakeEmbedder
from tests.faults.damages.of_vectors import VECTORS
from tests.faults.damages.planting import Damage
from tests.faults.damages.workload import DIMENSIONS, fill, opened


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that nothing has happened to."""
    folder = tmp_path_factory.mktemp("sound") / "store"
    fill(folder, 5, steps=10)
    return folder


def cosines(mem: Memory) -> dict[str, float | None]:
    """How near each record is to a question."""
    asked = Vectors(mem.store, FakeEmbedder(DIMENSIONS)).question("heron").vector
    search = Search(reach=mem.reach, terms=query_terms("heron"), vector=asked, limit=500)
    return {match.record.id: match.cosine for match in mem.store.search(search).matches}


@pytest.mark.parametrize("damage", VECTORS, ids=lambda damage: damage.name)
def test_no_recall_fails_and_no_vector_is_wrong(
    damage: Damage, sound: Path, tmp_path: Path
) -> None:
    with opened(sound) as mem:
        right = cosines(mem)
    assert right
    shutil.copytree(sound, tmp_path / "copy")
    damage.plant(tmp_path / "copy", random.Random(1))
    with opened(tmp_path / "copy") as mem:
        mem.recall("heron")
        try:
            found = cosines(mem)
        except StoreError:
            found = {}
        wrong = {
            one: near
            for one, near in found.items()
            if near is not None and near != pytest.approx(right[one], abs=1e-4)
        }
        assert wrong == {}
        mem.remember("it can be written")
        mem.recall("heron")
