"""What becomes of memories in time: plans, promotion, review, and upkeep as a whole."""

from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import Field

from lamina.core.permissions import Permission
from lamina.errors import ConflictError
from lamina.surfaces import wire
from lamina.surfaces.http import layer_shapes, shapes
from lamina.surfaces.http.routing import Called, Routes
from lamina.surfaces.http.seeing import Seen
from lamina.surfaces.http.shapes import Body, Question
from lamina.surfaces.wire_lifecycle import plan_out, upkeep_out
from lamina.surfaces.wire_memory import whole_out

ROUTES = Routes(tag="lifecycle")
Policy = Literal["promotion", "consolidation", "retention", "archiving", "eviction", "stale"]
Part = Literal[
    "promotion", "consolidation", "retention", "archiving", "eviction", "compaction", "history",
    "partitions", "stale",
]  # fmt: skip


class Wanted(Question):
    """Which plans are asked for."""

    name: Policy | None = Field(None, description="All unless given.")


class Agreed(Body):
    """What of a plan is to be done."""

    only: list[str] | None = Field(
        None, description="The records that were shown; if others are due by now, they wait."
    )
    confirm: bool = Field(False, description="Agree, where the plan asks.")


class Ids(Body):
    """Records by id."""

    ids: list[str] = Field(min_length=1, max_length=1_000)


class Promoted(Ids):
    """Records, and whose knowledge they become."""

    to: Literal["experience", "project", "global"] = "project"
    kind: str | None = None


class Run(Body):
    """What upkeep does."""

    only: list[Part] = []
    dry_run: bool = True
    confirm: bool = Field(False, description="Agree to what asks.")


@ROUTES.add("GET", "/api/lifecycle/plans", Permission.READ, answers=layer_shapes.Plans)
def list_plans(memory: Seen, asked: Annotated[Wanted, Query()]) -> dict[str, Any]:
    """What would be done now, by policy, to which records and why; nothing is done by asking."""
    names = () if asked.name is None else (asked.name,)
    return {"plans": [plan_out(one) for one in memory.lifecycle.plans(*names)]}


@ROUTES.add("POST", "/api/lifecycle/plans/{name}/apply", Permission.WRITE,
            answers=layer_shapes.MaybeReceipt)  # fmt: skip
def apply_plan(
    memory: Seen, name: Annotated[Policy, Path(description="The policy.")], body: Agreed
) -> dict[str, Any]:
    """Carry out a plan in one transaction; the receipt is null when nothing was to be done."""
    [plan] = memory.lifecycle.plans(name)
    if body.only is not None:
        wanted = frozenset(body.only)
        if not wanted <= {*plan.ids}:
            raise ConflictError(
                "`only` names records that the plan does not speak of (any more)",
                remedy="Ask for the plan again",
            )
        plan = replace(plan, steps=tuple(one for one in plan.steps if one.record.id in wanted))
    done = memory.lifecycle.apply(plan, confirm=body.confirm)
    return {"receipt": None if done is None else wire.receipt_out(done)}


@ROUTES.add("POST", "/api/lifecycle/promote", Permission.WRITE, answers=layer_shapes.MaybeReceipt)
def promote(memory: Seen, body: Promoted) -> dict[str, Any]:
    """Make records knowledge of a wider scope; they stay where they are."""
    done = memory.lifecycle.promote(*body.ids, to=body.to, kind=body.kind)
    return {"receipt": None if done is None else wire.receipt_out(done)}


@ROUTES.add("GET", "/api/lifecycle/proposals", Permission.READ, answers=shapes.Records)
def list_proposals(memory: Seen) -> dict[str, Any]:
    """What waits for somebody to accept or reject it."""
    found = memory.lifecycle.proposals(limit=1_000)
    return whole_out(found)


@ROUTES.add("POST", "/api/lifecycle/reject", Permission.WRITE, answers=layer_shapes.MaybeReceipt)
def reject(memory: Seen, body: Ids) -> dict[str, Any]:
    """Hide proposals in one change, which `undo` takes back."""
    done = memory.lifecycle.reject(*body.ids)
    return {"receipt": None if done is None else wire.receipt_out(done)}


@ROUTES.add("POST", "/api/lifecycle/run", Permission.ADMIN, answers=layer_shapes.Upkeep)
def run(caller: Called, body: Run) -> dict[str, Any]:
    """Carry out all that is due on the store, or after a dry run only tell what that is."""
    found = caller.memory.lifecycle.run(*body.only, dry_run=body.dry_run, confirm=body.confirm)
    return upkeep_out(found)
