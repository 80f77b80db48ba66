"""What a cosine means depends on the embedder: how near it places texts with nothing in common."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

import lamina
from lamina import Memory
from lamina.config import load_services
from lamina.embedders.checking import checked
from lamina.embedders.protocol import Role
from lamina.embedders.registry import open_embedder
from lamina.embedders.spreading import nearness_of_the_unrelated
from lamina.errors import EmbedderUnavailableError
from lamina.spaces import UNRELATED
from lamina.testing import FakeEmbedder, FaultyEmbedder
from tests.embedders.servers import Exchange, ollama, serving

if TYPE_CHECKING:
    from lamina.core.draft import Draft

NOTES: "list[Draft]" = [
    {"text": f"{plant} {what} in the garden of {owner}"}
    for plant in ("roses", "tulips", "ferns", "ivy")
    for what in ("grow", "bloom", "die")
    for owner in ("Anna", "Ben", "Carl")
]
RUBBISH = "quarterly revenue forecast spreadsheet"


class Cone(FakeEmbedder):
    """Places everything near everything, as many models do."""

    takes_documents = True

    def embed(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        if not self.takes_documents and role is Role.DOCUMENT:
            raise EmbedderUnavailableError("down for a moment")
        rows = super().embed(texts, role) + np.float32(0.19)
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


def noted(mem: Memory) -> None:
    mem.remember_many(NOTES)
    mem.reindex()


@pytest.mark.parametrize("is_local", [True, False])
def test_an_embedder_that_finds_all_things_alike_makes_nothing_likely(
    tmp_path: Path, is_local: bool
) -> None:
    with lamina.open(tmp_path, embedder=Cone(256, is_local=is_local)) as mem:
        noted(mem)
        assert not mem.recall("roses in the garden of Anna").degraded
        assert mem.recall("roses in the garden of Anna").hits
        assert mem.recall(RUBBISH).abstained


def test_what_could_not_be_measured_is_asked_again_and_not_taken_for_nothing(
    tmp_path: Path,
) -> None:
    cone = Cone(256)
    with lamina.open(tmp_path, embedder=cone) as mem:
        mem.remember_many(NOTES[:3])
        mem.recall("roses")
    with lamina.open(tmp_path, embedder=cone) as mem:
        mem.store.configure(UNRELATED, "{}")
        cone.takes_documents = False
        found = mem.recall(RUBBISH)
        assert found.abstained
        assert "down for a moment" in found.degraded[0]
        cone.takes_documents = True
        found = mem.recall("roses bloom")
        assert not found.degraded
        assert "meaning" in found.hits[0].parts
        assert mem.recall(RUBBISH).abstained


def test_a_service_that_was_never_measured_counts_for_nothing_until_it_is(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder=Cone(256, is_local=False)) as mem:
        noted(mem)
    down = FaultyEmbedder(Cone(256), chokes_on="invoice")
    with lamina.open(tmp_path, embedder=down) as mem:
        mem.store.configure(UNRELATED, "not even JSON")
        found = mem.recall(RUBBISH)
        assert found.abstained
        assert "not known yet" in found.degraded[0]
        mem.reindex()
        assert not mem.recall("roses").degraded


def test_what_was_measured_is_kept_for_the_next_process(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder=Cone(256)) as mem:
        noted(mem)
    again = Cone(256)
    with lamina.open(tmp_path, embedder=again) as mem:
        assert not mem.recall("roses").degraded
        assert again.calls == [(("roses",), Role.QUERY)]


def test_our_own_embedder_is_the_zero_and_its_kin_lie_near_it() -> None:
    for spec, most in (("lamina", 0.005), ("static", 0.06)):
        embedder = open_embedder(spec, load_services())
        assert embedder is not None
        near = nearness_of_the_unrelated(embedder)
        assert near is not None
        assert abs(near) < most


def test_a_narrow_cone_is_seen_as_one_even_if_some_texts_are_refused() -> None:
    faulty = FaultyEmbedder(Cone(256), refuses="invoice")
    near = nearness_of_the_unrelated(checked(faulty))
    assert near is not None
    assert 0.5 < near < 0.95
    assert nearness_of_the_unrelated(checked(FaultyEmbedder(Cone(), refuses=" "))) is None


QUESTIONS = {
    "how do we heat up water for a hot drink": "The kettle boils water for tea every morning",
    "what is the name of our pet": "Our dog is called Bruno and loves long walks",
}


def test_the_old_vectors_are_read_by_their_own_measure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stuck(exchange: Exchange) -> None:
        """Places everything in one cone, and cannot take what is in the store."""
        if any("kettle" in text for text in exchange.asked.body["input"]):
            exchange.say({"error": "not now"}, 500)
        else:
            ollama(exchange)

    with serving(stuck) as service, lamina.open(tmp_path) as mem:
        monkeypatch.setenv("LAMINA_OLLAMA_URL", service.url)
        mem.configure("recall.embedder", "static")
        mem.remember_many([{"text": text} for text in QUESTIONS.values()])
        mem.remember_many([{"text": f"kettle {n} in the catalogue of supplies"} for n in range(9)])
        mem.reindex()
        before = [score(mem, query) for query in QUESTIONS]
        mem.configure("recall.embedder", "ollama:all-minilm")
        mem.reindex()
        assert mem.vectors().next_space == "ollama:all-minilm|1"
        assert [score(mem, query) for query in QUESTIONS] == before


def score(mem: Memory, query: str) -> float:
    """How likely the answer to a question is."""
    [hit] = [hit for hit in mem.recall(query).hits if hit.record.text == QUESTIONS[query]]
    return hit.score
