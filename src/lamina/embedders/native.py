"""The embedder that comes with Lamina: a small transformer in numpy, and its token table alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lamina.embedders.batching import in_batches
from lamina.embedders.wordpiece import WordPiece
from lamina.errors import EmbedderError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lamina.embedders.protocol import Role

    Floats = NDArray[np.float32]

_FOLDER: Final = Path(__file__).parent / "weights"
_LONGEST: Final = 128
_AT_ONCE: Final = 1024


@cache
def _weights() -> dict[str, Floats]:
    try:
        with np.load(_FOLDER / "lamina-embed.npz") as stored:
            arrays: dict[str, NDArray[Any]] = {name: stored[name] for name in stored.files}
    except (OSError, ValueError) as error:
        raise EmbedderError(
            f"Lamina's own weights cannot be read: {error!s:.100}", remedy="Install Lamina again"
        ) from None
    return {
        name: array.astype(np.float32) if array.dtype == np.float16 else array
        for name, array in arrays.items()
    }


@cache
def _pieces() -> WordPiece:
    return WordPiece((_FOLDER / "vocab.txt").read_text(encoding="utf-8").split("\n"))


class NativeEmbedder:
    """Three layers of 256; a text is the weighted mean of its pieces."""

    def __init__(self) -> None:
        self._weights = _weights()
        self._width, self._layers, self._heads, _, self._out = (
            int(number) for number in self._weights["cfg"]
        )

    @property
    def fingerprint(self) -> str:
        return f"lamina-embed-candidate|1|{self.dimensions}"

    @property
    def dimensions(self) -> int:
        return self._out

    @property
    def is_local(self) -> bool:
        return True

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        numbers = [_pieces().encode(text, _LONGEST) for text in texts]
        return in_batches(numbers, self._forward, dimensions=self._out, at_once=_AT_ONCE)

    def _forward(self, pieces: NDArray[np.intp], mask: NDArray[np.bool_]) -> Floats:
        table, scale = self._weights["emb.q"], self._weights["emb.s"]
        state = table[pieces] * scale[pieces] + self._weights["pos.weight"][: pieces.shape[1]]
        absent = np.where(mask, np.float32(0), np.float32(-1e4))
        for layer in range(self._layers):
            heard = self._attention(self._normal(state, f"blocks.{layer}.n1"), absent, layer)
            state = state + self._linear(heard, f"blocks.{layer}.o")
            wide = self._linear(self._normal(state, f"blocks.{layer}.n2"), f"blocks.{layer}.u")
            state += self._linear(_gelu(wide), f"blocks.{layer}.d")
        state = self._normal(state, "nf")
        weight = _softmax((state @ self._weights["w.weight"].T)[..., 0] + absent)
        rows: Floats = (state * weight[..., None]).sum(axis=1) @ self._weights["out.weight"].T
        unit: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def _attention(self, state: Floats, absent: Floats, layer: int) -> Floats:
        texts, length, width = state.shape
        size = width // self._heads
        parts = self._linear(state, f"blocks.{layer}.qkv").reshape(
            texts, length, 3, self._heads, size
        )
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        scores = query @ key.transpose(0, 1, 3, 2) * np.float32(size**-0.5)
        heard: Floats = _softmax(scores + absent[:, None, None, :]) @ value
        return heard.transpose(0, 2, 1, 3).reshape(texts, length, width)

    def _linear(self, state: Floats, name: str) -> Floats:
        flat: Floats = state.reshape(-1, state.shape[-1]) @ self._weights[f"{name}.weight"].T
        flat += self._weights[f"{name}.bias"]
        return flat.reshape(*state.shape[:-1], -1)

    def _normal(self, state: Floats, name: str) -> Floats:
        state = state - state.mean(axis=-1, keepdims=True)
        state /= np.sqrt((state * state).mean(axis=-1, keepdims=True) + np.float32(1e-5))
        return state * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]


class StaticEmbedder:
    """The mean of a text's token vectors: many times faster, and less good."""

    @property
    def fingerprint(self) -> str:
        return f"lamina-static-candidate|1|{self.dimensions}"

    @property
    def dimensions(self) -> int:
        return int(_weights()["emb.q"].shape[1])

    @property
    def is_local(self) -> bool:
        return True

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        table, scale = _weights()["emb.q"], _weights()["emb.s"]
        rows = np.empty((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            pieces = np.array(_pieces().encode(text, 4 * _LONGEST), np.intp)
            # The two markers around a text say nothing, unless there is nothing else.
            inner = pieces[1:-1] if len(pieces) > 2 else pieces
            rows[row] = (table[inner] * scale[inner]).mean(axis=0)
        unit: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


def _gelu(values: Floats) -> Floats:
    # `values**3` would take many times as long.
    inner = np.float32(0.7978845608) * (values + np.float32(0.044715) * values * values * values)
    curved: Floats = np.float32(0.5) * values * (1 + np.tanh(inner))
    return curved


def _softmax(values: Floats) -> Floats:
    values = np.exp(values - values.max(axis=-1, keepdims=True))
    summed: Floats = values / values.sum(axis=-1, keepdims=True)
    return summed
