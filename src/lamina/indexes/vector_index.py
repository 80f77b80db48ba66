"""All vectors of one stream: its segments, and over them what is newer than they are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from lamina.indexes.base import Background, Compared, NearSegment, Neighbours
from lamina.indexes.file import Array
from lamina.indexes.places import EVERYWHERE, Sight
from lamina.indexes.vector_overlay import VectorOverlay
from lamina.indexes.vectors import VectorBatch
from lamina.indexes.views import View, damage_is_named, stacked

_SAMPLE: Final = 1000


@dataclass(frozen=True, slots=True)
class Vectors:
    """A value: `changed` answers with another one, so readers need no lock."""

    views: tuple[View[NearSegment], ...] = ()
    overlay: VectorOverlay = VectorOverlay()

    @classmethod
    def of(cls, segments: Iterable[NearSegment], overlay: VectorOverlay | None = None) -> "Vectors":
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
                found, near = view.segment.nearest(view, query, limit, sight)
                rids.append(found)
                cosines.append(near)
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
                found[here] = view.segment.taken(at[here])(query)
        at = self.overlay.positions(wanted)
        here = np.flatnonzero(at >= 0)
        found[here] = self.overlay.cosines(query, at[here])
        return found

    def background(self, query: Array, sight: Sight = EVERYWHERE) -> Background:
        """How near the records in sight are on the whole, by a sample of them."""
        query = np.ascontiguousarray(query, "f4")
        chosen = self.overlay.chosen(sight)
        evenly = chosen[:: max(1, len(chosen) // _SAMPLE)]
        samples = [(len(chosen), self.overlay.cosines(query, evenly))]
        for view in self.views:
            with damage_is_named(view.segment.file.path):
                number, some = view.kept(("sample", sight), partial(_sample, view, sight))
                samples.append((number, some(query)))
        return _pooled([sample for sample in samples if sample[0]])


def _sample(view: View[NearSegment], sight: Sight) -> tuple[int, Compared]:
    """How many rows are in sight, and some of them: evenly."""
    mask = view.mask(sight)
    seen = np.arange(len(view.segment)) if mask is None else np.flatnonzero(mask)
    return len(seen), view.segment.taken(seen[:: max(1, len(seen) // _SAMPLE)])


def _pooled(samples: Sequence[tuple[int, Array]]) -> Background:
    if not samples:
        return Background()
    weights = np.array([number for number, _ in samples], "f8")
    means = np.array([sample.mean(dtype="f8") for _, sample in samples])
    return Background(float(np.average(means, weights=weights)), int(weights.sum()))


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
