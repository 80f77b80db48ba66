"""The bundled embedders: what they promise of every vector, and that the numbers are right."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lamina.embedders.bundle import FILE, Bundle, bundled, read
from lamina.embedders.native import NativeEmbedder, StaticEmbedder
from lamina.embedders.protocol import Embedder, Role
from lamina.errors import EmbedderError

Floats = NDArray[np.float32]

DOCUMENTS = [
    "Maya: we adopted a puppy from the shelter last weekend",
    "The deploy failed because the database ran out of disk space",
    "I am allergic to peanuts, so no satay for me please",
    "def read_lines(path): return open(path).read().splitlines()",
    "The dentist moved my appointment to the fourth of June",
    "Grandma taught me how to bake bread with olives and rosemary",
]
QUESTIONS = {
    "Which animal does Maya have now?": 0,
    "why did the release break?": 1,
    "food that I must not eat": 2,
    "load all lines of a text file in python": 3,
    "when do I have to go to the dentist?": 4,
}


@pytest.fixture(params=[NativeEmbedder, StaticEmbedder])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    made: Embedder = request.param()
    return made


def vectors(embedder: Embedder, texts: list[str], role: Role = Role.DOCUMENT) -> Floats:
    return embedder.embed(texts, role)


def test_a_question_finds_what_answers_it(embedder: Embedder) -> None:
    documents = vectors(embedder, DOCUMENTS)
    questions = vectors(embedder, list(QUESTIONS), Role.QUERY)
    assert (questions @ documents.T).argmax(axis=1).tolist() == list(QUESTIONS.values())


def test_rows_do_not_depend_on_their_company(embedder: Embedder) -> None:
    texts = [text * times for times in (1, 2, 7) for text in DOCUMENTS] + ["", "a", "中文"]
    together = vectors(embedder, texts)
    alone = np.concatenate([vectors(embedder, [text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_no_texts_make_no_rows(embedder: Embedder) -> None:
    assert vectors(embedder, []).shape == (0, embedder.dimensions)


@given(st.lists(st.text(max_size=40), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_every_text_has_a_vector_of_unit_length(texts: list[str]) -> None:
    for embedder in (NativeEmbedder(), StaticEmbedder()):
        rows = vectors(embedder, texts)
        assert rows.dtype == np.float32
        assert rows.shape == (len(texts), embedder.dimensions)
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_only_the_beginning_of_a_long_text_counts(embedder: Embedder) -> None:
    short, long = "all work and no play " * 60, "all work and no play " * 60 + "zebra"
    assert vectors(embedder, [short]).tolist() == vectors(embedder, [long]).tolist()


def test_order_matters_to_the_transformer_alone() -> None:
    texts = ["the dog bit the man", "the man bit the dog"]
    one, other = vectors(NativeEmbedder(), texts)
    assert float(one @ other) < 0.999
    one, other = vectors(StaticEmbedder(), texts)
    np.testing.assert_allclose(one, other, atol=1e-6)


def test_the_rows_are_those_of_the_plain_formula() -> None:
    bundle = bundled()
    for text in DOCUMENTS:
        whole = _by_the_book(bundle, text) + 0.5 * _sum_by_the_book(bundle, text)
        expected = whole / np.linalg.norm(whole)
        np.testing.assert_allclose(vectors(NativeEmbedder(), [text])[0], expected, atol=1e-5)
        summed = _sum_by_the_book(bundle, text)
        np.testing.assert_allclose(vectors(StaticEmbedder(), [text])[0], summed, atol=1e-5)


def _normal(state: Floats) -> Floats:
    normal: Floats = state / np.sqrt((state**2).mean(axis=-1, keepdims=True) + 1e-6)
    return normal


def _softmax(values: Floats) -> Floats:
    powers: Floats = np.exp(values) / np.exp(values).sum(axis=-1, keepdims=True)
    return powers


def _by_the_book(bundle: Bundle, text: str) -> Floats:
    """One text, one head at a time."""
    numbers = np.array(bundle.pieces.encode(text, 256))
    state = bundle.table[numbers] * bundle.scales[numbers, None] + bundle.positions[: len(numbers)]
    for layer in bundle.layers:
        query, key, value = np.split(_normal(state) @ layer.attend, 3, axis=1)
        heads = [
            _softmax(q @ k.T) @ v
            for q, k, v in zip(
                *(np.split(part, bundle.heads, axis=1) for part in (query, key, value)), strict=True
            )
        ]
        state = state + np.concatenate(heads, axis=1) @ layer.merge
        state = state + np.maximum(_normal(state) @ layer.widen, 0) ** 2 @ layer.narrow
    state = _normal(state)
    row = _softmax(state @ bundle.pool) @ state @ bundle.leave
    unit: Floats = row / np.linalg.norm(row)
    return unit


def _sum_by_the_book(bundle: Bundle, text: str) -> Floats:
    numbers = bundle.pieces.encode(text, 256)[1:-1]
    rows = [bundle.table[n] * bundle.static_weights[n] for n in numbers]
    row = np.sum(rows, axis=0) @ bundle.static_leave
    unit: Floats = row / np.linalg.norm(row)
    return unit


def test_the_fingerprint_is_that_of_the_bytes(tmp_path: Path) -> None:
    other = tmp_path / "other.npz"
    with np.load(FILE) as stored:
        arrays = {name: stored[name] for name in stored.files}
    arrays["pool"] = arrays["pool"] * 2
    np.savez(other, **arrays)
    prints = {
        NativeEmbedder().fingerprint,
        NativeEmbedder(read(other)).fingerprint,
        StaticEmbedder().fingerprint,
        StaticEmbedder(read(other)).fingerprint,
    }
    assert len(prints) == 4
    assert NativeEmbedder(read(FILE)).fingerprint == NativeEmbedder().fingerprint


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 half a file", None])
def test_broken_weights_are_told(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "weights.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(EmbedderError, match="weights cannot be read"):
        read(path)


def test_the_file_is_small_enough_to_come_along() -> None:
    assert FILE.stat().st_size < 15_000_000
