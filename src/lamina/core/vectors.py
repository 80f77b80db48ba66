"""Vectors: where texts lie in the space of an embedder, and how far a store has come with them.

A vector belongs to the embedder that made it: its `space` is that embedder's fingerprint, and only
vectors of one space are ever compared. Values travel as bytes, four for each dimension, so that
nothing here needs an array library.
"""

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final

from lamina.core.ids import RecordId
from lamina.errors import InvalidInputError

_WIDTH: Final = 4
_TOLERANCE: Final = 0.01


@dataclass(frozen=True, slots=True)
class Vector:
    """A text as a point of unit length."""

    space: str
    values: bytes
    """Little-endian 32-bit floats."""

    @property
    def dimensions(self) -> int:
        """How many numbers it has."""
        return len(self.values) // _WIDTH


@dataclass(frozen=True, slots=True)
class Embedded:
    """What became of one version of a record in the hands of an embedder."""

    id: RecordId
    rev: int
    values: bytes | None
    """`None` when the embedder cannot take this text."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a store has come with the vectors of one space."""

    made: int
    pending: int
    refused: int = 0
    """Texts that the embedder could not take; they are found by their words alone."""


@dataclass(frozen=True, slots=True)
class Sample:
    """How near the records of a search lie to its question in general, by some of them."""

    mean: float
    size: int


def packed(numbers: Sequence[float]) -> bytes:
    """Numbers as the bytes of a vector."""
    return array("f", numbers).tobytes()


def unpacked(values: bytes) -> "array[float]":
    """The numbers of a vector."""
    numbers = array("f")
    numbers.frombytes(values)
    return numbers


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """How near two points of unit length are: 1 for the same direction, 0 for unrelated."""
    return float(sum(map(mul, one, other)))


def sample(cosines: Sequence[float]) -> Sample | None:
    """The mean of some cosines; nothing where there is nothing to compare with."""
    return Sample(math.fsum(cosines) / len(cosines), len(cosines)) if cosines else None


def check_dimensions(known: int, made: Sequence[Embedded]) -> int:
    """How long the vectors of a space are, with these; 0 where that is not known yet."""
    sizes = {len(check_vector(one.values)) // _WIDTH for one in made if one.values is not None}
    sizes |= {known} - {0}
    if len(sizes) > 1:
        raise InvalidInputError(
            "`made` holds vectors of other dimensions than the space",
            remedy="Give the embedder another fingerprint when its vectors change",
        )
    return sizes.pop() if sizes else 0


def check_vector(values: bytes) -> bytes:
    """Return the bytes of a vector of unit length, or refuse what no search could use."""
    if not values or len(values) % _WIDTH:
        raise InvalidInputError(f"`values` is not a vector: {len(values)} bytes")
    length = math.hypot(*unpacked(values))
    if not abs(length - 1) < _TOLERANCE:
        raise InvalidInputError(
            f"`values` has length {length:.3f}", remedy="Scale the vector to unit length"
        )
    return values
