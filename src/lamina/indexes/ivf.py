"""Lists of near vectors, so that a search need not look at every row.

Spherical k-means on a sample: each list has a centre, each row belongs to the list whose centre is
nearest. Few rows have no lists: a search looks at all of them.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from lamina.indexes.file import Array

FROM: Final = 150_000
"""Below so many rows a look at all of them costs less than it would to find the right lists."""
_PER_ROOT: Final = 4
_SAMPLED: Final = 32
"""Rows for each centre to learn from."""
_ROUNDS: Final = 6
_CHUNK: Final = 2048
_SEED: Final = 17

Floats: TypeAlias = Callable[[Array | slice], Array]
"""Gives out some rows as floats, by position."""


def lists_for(rows: int) -> int:
    """How many lists so many rows are worth."""
    return 0 if rows < FROM else int(_PER_ROOT * rows**0.5)


def centres_for(floats: Floats, rows: int, width: int) -> Array:
    """Learn the centres of lists from a sample of the rows."""
    number = lists_for(rows)
    if not number:
        return np.zeros((0, width), "f4")
    generator = np.random.default_rng(_SEED)
    size = min(rows, number * _SAMPLED)
    sample = floats(np.sort(generator.choice(rows, size, replace=False)))
    centres = sample[generator.choice(size, number, replace=False)]
    for _ in range(_ROUNDS):
        centres = _improved(sample, centres, generator)
    return centres


def assigned(floats: Floats, rows: int, centres: Array) -> Array:
    """For each row the number of its nearest centre."""
    nearest = np.zeros(rows, "u4")
    if len(centres):
        turned = np.ascontiguousarray(centres.T)
        for at in range(0, rows, _CHUNK):
            part = slice(at, min(at + _CHUNK, rows))
            nearest[part] = (floats(part) @ turned).argmax(axis=1)
    return nearest


def _improved(sample: Array, centres: Array, generator: np.random.Generator) -> Array:
    nearest = assigned(sample.__getitem__, len(sample), centres)
    order = np.argsort(nearest, kind="stable")
    counts = np.bincount(nearest, minlength=len(centres))
    full = np.flatnonzero(counts)
    starts = (np.cumsum(counts) - counts)[full]
    # A centre that nothing is near to starts again at some row.
    moved = sample[generator.choice(len(sample), len(centres))]
    moved[full] = np.add.reduceat(sample[order], starts, axis=0)
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    return np.asarray(moved / np.maximum(lengths, 1e-12), "f4")
