"""The JSON shapes of what has to do with a memory, and of what an undo would do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.surfaces.wire import record_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.curation.face import Undoing
    from lamina.curation.links import Neighbour, Neighbourhood


def neighbourhood_out(found: Neighbourhood) -> dict[str, Any]:
    """A memory and those around it."""
    return {
        "record": found.record.id,
        "neighbours": [_neighbour_out(one) for one in found.neighbours],
        "left_out": found.left_out,
        "chain": [record_out(one) for one in found.chain],
    }


def undoing_out(found: Sequence[Undoing]) -> dict[str, Any]:
    """What each memory is, and what it would be."""
    return {
        "undoing": [{"now": record_out(one.now), "then": record_out(one.then)} for one in found]
    }


def _neighbour_out(one: Neighbour) -> dict[str, Any]:
    ties = [{"how": tie.how.value, "why": tie.why} for tie in one.ties]
    return {"record": record_out(one.record), "ties": ties}
