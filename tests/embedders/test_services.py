"""Both protocols over real sockets: what goes out and what comes back."""

import numpy as np
import pytest

from lamina.config import EmbeddingServices
from lamina.embedders.ollama import open_ollama
from lamina.embedders.openai_http import open_openai
from lamina.embedders.protocol import Role
from lamina.errors import EmbedderError
from tests.embedders import servers
from tests.embedders.servers import KEY, Behaviour, opened, over_both, serving, vector_of

OLLAMA_TOO_LONG = {"error": "the input length exceeds the context length"}
OPENAI_TOO_LONG = {"error": {"message": "This model's maximum context length is 8192 tokens"}}


def unit(text: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    row = np.array(vector_of(text))
    return np.asarray(row / np.linalg.norm(row))


@over_both
def test_vectors_come_back_in_the_order_of_the_texts(spec: str, behaviour: Behaviour) -> None:
    texts = [f"text number {number}" for number in range(150)]
    with serving(behaviour) as service:
        rows = opened(spec, service).embed(texts, Role.DOCUMENT)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, [unit(text) for text in texts], atol=1e-6)
    assert sum(service.texts, []) == texts
    assert len(service.asked) > 1


@over_both
def test_the_dimension_is_learned_from_the_service(spec: str, behaviour: Behaviour) -> None:
    with serving(behaviour) as service:
        embedder = opened(spec, service)
        assert embedder.dimensions == servers.DIMENSIONS
        assert embedder.embed([], Role.QUERY).shape == (0, servers.DIMENSIONS)
        assert len(service.asked) == 1
        assert not embedder.is_local


def test_ollama_is_asked_not_to_cut_texts_off() -> None:
    with serving(servers.ollama) as service:
        opened("ollama:plain", service).embed(["one"], Role.DOCUMENT)
    [asked] = service.asked
    assert asked.path == "/api/embed"
    assert asked.body == {"model": "plain", "input": ["one"], "truncate": False}
    assert "Authorization" not in asked.headers


def test_openai_gets_the_key_and_the_model() -> None:
    with serving(servers.openai) as service:
        opened("openai:plain", service).embed(["one"], Role.DOCUMENT)
    [asked] = service.asked
    assert asked.path == "/embeddings"
    assert asked.body == {"model": "plain", "input": ["one"]}
    assert asked.headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("spec", "document", "query"),
    [
        ("ollama:nomic-embed-text", "search_document: one", "search_query: one"),
        ("ollama:nomic-embed-text:v1.5", "search_document: one", "search_query: one"),
        ("openai:nomic-ai/nomic-embed-text-v1.5", "search_document: one", "search_query: one"),
        ("ollama:mxbai-embed-large", "one",
         "Represent this sentence for searching relevant passages: one"),
        ("ollama:snowflake-arctic-embed:33m", "one",
         "Represent this sentence for searching relevant passages: one"),
        ("ollama:snowflake-arctic-embed2", "one", "query: one"),
        ("openai:intfloat/multilingual-e5-large", "passage: one", "query: one"),
        ("openai:intfloat/multilingual-e5-large-instruct", "one", "one"),
        ("ollama:bge-m3", "one", "one"),
        ("openai:text-embedding-3-small", "one", "one"),
    ],
)  # fmt: skip
def test_models_get_their_prefixes(spec: str, document: str, query: str) -> None:
    behaviour = servers.ollama if spec.startswith("ollama") else servers.openai
    with serving(behaviour) as service:
        embedder = opened(spec, service)
        embedder.embed(["one"], Role.DOCUMENT)
        embedder.embed(["one"], Role.QUERY)
    assert service.texts == [[document], [query]]
    for sent in (document, query):
        assert sent.removesuffix("one") in embedder.fingerprint


def test_fingerprints_tell_models_and_protocols_apart() -> None:
    place = EmbeddingServices()
    prints = {open_ollama(model, place).fingerprint for model in ("a", "b", "nomic-embed-text")}
    prints.add(open_openai("a", place).fingerprint)
    assert len(prints) == 4


@pytest.mark.parametrize(
    ("spec", "behaviour", "told"),
    [
        ("ollama:nomic-embed-text", servers.ollama, OLLAMA_TOO_LONG),
        ("openai:nomic-embed-text", servers.openai, OPENAI_TOO_LONG),
    ],
    ids=["ollama", "openai"],
)
def test_a_long_text_becomes_the_mean_of_its_pieces(
    spec: str, behaviour: Behaviour, told: object
) -> None:
    long = " ".join(f"word{number}" for number in range(700))
    short = ["a short one", "another short one"]
    with serving(servers.limited(behaviour, 2000, told)) as service:
        rows = opened(spec, service).embed([short[0], long, short[1]], Role.DOCUMENT)
    prefix = "search_document: "
    np.testing.assert_allclose(rows[0], unit(prefix + short[0]), atol=1e-6)
    np.testing.assert_allclose(rows[2], unit(prefix + short[1]), atol=1e-6)
    pieces = [text.removeprefix(prefix) for text in service.texts[-2] if len(text) > 100]
    assert " ".join(pieces) == long
    mean = sum(unit(prefix + piece) * len(piece) for piece in pieces)
    np.testing.assert_allclose(rows[1], mean / np.linalg.norm(mean), atol=1e-6)


def test_a_text_that_is_too_long_even_in_pieces_is_refused() -> None:
    with (
        serving(servers.limited(servers.ollama, 10, OLLAMA_TOO_LONG)) as service,
        pytest.raises(EmbedderError, match="context length") as caught,
    ):
        opened("ollama:plain", service).embed(["word " * 2000], Role.DOCUMENT)
    assert not caught.value.retryable
    assert len(service.asked) < 10
