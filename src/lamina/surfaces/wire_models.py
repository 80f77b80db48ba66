"""The JSON shapes of what has to do with models that chat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lamina.models.governor import Governed
    from lamina.proposing import Report


def model_out(found: Governed | None) -> dict[str, Any]:
    """Which model may be asked, and what it has cost."""
    if found is None:
        return {"model": None}
    return {
        "model": found.name,
        "url": getattr(found.model, "url", None),
        "project": found.book.scope,
        "used_today": found.book.spent(),
        "per_day": found.day,
        "per_job": found.job,
    }


def reports_out(reports: list[Report]) -> dict[str, Any]:
    """What models proposed, and what of it is not believed."""
    return {
        "proposals": [one for report in reports for one in _proposals_out(report)],
        "left_out": [why for report in reports for why in report.left_out],
        "known": sum(report.known for report in reports),
        "read": sum(report.read for report in reports),
    }


def _proposals_out(report: Report) -> list[dict[str, Any]]:
    # In a dry run there are no records.
    ids: list[Any] = [*report.ids] or [None] * len(report.proposals)
    return [
        {
            "id": name, "layer": one["layer"], "scope": one["scope"], "kind": one["kind"],
            "key": one.get("key"), "text": one["text"], "data": one["data"],
        }
        for name, one in zip(ids, report.proposals, strict=True)
    ]  # fmt: skip
