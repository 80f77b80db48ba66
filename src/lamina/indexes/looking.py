"""Which rows of a segment a search compares: all of few, and of many the most promising."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from lamina.indexes.file import Array
from lamina.indexes.places import Sight
from lamina.indexes.signs import alike, signs_of

if TYPE_CHECKING:
    from lamina.indexes.vectors import VectorSegment
    from lamina.indexes.views import View

LOOKED_AT: Final = 120_000
"""How many rows in sight a search looks at, by their signs, where there are lists."""
COMPARED: Final = 4_000
"""How many of them it compares with the query, number by number."""
EXACT: Final = 16_000
"""Where no more rows are in sight, all of them are compared."""
_COMPARED_FOR_ONE: Final = 20
"""And at least so many for each record that is asked for."""


def nearest(
    view: "View[VectorSegment]", query: Array, limit: int, sight: Sight
) -> tuple[Array, Array]:
    """The nearest records in sight and how near they are, in no order; more where some tie."""
    at = _worth_a_look(view, query, limit, sight)
    rows = view.segment.rows
    near = rows.cosines(query, at)
    best = _best(near, limit)
    return rows.rids[best if at is None else at[best]], near[best]


def _worth_a_look(
    view: "View[VectorSegment]", query: Array, limit: int, sight: Sight
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


def _seen(view: "View[VectorSegment]", sight: Sight) -> _Seen:
    mask = view.mask(sight)
    number = len(view.segment) if mask is None else int(np.count_nonzero(mask))
    if number > LOOKED_AT and len(view.segment.centres):
        starts = view.segment.starts
        before = starts if mask is None else np.concatenate([[0], np.cumsum(mask)])[starts]
        return _Seen(number, None, np.diff(before).astype("i8"))
    return _Seen(number, None if mask is None else np.flatnonzero(mask), None)


def _rows_of(segment: "VectorSegment", lists: Array) -> Array:
    starts = segment.starts[lists].astype("i8")
    sizes = segment.starts[lists + 1].astype("i8") - starts
    before = np.cumsum(sizes) - sizes
    return np.asarray(np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes))


def _best(near: Array, limit: int) -> Array:
    if len(near) <= limit:
        return np.arange(len(near))
    # All that are as near as the last one: which of them is taken is not for chance to say.
    last = len(near) - limit
    return np.flatnonzero(near >= np.partition(near, last)[last])
