"""What every vector index does, whichever engine is behind it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from lamina.indexes.file import Array
from lamina.indexes.places import EVERYWHERE, Sight
from lamina.indexes.vectors import VectorBatch
from lamina.indexes.views import Segment, View

Compared: TypeAlias = Callable[[Array], Array]
"""Some rows, ready to be compared with one query after the other."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Records and how near they are, the nearest first."""

    rids: Array
    cosines: Array

    def __len__(self) -> int:
        return len(self.rids)

    def __iter__(self) -> Iterator[tuple[int, float]]:
        return zip(self.rids.tolist(), self.cosines.tolist(), strict=True)


@dataclass(frozen=True, slots=True)
class Background:
    """How near a query is to just any record: what a cosine has to be compared with."""

    mean: float = 0.0
    size: int = 0
    """How many records in sight there are."""


class Kept(Protocol):
    """What a segment is kept in: a file, and what belongs to it."""

    @property
    def path(self) -> Path:
        """The file that stands for all of it."""

    @property
    def size(self) -> int:
        """How many bytes it has."""

    def verify(self) -> None:
        """Read every byte and compare it with what was written."""


class NearSegment(Segment, Protocol):
    """Vectors that do not change any more, whichever engine keeps them."""

    @property
    def file(self) -> Kept:
        """Where it is kept."""

    def nearest(
        self, view: View[Any], query: Array, limit: int, sight: Sight
    ) -> tuple[Array, Array]:
        """The nearest living records in sight and their cosines, in no order.

        All that are as near as the last one are among them: which is taken is not for chance.
        """

    def taken(self, at: Array) -> Compared:
        """The rows at some positions."""


class VectorIndex(Protocol):
    """The vectors of one stream. A query is a vector of unit length, as 32-bit floats."""

    def __len__(self) -> int:
        """How many records have a vector here."""

    def add(self, batch: VectorBatch) -> None:
        """Put vectors in, in place of those that the same records had."""

    def drop(self, rids: Iterable[int]) -> None:
        """Take records out; those that are not here are passed over."""

    def search(self, query: Array, limit: int, sight: Sight = EVERYWHERE) -> Neighbours:
        """The nearest records in sight: what is beyond is left out before the best are taken."""

    def cosines(self, query: Array, rids: Sequence[int]) -> Array:
        """How near some records are, not a number for those that are not here."""

    def background(self, query: Array, sight: Sight = EVERYWHERE) -> Background:
        """How near the records in sight are on the whole, by a sample of them."""

    def close(self) -> None:
        """Let go of files. Closing twice is fine."""
