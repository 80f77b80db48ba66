"""The JSON shape of what an import of another tool's memories came to."""

from typing import Any

from lamina.importing.brought import Brought, Told


def brought_out(report: Brought) -> dict[str, Any]:
    """What became of the items of a file, or would."""
    return {
        "applied": report.applied,
        "format": report.format,
        "scope": report.scope,
        "sessions": report.sessions,
        "counts": {fate.value: number for fate, number in report.counts.items()},
        "reasons": dict(report.reasons),
        "problems": [_told_out(one) for one in report.problems],
        "samples": [_told_out(one) for one in report.samples],
        "sealed": report.sealed,
        "transactions": list(report.transactions),
    }


def _told_out(told: Told) -> dict[str, Any]:
    return {
        "fate": told.fate.value,
        "item": told.place.item,
        "line": told.place.line,
        "session": told.session,
        "text": told.text,
        "note": told.note,
    }
