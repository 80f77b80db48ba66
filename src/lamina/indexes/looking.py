"""Which rows of a segment a search compares: all of few, and of many the most promising."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from lamina.indexes.file import Array
from lamina.indexes.outlines import asked_outline
from lamina.indexes.places import Sight
from lamina.indexes.signs import AskedSigns, alike

if TYPE_CHECKING:
    from lamina.indexes.vectors import VectorSegment
    from lamina.indexes.views import View

LOOKED_AT: Final = 12_000
"""Of so many rows a search looks at the signs, at least, where there are outlines."""
_OF_ROWS: Final = 16
"""And of one row in so many."""
COMPARED: Final = 1_500
"""How many of them it compares with the query, number by number."""
_COMPARED_OF: Final = 500
"""And of one row in so many."""
EXACT: Final = 8_000
"""Where no more rows are in sight, all of them are compared."""
_COMPARED_FOR_ONE: Final = 10
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
    compared = max(COMPARED + seen.number // _COMPARED_OF, _COMPARED_FOR_ONE * limit)
    if seen.number <= max(EXACT, compared):
        return seen.rows
    rows = seen.rows
    looked_at = max(LOOKED_AT, seen.number // _OF_ROWS, 4 * compared)
    if seen.number > 2 * looked_at and segment.directions.shape[1]:
        asked = asked_outline(query, segment.middle, segment.directions)
        rows = alike(segment.outlines, asked, rows, looked_at)
    return alike(segment.signs, AskedSigns.of(query, segment.middle), rows, compared)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is in sight of a segment: how many rows, and which (`None` for all)."""

    number: int
    rows: Array | None


def _seen(view: "View[VectorSegment]", sight: Sight) -> _Seen:
    mask = view.mask(sight)
    rows = None if mask is None else np.flatnonzero(mask)
    return _Seen(len(view.segment) if rows is None else len(rows), rows)


def _best(near: Array, limit: int) -> Array:
    if len(near) <= limit:
        return np.arange(len(near))
    # All that are as near as the last one: which of them is taken is not for chance to say.
    last = len(near) - limit
    return np.flatnonzero(near >= np.partition(near, last)[last])
