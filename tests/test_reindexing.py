"""Indexing anew by several processes at once: the work is done once, and nobody waits in vain."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice, pairwise
from pathlib import Path

import pytest

import lamina
from lamina import backlog
from lamina.embedding import DUTY
from lamina.testing import FakeEmbedder
from tests.embedders.servers import Exchange, Service, ollama, serving
from tests.meta.children import environment

TEXTS = [f"note number {n}" for n in range(150)]
CHILD = """
import sys
import lamina
with lamina.open(sys.argv[1]) as mem:
    mem.reindex(on_progress=lambda share: print(share, flush=True))
"""


class Gate:
    """An embedding service that keeps the first batch of records waiting."""

    def __init__(self) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()

    def __call__(self, exchange: Exchange) -> None:
        if exchange.asked.body["input"][0] in TEXTS and not self.entered.is_set():
            self.entered.set()
            self.opened.wait(40)
        # Whoever asked may have been killed.
        with suppress(ConnectionError):
            ollama(exchange)


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.opened.set()


@pytest.fixture
def service(gate: Gate) -> Iterator[Service]:
    with serving(gate) as found:
        yield found


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Texts that wait for an embedder."""
    with lamina.open(tmp_path / "store") as mem:
        mem.configure("recall.embedder", "off")
        mem.remember_many([{"text": text} for text in TEXTS])
        mem.configure("recall.embedder", "ollama:all-minilm")
    return tmp_path / "store"


def reindexing(store: Path, service: Service) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(store)], stdout=subprocess.PIPE, text=True,
        env=environment(LAMINA_OLLAMA_URL=service.url),
    )  # fmt: skip


def told(child: "subprocess.Popen[str]", number: int | None = None) -> list[float]:
    """The next shares that a child says are done, or all there are to come."""
    assert child.stdout is not None
    return [float(line) for line in islice(child.stdout, number)]


def test_two_that_index_anew_at_once_embed_each_text_once(
    store: Path, service: Service, gate: Gate
) -> None:
    with reindexing(store, service) as first:
        assert gate.entered.wait(30)
        with reindexing(store, service) as second:
            # It has seen to the words, and sees nothing of the vectors get done.
            shares = told(second, 4)
            gate.opened.set()
            shares += told(second)
            told(first)
    assert (first.returncode, second.returncode) == (0, 0)
    embedded = [text for batch in service.texts for text in batch if text in TEXTS]
    assert sorted(embedded) == sorted(TEXTS)
    assert all(earlier <= later for earlier, later in pairwise(shares))
    assert shares[-1] == 1


def test_one_that_is_killed_leaves_the_work_to_the_other(
    store: Path, service: Service, gate: Gate
) -> None:
    with reindexing(store, service) as first:
        assert gate.entered.wait(30)
        with reindexing(store, service) as second:
            told(second, 4)
            first.kill()
            told(second)
    assert second.returncode == 0
    with lamina.open(store) as mem:
        assert mem.store.progress(mem.store.spaces()[0]).made == len(TEXTS)


def test_one_that_stands_still_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "_STANDSTILL_SECONDS", 0.1)
    with lamina.open(tmp_path, embedder=FakeEmbedder()) as mem:
        mem.remember("a kettle")
        with mem.store.duty(DUTY) as is_ours:
            assert is_ours
            assert mem.reindex().vectors.made == 1


def test_nothing_left_to_do_is_not_waited_for(tmp_path: Path) -> None:
    with lamina.open(tmp_path, embedder=FakeEmbedder()) as mem:
        mem.remember("a kettle")
        mem.reindex()
        with mem.store.duty(DUTY) as is_ours:
            assert is_ours
            assert mem.reindex().vectors.pending == 0
