"""All vectors of one stream: its segments, and over them what is newer than they are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from lamina.indexes.base import Background, Neighbours
from lamina.indexes.file import Array
from lamina.indexes.places import EVERYWHERE, Sight
from lamina.indexes.signs import alike, signs_of
from lamina.indexes.vector_overlay import VectorOverlay
from lamina.indexes.vectors import VectorBatch, VectorSegment
from lamina.indexes.views import View, damage_is_named, stacked

LOOKED_AT: Final = 120_000
"""How many rows in sight a search looks at, by their signs, where there are lists."""
COMPARED: Final = 4_000
"""How many of them it compares with the query, number by number."""
EXACT: Final = 16_000
"""Where no more rows are in sight, all of them are compared."""
_COMPARED_FOR_ONE: Final = 20
"""And at least so many for each record that is asked for."""
_SAMPLE: Final = 1000


@dataclass(frozen=True, slots=True)
class Vectors:
    """A value: `changed` answers with another one, so readers need no lock."""

    views: tuple[View[VectorSegment], ...] = ()
    overlay: VectorOverlay = VectorOverlay()

    @classmethod
    def of(
        cls, segments: Iterable[VectorSegment], overlay: VectorOverlay | None = None
    ) -> "Vectors":
        """Put segments in order of what they cover, and an overlay on top."""
        # Not `or`: one that only takes away holds nothing, and counts all the same.
        overlay = VectorOverlay() if overlay is None else overlay
        return cls(stacked(segments, overlay.changes()), overlay)

    def changed(self, put: VectorBatch | None = None, drop: Iterable[int] = ()) -> "Vectors":
        """The index after records were dropped, and vectors put in place of their old ones."""
        drop = tuple(drop)
        touched = {*drop, *(put.rids.tolist() if put else ())}
        views = tuple(view.without(np.array(sorted(touched), "i8")) for view in self.views)
        return Vectors(views, self.overlay.changed(put, drop))

    def __len__(self) -> int:
        return sum(map(len, self.views)) + len(self.overlay)

    def search(self, query: Array, limit: int, sight: Sight = EVERYWHERE) -> Neighbours:
        """The nearest records in sight."""
        query = np.ascontiguousarray(query, "f4")
        rids, cosines = [], []
        chosen = self.overlay.chosen(sight)
        rids.append(self.overlay.rids[chosen])
        cosines.append(self.overlay.cosines(query, chosen))
        for view in self.views:
            with damage_is_named(view.segment.file.path):
                at = _worth_a_look(view, query, limit, sight)
                near = view.segment.rows.cosines(query, at)
                best = _best(near, limit)
                rids.append(view.segment.rows.rids[best if at is None else at[best]])
                cosines.append(near[best])
        return _nearest(np.concatenate(rids), np.concatenate(cosines), limit)

    def cosines(self, query: Array, rids: Sequence[int]) -> Array:
        """How near some records are, not a number for those that are not here."""
        query, wanted = np.ascontiguousarray(query, "f4"), np.array(rids, "i8")
        found = np.full(len(wanted), np.nan, "f4")
        for view in self.views:
            with damage_is_named(view.segment.file.path):
                at = view.segment.positions(wanted)
                at[np.isin(at, view.dead)] = -1
                here = np.flatnonzero(at >= 0)
                found[here] = view.segment.rows.cosines(query, at[here])
        at = self.overlay.positions(wanted)
        here = np.flatnonzero(at >= 0)
        found[here] = self.overlay.cosines(query, at[here])
        return found

    def background(self, query: Array, sight: Sight = EVERYWHERE) -> Background:
        """How near the records in sight are on the whole, by a sample of them."""
        query = np.ascontiguousarray(query, "f4")
        near = self.overlay.cosines(query, self.overlay.chosen(sight))
        samples = [(len(near), near)]
        for view in self.views:
            with damage_is_named(view.segment.file.path):
                number, at = view.kept(("sample", sight), partial(_sample, view, sight))
                samples.append((number, view.segment.rows.cosines(query, at)))
        return _pooled([sample for sample in samples if sample[0]])


def _worth_a_look(
    view: View[VectorSegment], query: Array, limit: int, sight: Sight
) -> Array | None:
    """The positions of the rows to compare; `None` for all."""
    segment = view.segment
    seen = view.kept(("seen", sight), partial(_seen, view, sight))
    if seen.number <= EXACT:
        return seen.rows
    rows = seen.rows
    if seen.sizes is not None:
        nearest = np.argsort(-np.vecdot(segment.centres, query))
        enough = int(np.searchsorted(np.cumsum(seen.sizes[nearest]), LOOKED_AT)) + 1
        rows = _rows_of(segment, np.sort(nearest[:enough]))
        mask = view.mask(sight)
        rows = rows if mask is None else rows.compress(mask.take(rows))
    signs = signs_of(query[None], segment.middle)
    return alike(segment.signs, signs, rows, max(COMPARED, _COMPARED_FOR_ONE * limit))


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is in sight of a segment: rows (`None` for all), or how many in each list."""

    number: int
    rows: Array | None
    sizes: Array | None


def _seen(view: View[VectorSegment], sight: Sight) -> _Seen:
    mask = view.mask(sight)
    number = len(view.segment) if mask is None else int(np.count_nonzero(mask))
    if number > LOOKED_AT and len(view.segment.centres):
        starts = view.segment.starts
        before = starts if mask is None else np.concatenate([[0], np.cumsum(mask)])[starts]
        return _Seen(number, None, np.diff(before).astype("i8"))
    return _Seen(number, None if mask is None else np.flatnonzero(mask), None)


def _rows_of(segment: VectorSegment, lists: Array) -> Array:
    starts = segment.starts[lists].astype("i8")
    sizes = segment.starts[lists + 1].astype("i8") - starts
    before = np.cumsum(sizes) - sizes
    return np.asarray(np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes))


def _sample(view: View[VectorSegment], sight: Sight) -> tuple[int, Array]:
    """How many rows are in sight, and some of them: evenly, so from lists far and near."""
    mask = view.mask(sight)
    seen = np.arange(len(view.segment)) if mask is None else np.flatnonzero(mask)
    return len(seen), seen[:: max(1, len(seen) // _SAMPLE)]


def _pooled(samples: Sequence[tuple[int, Array]]) -> Background:
    if not samples:
        return Background()
    weights = np.array([number for number, _ in samples], "f8")
    means = np.array([sample.mean(dtype="f8") for _, sample in samples])
    return Background(float(np.average(means, weights=weights)), int(weights.sum()))


def _best(near: Array, limit: int) -> Array:
    if len(near) <= limit:
        return np.arange(len(near))
    # All that are as near as the last one: which of them is taken is not for chance to say.
    last = len(near) - limit
    return np.flatnonzero(near >= np.partition(near, last)[last])


def _nearest(rids: Array, cosines: Array, limit: int) -> Neighbours:
    order = np.lexsort((-rids, -cosines))[:limit]
    return Neighbours(rids[order], cosines[order])


class LiveVectors:
    """A vector index that changes in place: a reference to the newest value."""

    def __init__(self, vectors: Vectors | None = None) -> None:
        self.now = vectors or Vectors()

    def __len__(self) -> int:
        return len(self.now)

    def add(self, batch: VectorBatch) -> None:
        self.now = self.now.changed(batch)

    def drop(self, rids: Iterable[int]) -> None:
        self.now = self.now.changed(drop=rids)

    def search(self, query: Array, limit: int, sight: Sight = EVERYWHERE) -> Neighbours:
        return self.now.search(query, limit, sight)

    def cosines(self, query: Array, rids: Sequence[int]) -> Array:
        return self.now.cosines(query, rids)

    def background(self, query: Array, sight: Sight = EVERYWHERE) -> Background:
        return self.now.background(query, sight)

    def close(self) -> None:
        self.now = Vectors()
