"""The bundled embedder in plain numpy: a small transformer, and static vectors from the same token table.

The weights are one file, `models/lamina-embed-1.npz`. Its arrays:

| array | what |
| --- | --- |
| `vocabulary` | the pieces of the vocabulary, UTF-8, one a line |
| `shape` | number of layers, width, number of attention heads |
| `table.rows`, `table.scales` | a row of int8 for each piece, and its scale |
| `positions` | added to the states, by place in the text |
| `enter` | from the table's width to the model's, where they differ |
| `blocks.N.attend`, `.merge`, `.widen`, `.narrow` | the four matrices of layer N |
| `pool` | how much each state counts towards the text |
| `leave` | from the pooled state to the vector |
| `static.weights`, `static.leave` | how much each piece counts, and from the table to the vector |

A matrix X is kept as int8 rows `X.rows` with float16 scales `X.scales`, one row for each output. The scales of the
norms are already multiplied into the matrices that follow them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from lamina.embedders.protocol import Role
from lamina.embedders.wordpiece import WordPiece

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Arrays = Mapping[str, NDArray[np.generic]]

MODEL = "lamina-embed-1"
DIMENSIONS = 256
WINDOW = 254
_STATIC_WINDOW = 1024
_TOKENS_AT_ONCE = 1024
_QUESTION_MARK = 1
_EPSILON = 1e-6


@dataclass(frozen=True, slots=True)
class _Layer:
    """The matrices of one layer, ready to multiply from the right."""

    attend: Floats
    merge: Floats
    widen: Floats
    narrow: Floats


@dataclass(frozen=True, slots=True)
class Model:
    """The weights as read from the file."""

    fingerprint: str
    wordpiece: WordPiece
    rows: NDArray[np.int8]
    scales: Floats
    positions: Floats
    enter: Floats | None
    layers: tuple[_Layer, ...]
    heads: int
    pool: Floats
    leave: Floats
    static_weights: Floats
    static_leave: Floats

    def rows_of(self, numbers: NDArray[np.intp], scales: Floats) -> Floats:
        """The table's rows of some pieces, each times its scale."""
        chosen = self.rows[numbers].astype(np.float32)
        chosen *= scales[numbers][:, None]
        return chosen


def model_from(arrays: Arrays, fingerprint: str) -> Model:
    """Unpacks the arrays of the file."""
    layers, _, heads = (int(number) for number in arrays["shape"].tolist())
    scales = arrays["table.scales"].astype(np.float32)
    pieces = arrays["vocabulary"].tobytes().decode("utf-8").split("\n")
    return Model(
        fingerprint=fingerprint,
        wordpiece=WordPiece(pieces),
        rows=arrays["table.rows"].astype(np.int8, copy=False),
        scales=scales,
        positions=arrays["positions"].astype(np.float32),
        enter=_matrix(arrays, "enter") if "enter.rows" in arrays else None,
        layers=tuple(
            _Layer(*(_matrix(arrays, f"blocks.{layer}.{name}") for name in _Layer.__slots__))
            for layer in range(layers)
        ),
        heads=heads,
        pool=arrays["pool"].astype(np.float32),
        leave=_matrix(arrays, "leave"),
        static_weights=arrays["static.weights"].astype(np.float32) * scales,
        static_leave=_matrix(arrays, "static.leave"),
    )


def _matrix(arrays: Arrays, name: str) -> Floats:
    whole = arrays[f"{name}.rows"].astype(np.float32)
    whole *= arrays[f"{name}.scales"].astype(np.float32)[:, None]
    return np.ascontiguousarray(whole.T)


@cache
def bundled() -> Model:
    """The weights that come with the package, read once."""
    path = resources.files("lamina.embedders").joinpath("models", f"{MODEL}.npz")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "blake2b").hexdigest()[:16]
    with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return model_from({name: arrays[name] for name in arrays.files}, f"{MODEL}:{digest}")


class NativeEmbedder:
    """Unit vectors that take the order and company of words into account."""

    dimensions = DIMENSIONS

    def __init__(self, model: Model) -> None:
        self._model = model
        self.fingerprint = f"lamina:{model.fingerprint}"

    @classmethod
    def load(cls) -> NativeEmbedder:
        """The embedder with the bundled weights."""
        return cls(bundled())

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        """One unit vector a text; a text longer than the window counts with its beginning."""
        model = self._model
        start = _QUESTION_MARK if role is Role.QUERY else model.wordpiece.start
        end = model.wordpiece.end
        encoded = [[start, *model.wordpiece.encode(text, WINDOW), end] for text in texts]
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        for chosen in _batches([len(numbers) for numbers in encoded]):
            vectors[chosen] = _forward(model, [encoded[place] for place in chosen])
        return vectors


class StaticEmbedder:
    """Unit vectors from the words alone: far faster, and blind to their order."""

    dimensions = DIMENSIONS

    def __init__(self, model: Model) -> None:
        self._model = model
        self.fingerprint = f"static:{model.fingerprint}"

    @classmethod
    def load(cls) -> StaticEmbedder:
        """The embedder with the bundled weights."""
        return cls(bundled())

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        """One unit vector a text; questions and documents are treated alike."""
        del role
        model = self._model
        unknown = [model.wordpiece.unknown]
        encoded = [model.wordpiece.encode(text, _STATIC_WINDOW) or unknown for text in texts]
        summed = np.empty((len(texts), model.static_leave.shape[0]), np.float32)
        for chosen in _batches([len(numbers) for numbers in encoded]):
            numbers = np.concatenate([np.array(encoded[place], np.intp) for place in chosen])
            starts = _starts([len(encoded[place]) for place in chosen])
            summed[chosen] = np.add.reduceat(model.rows_of(numbers, model.static_weights), starts)
        return _unit(summed @ model.static_leave)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of texts by length, so many at once that their states stay in the processor's cache."""
    batch: list[int] = []
    tokens = 0
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and tokens + lengths[place] > _TOKENS_AT_ONCE:
            yield batch
            batch, tokens = [], 0
        batch.append(place)
        tokens += lengths[place]
    if batch:
        yield batch


def _starts(lengths: Sequence[int]) -> NDArray[np.intp]:
    return np.concatenate([[0], np.cumsum(lengths[:-1])]).astype(np.intp)


def _unit(vectors: Floats) -> Floats:
    norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return vectors / np.maximum(norms, 1e-12)[:, None]


def _normed(states: Floats) -> Floats:
    squares = np.einsum("ij,ij->i", states, states)
    return states * (1 / np.sqrt(squares / states.shape[1] + _EPSILON))[:, None].astype(np.float32)


def _forward(model: Model, encoded: Sequence[Sequence[int]]) -> Floats:
    """The vectors of texts sorted by length, their tokens all in one row without padding."""
    lengths = [len(numbers) for numbers in encoded]
    states = model.rows_of(np.concatenate([np.array(n, np.intp) for n in encoded]), model.scales)
    if model.enter is not None:
        states = states @ model.enter
    states += model.positions[np.concatenate([np.arange(length) for length in lengths])]
    for layer in model.layers:
        states += _attention(_normed(states) @ layer.attend, lengths, model.heads) @ layer.merge
        hidden = _normed(states) @ layer.widen
        np.maximum(hidden, 0, out=hidden)
        hidden *= hidden
        states += hidden @ layer.narrow
    return _unit(_pooled(_normed(states), lengths, model.pool) @ model.leave)


def _attention(mixed: Floats, lengths: Sequence[int], heads: int) -> Floats:
    """What each token hears from the others of its text; texts of one length are heard at once."""
    width = mixed.shape[1] // 3
    heard = np.empty((len(mixed), width), np.float32)
    first = place = 0
    while place < len(lengths):
        length = lengths[place]
        count = lengths.count(length)
        last = first + count * length
        parts = mixed[first:last].reshape(count, length, 3, heads, width // heads)
        queries, keys, values = parts.transpose(2, 0, 3, 1, 4)
        scores = queries @ keys.transpose(0, 1, 3, 2)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        told = scores @ values
        told /= scores.sum(axis=-1, keepdims=True)
        heard[first:last] = told.transpose(0, 2, 1, 3).reshape(count * length, width)
        first, place = last, place + count
    return heard


def _pooled(states: Floats, lengths: Sequence[int], pool: Floats) -> Floats:
    starts = _starts(lengths)
    share = states @ pool
    share -= np.repeat(np.maximum.reduceat(share, starts), lengths)
    np.exp(share, out=share)
    summed = np.add.reduceat(states * share[:, None], starts)
    return summed / np.add.reduceat(share, starts)[:, None]
