"""An embedder may be anybody's and do anything: recall goes on, and says what it goes without."""

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import lamina
from lamina.embedders.protocol import Role
from lamina.embedding import MANY
from lamina.errors import EmbedderError
from lamina.testing import FakeEmbedder
from tests.embedders.servers import Exchange, ollama, serving, vector_of


class Sick(FakeEmbedder):
    """Raises what it is told to."""

    error: Exception | None = None
    for_documents_only = False

    def embed(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        if self.error is not None and not (self.for_documents_only and role is Role.QUERY):
            raise self.error
        return super().embed(texts, role)


@pytest.mark.parametrize(
    "error",
    [
        ConnectionError("refused"),
        TimeoutError("slow"),
        RuntimeError("out of memory; input was: 'a secret kettle'"),
        ValueError("a secret kettle"),
        MemoryError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_an_embedder_raises_costs_no_recall_and_tells_no_text(
    tmp_path: Path, error: Exception
) -> None:
    sick = Sick()
    with lamina.open(tmp_path, embedder=sick) as mem:
        mem.remember("a kettle")
        mem.recall("kettle")
        sick.error = error
        [record] = mem.query()
        mem.remember("a secret kettle")
        found = mem.recall("kettle")
        assert len(found.hits) == 2
        assert type(error).__name__ in found.degraded[0]
        assert mem.why_not(record.id, "kettle").rank
        with pytest.raises(EmbedderError) as raised:
            mem.reindex()
        told = f"{found.degraded} {raised.value} {mem.vectors().error}"
        assert type(error).__name__ in (mem.vectors().error or "")
        assert "secret" not in told
        sick.error = None
        assert mem.reindex().vectors.pending == 0


def test_the_past_is_recalled_by_words_when_its_texts_cannot_be_placed(tmp_path: Path) -> None:
    sick = Sick()
    with lamina.open(tmp_path, embedder=sick) as mem:
        first = mem.remember("a kettle on the stove", key="k").id
        mem.recall("kettle")
        then = mem.cursor()
        mem.remember("an urn instead of the kettle", key="k")
        mem.recall("kettle")
        assert not mem.recall("kettle", as_of=then).degraded
        sick.error, sick.for_documents_only = RuntimeError("no"), True
        found = mem.recall("kettle", as_of=then)
        assert [hit.record.text for hit in found.hits] == ["a kettle on the stove"]
        assert "RuntimeError" in found.degraded[0]
        assert mem.why_not(first, "kettle", as_of=then).rank == 1


class Renewed(FakeEmbedder):
    """Another model by the same name."""

    fingerprint = "model|1"


@pytest.mark.parametrize("is_local", [True, False])
def test_another_model_by_the_same_name_is_noticed_and_made_good_by_indexing_anew(
    tmp_path: Path, is_local: bool
) -> None:
    with lamina.open(tmp_path, embedder=Renewed(64, is_local=is_local)) as mem:
        mem.remember_many([{"text": f"a kettle {n}"} for n in range(5)])
        mem.reindex()
    with lamina.open(tmp_path, embedder=Renewed(32, is_local=is_local)) as mem:
        found = mem.recall("kettle 3")
        assert found.hits
        assert "other dimensions" in found.degraded[0]
        assert not mem.vectors().usable
        [told] = [one for one in mem.check() if one.check == "embedding"]
        assert "not what it makes now" in told.message
        mem.remember("a kettle since")
        assert "other dimensions" in " ".join(mem.recall("kettle 3").degraded)
        assert "other dimensions" in (mem.catch_up() or "")
        health = mem.reindex().vectors
        assert (health.made, health.pending, health.usable) == (6, 0, True)
        found = mem.recall("kettle 3")
        assert not found.degraded
        assert "meaning" in found.hits[0].parts


def test_a_model_that_is_renewed_while_a_process_runs_can_be_indexed_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wider(exchange: Exchange) -> None:
        rows = [[*vector_of(text), 1.0] for text in exchange.asked.body["input"]]
        exchange.say({"embeddings": rows})

    with serving(ollama) as service, lamina.open(tmp_path) as mem:
        monkeypatch.setenv("LAMINA_OLLAMA_URL", service.url)
        mem.configure("recall.embedder", "ollama:all-minilm")
        mem.remember("a kettle")
        mem.reindex()
        assert not mem.recall("kettle").degraded
        service.behaviours[:] = [wider]
        assert "9 dimensions after 8" in mem.recall("kettle").degraded[0]
        assert "other dimensions" in mem.recall("kettle").degraded[0]
        assert mem.reindex().vectors.usable
        assert not mem.recall("kettle").degraded


def until(is_so: Callable[[], object]) -> None:
    """Wait for the thread in the background."""
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_worker_outlives_what_an_embedder_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    died: list[object] = []
    monkeypatch.setattr(threading, "excepthook", died.append)
    sick = Sick()
    sick.error = RuntimeError("no")
    with lamina.open(tmp_path, embedder=sick) as mem:
        mem.remember_many([{"text": f"note {n}"} for n in range(MANY)])
        until(lambda: mem.vectors().error)
        sick.error = None
        until(lambda: mem.vectors().pending == 0)
    assert not died
