"""The embedder that comes with Lamina: a small transformer in numpy, and its token table alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lamina.embedders.bundle import bundled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from lamina.embedders.bundle import Bundle, Floats
    from lamina.embedders.protocol import Role

_WINDOW: Final = 256
"""Pieces of a text that count. Its beginning finds it better than the mean of all its windows."""
_STATIC_SHARE: Final = np.float32(0.5)
"""0.3 to 1.0 do about as well."""
_AT_ONCE: Final = 1024
"""Pieces to a batch: so many that their states still fit into the processor's cache."""
_EPSILON: Final = np.float32(1e-6)


class NativeEmbedder:
    """What a text says, from its words in their order, and to a third from the words alone."""

    def __init__(self, bundle: Bundle | None = None) -> None:
        self._bundle = bundle or bundled()

    @property
    def fingerprint(self) -> str:
        return f"lamina|{self._bundle.digest}|{self.dimensions}"

    @property
    def dimensions(self) -> int:
        return int(self._bundle.leave.shape[1])

    @property
    def is_local(self) -> bool:
        return True

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        pieces = [self._bundle.pieces.encode(text, _WINDOW) for text in texts]
        rows = np.empty((len(texts), self.dimensions), np.float32)
        for batch in _batches([len(numbers) for numbers in pieces]):
            rows[batch] = _forward(self._bundle, [pieces[place] for place in batch])
        rows += _STATIC_SHARE * _static(self._bundle, pieces)
        return _unit(rows)


class StaticEmbedder:
    """What a text says, from its words alone: many times faster, and less good."""

    def __init__(self, bundle: Bundle | None = None) -> None:
        self._bundle = bundle or bundled()

    @property
    def fingerprint(self) -> str:
        return f"static|{self._bundle.digest}|{self.dimensions}"

    @property
    def dimensions(self) -> int:
        return int(self._bundle.static_leave.shape[1])

    @property
    def is_local(self) -> bool:
        return True

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        pieces = [self._bundle.pieces.encode(text, _WINDOW) for text in texts]
        return _static(self._bundle, pieces)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The places of texts by length, in batches of few enough pieces."""
    batch: list[int] = []
    pieces = 0
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and pieces + lengths[place] > _AT_ONCE:
            yield batch
            batch, pieces = [], 0
        batch.append(place)
        pieces += lengths[place]
    if batch:
        yield batch


def _static(bundle: Bundle, pieces: Sequence[list[int]]) -> Floats:
    # The two markers around a text say nothing, unless there is nothing else.
    inner = [numbers[1:-1] if len(numbers) > 2 else numbers for numbers in pieces]
    summed = np.empty((len(inner), bundle.table.shape[1]), np.float32)
    for batch in _batches([len(numbers) for numbers in inner]):
        chosen = [inner[place] for place in batch]
        rows = bundle.rows_of(_joined(chosen), bundle.static_weights)
        summed[batch] = np.add.reduceat(rows, _starts(chosen))
    return _unit(summed @ bundle.static_leave)


def _forward(bundle: Bundle, texts: Sequence[Sequence[int]]) -> Floats:
    """The rows of texts sorted by length; all their pieces lie in one row, so nothing is padded."""
    lengths = [len(numbers) for numbers in texts]
    state = bundle.rows_of(_joined(texts), bundle.scales)
    state += bundle.positions[np.concatenate([np.arange(length) for length in lengths])]
    for layer in bundle.layers:
        state += _attention(_normal(state) @ layer.attend, lengths, bundle.heads) @ layer.merge
        wide = _normal(state) @ layer.widen
        np.maximum(wide, 0, out=wide)
        wide *= wide
        state += wide @ layer.narrow
    return _unit(_pooled(_normal(state), texts, bundle.pool) @ bundle.leave)


def _attention(mixed: Floats, lengths: Sequence[int], heads: int) -> Floats:
    """What each piece hears from the others of its text; texts of one length go together."""
    width = mixed.shape[1] // 3
    heard = np.empty((len(mixed), width), np.float32)
    first = place = 0
    while place < len(lengths):
        length = lengths[place]
        texts = lengths.count(length)
        last = first + texts * length
        parts = mixed[first:last].reshape(texts, length, 3, heads, width // heads)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        scores = query @ key.transpose(0, 1, 3, 2)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        told = scores @ value
        told /= scores.sum(axis=-1, keepdims=True)
        heard[first:last] = told.transpose(0, 2, 1, 3).reshape(-1, width)
        first, place = last, place + texts
    return heard


def _pooled(state: Floats, texts: Sequence[Sequence[int]], pool: Floats) -> Floats:
    """The mean state of each text, weighed by how telling each piece is."""
    starts = _starts(texts)
    weight = state @ pool
    weight -= np.repeat(np.maximum.reduceat(weight, starts), [len(numbers) for numbers in texts])
    np.exp(weight, out=weight)
    summed = np.add.reduceat(state * weight[:, None], starts)
    return (summed / np.add.reduceat(weight, starts)[:, None]).astype(np.float32, copy=False)


def _normal(state: Floats) -> Floats:
    squares = np.einsum("ij,ij->i", state, state)
    squares /= state.shape[1]
    squares += _EPSILON
    normal: Floats = state / np.sqrt(squares)[:, None]
    return normal


def _unit(rows: Floats) -> Floats:
    unit: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _EPSILON)
    return unit


def _joined(texts: Sequence[Sequence[int]]) -> NDArray[np.intp]:
    return np.fromiter((number for numbers in texts for number in numbers), np.intp)


def _starts(texts: Sequence[Sequence[int]]) -> NDArray[np.intp]:
    lengths = [len(numbers) for numbers in texts]
    return np.cumsum([0, *lengths[:-1]])
