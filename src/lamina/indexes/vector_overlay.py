"""The vectors that are newer than all segments, exact, in one matrix."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from lamina.indexes.file import Array
from lamina.indexes.places import Place, Sight
from lamina.indexes.vectors import VectorBatch
from lamina.indexes.views import positions


def _none() -> Array:
    return np.zeros(0, "i8")


def _no_rows() -> Array:
    return np.zeros((0, 0), "f4")


@dataclass(frozen=True, slots=True)
class VectorOverlay:
    """A value: `changed` answers with another one, so readers need no lock."""

    rids: Array = field(default_factory=_none)
    """Ascending."""
    places: tuple[Place, ...] = ()
    vectors: Array = field(default_factory=_no_rows)
    gone: frozenset[int] = frozenset()
    """Records that were changed and have no vector any more."""

    def __len__(self) -> int:
        return len(self.rids)

    def changed(self, put: VectorBatch | None, drop: Iterable[int] = ()) -> "VectorOverlay":
        """The overlay after records were dropped, then vectors put (in place of their old)."""
        dropped = set(drop)
        fresh = set() if put is None else set(put.rids.tolist())
        kept = np.flatnonzero(~np.isin(self.rids, list(dropped | fresh)))
        rids, places, vectors = (
            self.rids[kept],
            [self.places[at] for at in kept],
            self.vectors[kept],
        )
        if put is not None and len(put.rids):
            rids, places = np.concatenate([rids, put.rids]), [*places, *put.places]
            rows = vectors.reshape(-1, put.vectors.shape[1])
            vectors = np.concatenate([rows, put.vectors.astype("f4")])
        order = np.argsort(rids)
        in_order = tuple(places[at] for at in order)
        gone = (self.gone | dropped) - fresh
        return VectorOverlay(rids[order], in_order, vectors[order], gone)

    def cosines(self, query: Array, chosen: Array) -> Array:
        """How near some rows are to a query."""
        return np.vecdot(self.vectors[chosen], query) if len(chosen) else np.zeros(0, "f4")

    def batch(self) -> VectorBatch:
        """All of it, for a segment to be made of it."""
        return VectorBatch(self.rids, self.places, self.vectors)

    def changes(self) -> frozenset[int]:
        """All records that were changed since the segments were made."""
        return self.gone | frozenset(self.rids.tolist())

    def chosen(self, sight: Sight) -> Array:
        """The positions of what is in sight."""
        if not sight.groups:
            return np.arange(len(self))
        covered = cache(sight.covers)
        return np.flatnonzero([covered(*place) for place in self.places])

    def positions(self, rids: Array) -> Array:
        """Where these records are, -1 for those that are not here."""
        return positions(self.rids, rids)
