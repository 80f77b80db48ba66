"""The JSON shapes of plans, of upkeep and of compaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.core.instants import to_text
from lamina.surfaces.wire import maintenance_out

if TYPE_CHECKING:
    from lamina import compaction
    from lamina.lifecycle.plan import Plan, Step
    from lamina.lifecycle.upkeep import Done, Upkeep


def plan_out(plan: Plan) -> dict[str, Any]:
    """A plan with everything that it would do."""
    return {
        "name": plan.name,
        "why": plan.why,
        "takes": plan.takes,
        "of": plan.of,
        "left": plan.left,
        "asks": plan.asks,
        "steps": [_step_out(step) for step in plan.steps],
    }


def upkeep_out(found: Upkeep) -> dict[str, Any]:
    """What upkeep did, or would do."""
    history = None if found.history is None else maintenance_out(found.history)
    return {
        "applied": found.applied,
        "at": to_text(found.at),
        "asks": found.asks,
        "plans": [_done_out(one) for one in found.done],
        "logs": found.logs,
        "compacted": [
            {"what": one.what, "entries": one.entries, "tx": one.tx or None}
            for one in found.compacted
        ],
        "history": history,
        "partitions": [
            {"scope": one.stream, "records": one.records, "apart": one.apart}
            for one in found.arranged
        ],
    }


def compaction_out(
    what: str, plan: compaction.Plan, done: compaction.Compaction | None
) -> dict[str, Any]:
    """What gives way to a summary, and after it has happened, how to take it back."""
    return {
        "what": what, "scope": plan.place.path, "why": plan.why, "replaced": len(plan.going),
        "kept": len(plan.staying), "before_tokens": plan.before_tokens,
        "after_tokens": plan.after_tokens, "before_bytes": plan.before_bytes,
        "after_bytes": plan.after_bytes, "summary": plan.summary,
        "archive_id": done.archive_id if done else None, "tx": done.receipt.tx if done else None,
    }  # fmt: skip


def _done_out(done: Done) -> dict[str, Any]:
    tx = None if done.receipt is None else done.receipt.tx
    return {**plan_out(done.plan), "waits": done.waits, "tx": tx}


def _step_out(step: Step) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": step.record.id, "rev": step.record.rev, "scope": step.record.scope,
        "layer": step.record.layer, "does": step.does.value, "reason": step.reason,
    }  # fmt: skip
    told |= {"kind": step.kind, "target": step.target} if step.target else {}
    return told | ({"merged": list(step.merged)} if step.merged else {})
