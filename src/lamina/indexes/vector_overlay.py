"""The vectors that are newer than all segments, exact, in one matrix."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from lamina.indexes.file import Array
from lamina.indexes.places import Place, Sight
from lamina.indexes.vectors import VectorBatch
from lamina.indexes.views import positions

_KEPT: Final = 16


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
    """The distinct ones; some may be nobody's any more."""
    where: Array = field(default_factory=_none)
    """The number of each row's place."""
    vectors: Array = field(default_factory=_no_rows)
    gone: frozenset[int] = frozenset()
    """Records that were changed and have no vector any more."""
    _seen: dict[Sight, Array] = field(default_factory=dict, compare=False)

    def __len__(self) -> int:
        return len(self.rids)

    def changed(self, put: VectorBatch | None, drop: Iterable[int] = ()) -> "VectorOverlay":
        """The overlay after records were dropped, then vectors put (in place of their old)."""
        dropped = set(drop)
        fresh = set() if put is None else set(put.rids.tolist())
        kept = np.flatnonzero(~np.isin(self.rids, list(dropped | fresh)))
        rids, where, vectors = self.rids[kept], self.where[kept], self.vectors[kept]
        numbers = {place: number for number, place in enumerate(self.places)}
        if put is not None and len(put.rids):
            more = [numbers.setdefault(place, len(numbers)) for place in put.places]
            rids, where = np.concatenate([rids, put.rids]), np.concatenate([where, more])
            rows = vectors.reshape(-1, put.vectors.shape[1])
            vectors = np.concatenate([rows, put.vectors.astype("f4")])
        order = np.argsort(rids)
        gone = (self.gone | dropped) - fresh
        return VectorOverlay(rids[order], tuple(numbers), where[order], vectors[order], gone)

    def cosines(self, query: Array, chosen: Array) -> Array:
        """How near some rows are to a query."""
        if not len(chosen):
            return np.zeros(0, "f4")
        # All of them, mostly, and those need not be copied.
        rows = self.vectors if len(chosen) == len(self) else self.vectors[chosen]
        return np.asarray(np.vecdot(rows, query))

    def batch(self) -> VectorBatch:
        """All of it, for a segment to be made of it."""
        return VectorBatch(self.rids, [self.places[at] for at in self.where], self.vectors)

    def changes(self) -> frozenset[int]:
        """All records that were changed since the segments were made."""
        return self.gone | frozenset(self.rids.tolist())

    def chosen(self, sight: Sight) -> Array:
        """The positions of what is in sight, ascending."""
        if not sight.groups:
            return np.arange(len(self))
        try:
            return self._seen[sight]
        except KeyError:
            covered = np.array([sight.covers(*place) for place in self.places], bool)
        found = np.flatnonzero(covered[self.where]) if len(self) else _none()
        if len(self._seen) >= _KEPT:
            self._seen.clear()
        self._seen[sight] = found
        return found

    def positions(self, rids: Array) -> Array:
        """Where these records are, -1 for those that are not here."""
        return positions(self.rids, rids)
