"""One bit for each number of a vector: on which side of the middle it is.

Comparing bits is many times cheaper than comparing vectors, and near vectors differ in few of them,
least of all where the query is far from the middle: bits count for as much as they say. That is
enough to tell which rows are worth a closer look.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from lamina.indexes.file import Array

_BITS: Final = 64
_AT_ONCE: Final = 32_768
"""As many words as fit into the cache of a processor core with what is made of them."""
_MOST: Final = 3
"""How much the bits count that say most: what two binary digits hold."""
_LARGE: Final = 0.95
"""From this share of them on, numbers are as large as the largest."""
_SAMPLED: Final = 50_000
"""Beyond so many rows a sample tells how many are near enough."""


@dataclass(frozen=True, slots=True)
class AskedSigns:
    """The signs of a query, and how much each counts, as two binary digits of weights."""

    signs: Array
    ones: Array
    twos: Array

    @classmethod
    def of(cls, query: Array, middle: Array) -> "AskedSigns":
        """The signs of a query by the middle of what it is compared with."""
        # Where a file was altered the middle may be no number: what is found then is worth nothing,
        # and said to be so when the file is verified.
        sizes = np.nan_to_num(np.abs(query - middle))
        most = max(float(np.sort(sizes)[int(_LARGE * len(sizes))]), 1e-12) if len(sizes) else 1.0
        weights = np.rint(np.minimum(sizes / most, 1) * _MOST).astype("u1")
        nothing = np.zeros(1, "f4")
        ones, twos = signs_of((weights & 1)[None], nothing), signs_of((weights & 2)[None], nothing)
        return cls(signs_of(query[None], middle), ones, twos)


def words_for(width: int) -> int:
    """How many words of 64 bits a vector's signs take."""
    return -(-width // _BITS)


def signs_of(vectors: Array, middle: Array) -> Array:
    """The signs of each row, packed."""
    packed = np.packbits(vectors > middle, axis=1)
    filled = np.zeros((len(vectors), words_for(vectors.shape[1]) * 8), "u1")
    filled[:, : packed.shape[1]] = packed
    return filled.view("<u8")


def alike(signs: Array, asked: AskedSigns, rows: Array | None, limit: int) -> Array:
    """The positions of about the `limit` rows that differ least from a query's signs.

    A few more when several differ equally, so that the answer does not hang on their order.
    """
    differing = _differing(signs, asked, rows)
    some = differing[:: max(1, len(differing) // _SAMPLED)]
    reached = np.cumsum(np.bincount(some))
    enough = limit * len(some) / max(len(differing), 1)
    near = np.flatnonzero(differing <= int(np.searchsorted(reached, enough)))
    return near if rows is None else rows.take(near)


def _differing(signs: Array, asked: AskedSigns, rows: Array | None) -> Array:
    """How much the bits count in which each row differs from a query."""
    number, words = len(signs) if rows is None else len(rows), signs.shape[1]
    at_once = max(1, _AT_ONCE // words)
    differing = np.empty(number, "u1" if words == 1 else "u2")
    # As many copies as there are rows at a time: so short a row is not worth a loop of its own.
    copies = 1 if words == 1 else min(number, at_once)
    same, ones, twos = (
        np.repeat(one, copies, axis=0) for one in (asked.signs, asked.ones, asked.twos)
    )
    for at in range(0, number, at_once):
        end = min(at + at_once, number)
        some = signs[at:end] if rows is None else signs.take(rows[at:end], axis=0)
        apart = some ^ same[: end - at]
        counts = np.bitwise_count(apart & twos[: end - at])
        counts <<= 1
        apart &= ones[: end - at]
        counts += np.bitwise_count(apart)
        differing[at:end] = counts[:, 0]
        for column in range(1, words):
            differing[at:end] += counts[:, column]
    return differing
