"""A service that never answers holds up one question and no other, and no closing."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import lamina
from lamina import Memory, embedding
from lamina.embedders import hurrying
from lamina.embedders.protocol import Role
from lamina.errors import EmbedderUnavailableError
from lamina.testing import FakeEmbedder, Fault, FaultyEmbedder
from tests.embedders.servers import Exchange, Service, ollama, opened, serving


class Mood:
    """An embedding service that answers, or not until it is let go."""

    def __init__(self) -> None:
        self.silent_for: Callable[[list[str]], bool] = lambda texts: False
        self.let_go = threading.Event()

    def __call__(self, exchange: Exchange) -> None:
        if self.silent_for(exchange.asked.body["input"]):
            self.let_go.wait(60)
        with suppress(ConnectionError):
            ollama(exchange)


@pytest.fixture
def mood() -> Iterator[Mood]:
    mood = Mood()
    yield mood
    mood.let_go.set()


@pytest.fixture
def service(mood: Mood, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    with serving(mood) as found:
        monkeypatch.setenv("LAMINA_OLLAMA_URL", found.url)
        monkeypatch.setenv("LAMINA_EMBED_TIMEOUT", "1")
        yield found
        mood.let_go.set()


@pytest.fixture
def mem(tmp_path: Path, service: Service) -> Iterator[Memory]:
    with lamina.open(tmp_path) as mem:
        mem.configure("recall.embedder", "ollama:all-minilm")
        mem.remember("a kettle on the stove", key="k")
        mem.reindex()
        assert not mem.recall("stove").degraded
        yield mem


def until(is_so: Callable[[], object]) -> None:
    """Wait for the thread in the background."""
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_one_question_waits_for_a_service_and_the_next_do_not(
    mem: Memory, service: Service, mood: Mood
) -> None:
    mood.silent_for = lambda texts: True
    for _ in range(4):
        found = mem.recall("kettle")
        assert [hit.record.text for hit in found.hits] == ["a kettle on the stove"]
        assert "did not answer" in found.degraded[0]
    [record] = mem.query()
    assert mem.why_not(record.id, "kettle").rank == 1
    assert service.texts.count(["kettle"]) == 1
    mood.silent_for = lambda texts: False
    until(lambda: not mem.recall("kettle").degraded)


def test_who_indexes_anew_has_it_asked_at_once(mem: Memory, mood: Mood) -> None:
    mood.silent_for = lambda texts: True
    assert mem.recall("kettle").degraded
    mood.silent_for = lambda texts: False
    mem.reindex()
    assert not mem.recall("kettle").degraded


def test_a_question_about_the_past_waits_once_too(
    mem: Memory, service: Service, mood: Mood
) -> None:
    then = mem.cursor()
    old = service.texts[-2]
    assert "kettle on the stove" in old[0]
    mem.remember("an urn instead of the kettle", key="k")
    mem.reindex()
    mood.silent_for = lambda texts: texts == old or texts == ["hello"]
    before = service.texts.count(old)
    for _ in range(3):
        found = mem.recall("kettle", as_of=then)
        assert [hit.record.text for hit in found.hits] == ["a kettle on the stove"]
        assert "did not answer" in found.degraded[0]
    assert service.texts.count(old) == before + 1


@pytest.mark.parametrize("role", list(Role))
def test_who_waits_for_an_answer_waits_a_moment(
    role: Role, mood: Mood, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hurrying, "SECONDS", 0.05)
    mood.silent_for = lambda texts: True
    with serving(mood) as service:
        embedder = opened("ollama:all-minilm", service, seconds=600)
        with hurrying.hurried(), pytest.raises(EmbedderUnavailableError, match=r"0\.05 seconds"):
            embedder.embed(["a kettle"], role)
        mood.let_go.set()


def test_closing_does_not_wait_for_a_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "_ENDING_SECONDS", 0.1)
    slow = FaultyEmbedder(FakeEmbedder(), Fault.SLOW)
    others = set(threading.enumerate())
    mem = lamina.open(tmp_path, embedder=slow)
    mem.remember_many([{"text": f"note {n}"} for n in range(embedding.MANY)])
    until(lambda: slow.count)
    mem.close()
    [worker] = set(threading.enumerate()) - others
    slow.release()
    worker.join()
