"""Outlines: each row of many in 64 bits, so that a search can look at all of them.

The bits are the signs along the directions in which rows differ most, learnt from a sample. Few
rows have no outlines: their own signs are looked at.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from lamina.indexes.file import Array
from lamina.indexes.signs import AskedSigns, signs_of

FROM: Final = 32_000
"""Below so many rows a look at their signs costs no more than one at outlines."""
_DIRECTIONS: Final = 64
_SAMPLE: Final = 8192
_ROUNDS: Final = 6
_SEED: Final = 17
_NOWHERE: Final = np.zeros(1, "f4")

Floats: TypeAlias = Callable[[Array | slice], Array]
"""Gives out some rows as floats, by position."""


def directions_of(floats: Floats, rows: int, middle: Array) -> Array:
    """The directions in which rows differ most, one in each column; none for few rows."""
    if rows < FROM:
        return np.zeros((len(middle), 0), "f4")
    sample = floats(slice(None, None, max(1, rows // _SAMPLE))) - middle
    generator = np.random.default_rng(_SEED)
    found = generator.standard_normal((len(middle), min(_DIRECTIONS, len(middle)))).astype("f4")
    for _ in range(_ROUNDS):
        # Each round turns the directions towards those that the rows differ most in.
        found = np.linalg.qr(sample.T @ (sample @ found))[0]
    return np.asarray(found, "f4")


def outlines_of(vectors: Array, middle: Array, directions: Array) -> Array:
    """The outline of each row, in one word."""
    return signs_of((vectors - middle) @ directions, _NOWHERE)


def asked_outline(query: Array, middle: Array, directions: Array) -> AskedSigns:
    """The outline of a query."""
    return AskedSigns.of((query - middle) @ directions, _NOWHERE)
