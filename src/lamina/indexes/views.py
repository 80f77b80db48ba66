"""A segment as of today: which of its documents still count.

A record that was changed after a segment was made is dead in it: something newer speaks for it.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np

from lamina.errors import IndexDamagedError
from lamina.indexes.file import Array, Header
from lamina.indexes.places import Places, Sight

_KEPT: Final = 32


class Segment(Protocol):
    """What a view has to know of a segment."""

    @property
    def header(self) -> Header:
        """What it covers."""

    @property
    def places(self) -> Places:
        """Where its documents are."""

    def positions(self, rids: Array) -> Array:
        """Where these records are, -1 for those that are not here."""

    def changed(self) -> Array:
        """All records that were changed within what this covers, ascending."""

    def __len__(self) -> int:
        """How many documents it has, dead or alive."""


S = TypeVar("S", bound=Segment)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class View(Generic[S]):
    """A value: `without` answers with another one."""

    segment: S
    dead: Array
    """The positions of documents that no longer count, ascending."""
    _kept: dict[object, Any] = field(default_factory=dict, compare=False)

    def __len__(self) -> int:
        return len(self.segment) - len(self.dead)

    def without(self, rids: Array) -> "View[S]":
        """The view after these records were changed elsewhere."""
        at = self.segment.positions(rids)
        dead = np.union1d(self.dead, at[at >= 0])
        return self if len(dead) == len(self.dead) else View(self.segment, dead)

    def mask(self, sight: Sight) -> Array | None:
        """Which documents count; `None` when all of them do."""

        def made() -> Array | None:
            mask = self.segment.places.mask(sight)
            if len(self.dead):
                mask = np.ones(len(self.segment), bool) if mask is None else mask.copy()
                mask[self.dead] = False
            return mask

        return self.kept(("mask", sight), made)

    def kept(self, key: object, make: Callable[[], T]) -> T:
        """Something that was made for this view before, or is made now."""
        try:
            found: T = self._kept[key]
        except KeyError:
            found = make()
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            self._kept[key] = found
        return found

    def alive(self) -> Array:
        """A mask of the documents that are not dead."""
        mask = np.ones(len(self.segment), bool)
        mask[self.dead] = False
        return mask


def stacked(segments: Iterable[S], newer: Iterable[int] = ()) -> tuple[View[S], ...]:
    """Views of segments, oldest first, each without what those after it and `newer` changed."""
    ordered = sorted(segments, key=lambda segment: segment.header.hi)
    newest = np.array(sorted(newer), "i8")
    views = [View(segment, np.zeros(0, "i8")).without(newest) for segment in ordered]
    for at, segment in enumerate(ordered[1:], 1):
        changed = segment.changed()
        views[:at] = [view.without(changed) for view in views[:at]]
    return tuple(views)


def positions(known: Array, rids: Array, order: Array | None = None) -> Array:
    """The places of some numbers in a list, -1 for those that are not in it.

    The list is ascending, or `order` says how it would be.
    """
    found = np.full(len(rids), -1, "i8")
    if not len(known) or not len(rids):
        return found
    least, most = (known[0], known[-1]) if order is None else known[order[[0, -1]]]
    # Most changes are to records newer than the segment, and need no search.
    near = np.flatnonzero((rids >= least) & (rids <= most))
    at = np.searchsorted(known, rids[near], sorter=order)
    at = at if order is None else order[at].astype("i8")
    here = known[at] == rids[near]
    found[near[here]] = at[here]
    return found


@contextmanager
def damage_is_named(path: Path) -> Iterator[None]:
    """Tell of a segment that leads out of itself as what it is: altered on disk."""
    try:
        yield
    except (IndexError, ValueError, UnicodeDecodeError) as error:
        raise IndexDamagedError(
            f"the index file {path.name} was altered: {error}",
            remedy="It is built again from the records",
        ) from error
