"""MiniLM in numpy against the same model written out plainly, one text and one head at a time."""

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lamina.embedders import minilm
from lamina.embedders.minilm import LONGEST, open_minilm
from lamina.embedders.protocol import Role
from lamina.errors import EmbedderError
from tests.embedders.tiny import LAYERS, WIDTH, WORDS, Arrays, write_safetensors, write_tiny_model

HEAD = 32
Row = NDArray[np.float64]
CASES = {
    "": [],
    "Deploys go out on Tuesday.": ["deploy", "##s", "go", "out", "on", "tuesday", "."],
    "The cat sat": ["[UNK]", "cat", "sat"],
    "a, abc! 5": ["a", ",", "a", "##b", "##c", "!", "5"],
    "x " * 400: ["x"] * (LONGEST - 2),
}


def _linear(arrays: Arrays, name: str, row: Row) -> Row:
    weight = arrays[f"{name}.weight"].astype(float)
    return np.array([weight[out] @ row + arrays[f"{name}.bias"][out] for out in range(len(weight))])


def _normal(arrays: Arrays, name: str, row: Row) -> Row:
    spread = math.sqrt(float(((row - row.mean()) ** 2).mean()) + 1e-12)
    plain = (row - row.mean()) / spread
    return np.asarray(plain * arrays[f"{name}.weight"] + arrays[f"{name}.bias"])


def _heard(query: Row, keys: list[Row], values: list[Row]) -> Row:
    scores = [math.exp(float(query @ key) / math.sqrt(HEAD)) for key in keys]
    parts = [value * score for value, score in zip(values, scores, strict=True)]
    return np.asarray(sum(parts) / sum(scores))


def _layer(arrays: Arrays, layer: str, rows: list[Row]) -> list[Row]:
    query, key, value = (
        [_linear(arrays, f"{layer}.attention.self.{part}", row) for row in rows]
        for part in ("query", "key", "value")
    )
    after = []
    for place, row in enumerate(rows):
        heads = [slice(start, start + HEAD) for start in range(0, WIDTH, HEAD)]
        heard = np.concatenate(
            [_heard(query[place][head], [k[head] for k in key], [v[head] for v in value])
             for head in heads]
        )  # fmt: skip
        row = row + _linear(arrays, f"{layer}.attention.output.dense", heard)
        row = _normal(arrays, f"{layer}.attention.output.LayerNorm", row)
        wide = _linear(arrays, f"{layer}.intermediate.dense", row)
        curved = np.array([x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in wide])
        row = row + _linear(arrays, f"{layer}.output.dense", curved)
        after.append(_normal(arrays, f"{layer}.output.LayerNorm", row))
    return after


def reference(arrays: Arrays, words: list[str]) -> Row:
    rows = []
    for place, word in enumerate(["[CLS]", *words, "[SEP]"]):
        row = (
            arrays["embeddings.word_embeddings.weight"][WORDS.index(word)].astype(float)
            + arrays["embeddings.position_embeddings.weight"][place]
            + arrays["embeddings.token_type_embeddings.weight"][0]
        )
        rows.append(_normal(arrays, "embeddings.LayerNorm", row))
    for layer in range(LAYERS):
        rows = _layer(arrays, f"encoder.layer.{layer}", rows)
    mean = np.mean(rows, axis=0)
    return np.asarray(mean / np.linalg.norm(mean))


def test_the_same_vectors_as_written_out_plainly(tmp_path: Path) -> None:
    arrays = write_tiny_model(tmp_path / "model")
    embedder = open_minilm(tmp_path / "model")
    rows = embedder.embed(list(CASES), Role.DOCUMENT)
    assert rows.dtype == np.float32
    assert embedder.dimensions == WIDTH
    for row, words in zip(rows, CASES.values(), strict=True):
        np.testing.assert_allclose(row, reference(arrays, words), atol=1e-5)


def test_a_text_has_the_same_vector_in_any_company(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tiny_model(tmp_path / "model")
    embedder = open_minilm(tmp_path / "model")
    texts = [" ".join(["cat"] * count) for count in (9, 1, 5, 30, 2, 30, 0)]
    together = embedder.embed(texts, Role.DOCUMENT)
    for at_once in (1, 20, 10_000):
        monkeypatch.setattr(minilm, "_AT_ONCE", at_once)
        np.testing.assert_allclose(embedder.embed(texts, Role.DOCUMENT), together, atol=1e-5)
    alone = np.concatenate([embedder.embed([text], Role.QUERY) for text in texts])
    np.testing.assert_allclose(alone, together, atol=1e-5)


def _cut(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def _without_a_layer(folder: Path) -> None:
    arrays = {"embeddings.word_embeddings.weight": np.ones((3, 3), np.float32)}
    write_safetensors(folder / "model.safetensors", arrays)


@pytest.mark.parametrize(
    "damage",
    [
        _cut,
        _without_a_layer,
        lambda folder: (folder / "model.safetensors").write_bytes(b""),
        lambda folder: (folder / "model.safetensors").write_bytes(b"\xff" * 64),
        lambda folder: (folder / "model.safetensors").write_bytes(
            (2).to_bytes(8, "little") + b"[]"
        ),
        lambda folder: (folder / "model.safetensors").unlink(),
        lambda folder: (folder / "vocab.txt").unlink(),
        lambda folder: (folder / "vocab.txt").write_text("word\n"),
    ],
)
def test_damaged_files_are_an_error_with_a_way_out(tmp_path: Path, damage: object) -> None:
    write_tiny_model(tmp_path / "model")
    assert callable(damage)
    damage(tmp_path / "model")
    with pytest.raises(EmbedderError) as caught:
        open_minilm(tmp_path / "model")
    assert caught.value.remedy
