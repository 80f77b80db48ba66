"""One bit for each number of a vector: on which side of the middle it is.

Comparing bits is many times cheaper than comparing vectors, and near vectors differ in few of them:
enough to tell which rows are worth a closer look.
"""

from typing import Final

import numpy as np

from lamina.indexes.file import Array

_BITS: Final = 64
_CHUNK: Final = 8192
"""As many rows as fit into the cache of a processor core with what is made of them."""


def words_for(width: int) -> int:
    """How many words of 64 bits a vector's signs take."""
    return -(-width // _BITS)


def signs_of(vectors: Array, middle: Array) -> Array:
    """The signs of each row, packed."""
    packed = np.packbits(vectors > middle, axis=1)
    filled = np.zeros((len(vectors), words_for(vectors.shape[1]) * 8), "u1")
    filled[:, : packed.shape[1]] = packed
    return filled.view("<u8")


def alike(signs: Array, query: Array, rows: Array | None, limit: int) -> Array:
    """The positions of about the `limit` rows that differ least from a query's signs.

    A few more when several differ equally, so that the answer does not hang on their order.
    """
    number = len(signs) if rows is None else len(rows)
    differing = np.empty(number, "u2")
    # As many copies as there are rows at a time: so short a row is not worth a loop of its own.
    asked = np.repeat(query, min(number, _CHUNK), axis=0)
    for at in range(0, number, _CHUNK):
        end = min(at + _CHUNK, number)
        some = signs[at:end] if rows is None else signs.take(rows[at:end], axis=0)
        counts = np.bitwise_count(some ^ asked[: end - at])
        differing[at:end] = counts[:, 0]
        for column in range(1, counts.shape[1]):
            differing[at:end] += counts[:, column]
    reached = np.cumsum(np.bincount(differing))
    near = np.flatnonzero(differing <= int(np.searchsorted(reached, limit)))
    return near if rows is None else rows.take(near)
