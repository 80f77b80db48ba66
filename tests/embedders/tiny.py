"""A BERT of a few thousand numbers, written as the real one is packaged."""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WIDTH = 64
LAYERS = 2
WORDS = "[PAD] [UNK] [CLS] [SEP] deploy ##s go out on tuesday , . ! cat sat 5 a ##b ##c x".split()

Arrays = dict[str, NDArray[np.float32]]


def tiny_arrays() -> Arrays:
    """Weights by the names that the real file has."""
    random = np.random.default_rng(7)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": (300, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        **_normal("embeddings.LayerNorm"),
    }
    for layer in (f"encoder.layer.{number}" for number in range(LAYERS)):
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            shapes |= _linear(f"{layer}.attention.{part}", WIDTH, WIDTH)
        shapes |= _normal(f"{layer}.attention.output.LayerNorm")
        shapes |= _linear(f"{layer}.intermediate.dense", 2 * WIDTH, WIDTH)
        shapes |= _linear(f"{layer}.output.dense", WIDTH, 2 * WIDTH)
        shapes |= _normal(f"{layer}.output.LayerNorm")
    return {
        name: random.normal(1.0 if "LayerNorm.weight" in name else 0.0, 0.3, shape).astype("<f4")
        for name, shape in shapes.items()
    }


def _linear(name: str, outwards: int, inwards: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (outwards, inwards), f"{name}.bias": (outwards,)}


def _normal(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (WIDTH,), f"{name}.bias": (WIDTH,)}


def write_tiny_model(folder: Path) -> Arrays:
    """Write the model into `folder` and return its weights."""
    folder.mkdir(parents=True)
    arrays = tiny_arrays()
    write_safetensors(folder / "model.safetensors", arrays)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return arrays


def write_safetensors(path: Path, arrays: Arrays) -> None:
    """Write arrays, and beside them one of a kind that numpy lacks."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    content = b""
    for name, array in arrays.items():
        end = len(content) + array.nbytes
        header[name] = {
            "dtype": "F32", "shape": list(array.shape), "data_offsets": [len(content), end],
        }  # fmt: skip
        content += array.tobytes()
    header["odd"] = {"dtype": "BF16", "shape": [0], "data_offsets": [len(content)] * 2}
    # The real files pad their header with blanks, so that the arrays are aligned.
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + content)
