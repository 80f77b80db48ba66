"""When to make segments and which to merge: decisions, no deeds.

The segments of a stream follow one another without gaps. Each is at least twice as large as all
that follow it, so a million records lie in four segments or so, and each record is written about
eight times until it is in the largest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

OVERLAY: Final = 1_000
"""What is newer than all segments is searched without an index: so many changes at most."""
_LARGER: Final = 2
_WORN: Final = 0.25
"""With more than this share of dead documents a segment is written anew."""


@dataclass(frozen=True, slots=True)
class Size:
    """A segment as the policy sees it."""

    living: int
    dead: int = 0

    @property
    def is_worn(self) -> bool:
        """Whether too much of it is dead."""
        return self.dead > _WORN * (self.living + self.dead)


def folds(documents: int, gone: int = 0) -> bool:
    """Whether the overlay has grown into a segment: by its documents and what it takes away."""
    return documents + gone >= OVERLAY


def merges(sizes: Sequence[Size]) -> slice | None:
    """Which segments to merge next, given oldest first; `None` when all is well.

    A slice of one segment means to write it anew without its dead.
    """
    first, newer = None, 0
    for at in reversed(range(len(sizes))):
        if newer and sizes[at].living < _LARGER * newer:
            first = at
        newer += max(sizes[at].living, 1)
    if first is not None:
        return slice(first, len(sizes))
    worn = (at for at, size in enumerate(sizes) if size.is_worn)
    return next((slice(at, at + 1) for at in worn), None)
