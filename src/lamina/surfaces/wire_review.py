"""The JSON shapes of what waits for a person, and of what was decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.surfaces.wire import receipt_out, record_out
from lamina.surfaces.wire_marks import units_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.record import Record
    from lamina.lifecycle.doubting import Doubtful, Doubts
    from lamina.lifecycle.settling import Settled
    from lamina.lifecycle.waiting import Evidence, Waiting


def waiting_out(found: Waiting) -> dict[str, Any]:
    """A proposal, what stands in its place, why it waits, and where it was read."""
    return {
        "record": record_out(found.record),
        "stands": None if found.stands is None else record_out(found.stands),
        "why": list(found.why),
        "evidence": [_evidence_out(one) for one in found.evidence],
    }


def settled_out(done: Settled) -> dict[str, Any]:
    """What was decided, and what was left and why."""
    return {
        "receipt": None if done.receipt is None else receipt_out(done.receipt),
        "done": list(done.done),
        "left": [{"id": name, "why": why} for name, why in done.left.items()],
    }


def doubts_out(found: Doubts) -> dict[str, Any]:
    """Memories that look suspicious, with the passages that do."""
    return {
        "looked": found.looked,
        "more": found.more,
        "found": [
            {"record": record_out(one.record), "signs": _signs_out(one)} for one in found.found
        ],
    }


def alike_out(groups: Sequence[Sequence[Record]]) -> dict[str, Any]:
    """Groups of memories that say nearly the same."""
    return {"groups": [{"records": [record_out(one) for one in group]} for group in groups]}


def _signs_out(found: Doubtful) -> list[dict[str, Any]]:
    """What is odd about a text, and where it stands in it."""
    places = units_out(found.record.text, [(sign.start, sign.end) for sign in found.signs])
    return [
        {"sign": sign.sign.value, "why": sign.why, "start": start, "end": end}
        for sign, (start, end) in zip(found.signs, places, strict=True)
    ]


def _evidence_out(found: Evidence) -> dict[str, Any]:
    record = None if found.record is None else record_out(found.record)
    return {"quote": found.quote, "record": record, "place": found.place or None}
