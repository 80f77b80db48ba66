"""The JSON of a move to another place."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lamina.results import MoveReport


def move_out(report: "MoveReport") -> dict[str, Any]:
    """What a move brought to another place, or would bring."""
    return {
        "source": report.source,
        "target": report.target,
        "identity": report.identity,
        "applied": report.applied,
        "kept": report.kept,
        "resumed": report.resumed,
        "rows": dict(report.rows),
        "digests": dict(report.digests),
        "recalled": report.recalled,
        "held_seconds": report.held_seconds,
        "key": report.key,
        "hot": report.hot,
    }


def reopened_out(moved_to: str | None) -> dict[str, Any]:
    """That a store may be written again, and where it had been moved to."""
    return {"reopened": moved_to is not None, "moved_to": moved_to}
