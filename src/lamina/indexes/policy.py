"""When to make segments, which to merge and which files to throw away: decisions, no deeds.

The segments of a stream follow one another without gaps. Each is at least twice as large as all
that follow it, so a million records lie in four segments or so, and each record is written about
eight times until it is in the largest.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lamina.indexes.file import Header

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


def chain(headers: Iterable[Header], store: str, stream: int, epoch: str) -> list[Header]:
    """The segments to use: those that lead from the beginning on without a gap.

    Of two that start at the same place the one that reaches further is taken: it was merged.
    """
    ours = [one for one in headers if (one.store, one.stream, one.epoch) == (store, stream, epoch)]
    found: list[Header] = []
    reached = 0
    while True:
        next_ones = [one for one in ours if one.lo == reached and one.hi > one.lo]
        if not next_ones:
            return found
        found.append(max(next_ones, key=lambda one: one.hi))
        reached = found[-1].hi


def garbage(names: Iterable[str], used: Collection[str], writing: Collection[str]) -> list[str]:
    """The files of a folder of segments that nobody needs: not used, and not being written."""
    return sorted(
        name
        for name in names
        if name not in used and not any(name.startswith(f".{one}.") for one in writing)
    )
