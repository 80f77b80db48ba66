"""Carrying a plan out: its steps as changes of one commit, through the one write path."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from lamina.core.record import State
from lamina.core.retention import ALL
from lamina.core.scope import Scope
from lamina.core.settings import AUTO_PROMOTION, SESSION_DAYS, in_force
from lamina.errors import ConflictError, InvalidInputError
from lamina.layers.ending import reviewed
from lamina.layers.promoting import promotions
from lamina.lifecycle.plan import Does, Plan
from lamina.lifecycle.quiet import is_quiet
from lamina.timing import StoreClock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.core.changes import Change, Put, Receipt
    from lamina.layers.face import Door
    from lamina.lifecycle.plan import Step
    from lamina.writing import WritePath

MERGED: Final = "merged"
"""Where a record says which others it stands for."""
_STATES: Final = {
    Does.ARCHIVE: State.ARCHIVED, Does.FORGET: State.FORGOTTEN, Does.SUPERSEDE: State.SUPERSEDED,
}  # fmt: skip


def apply(plan: Plan, *, confirm: bool) -> Receipt | None:
    """Carry a plan out; see `Plan.apply`."""
    door = plan.door
    if door is None:
        raise InvalidInputError("`plan` belongs to no handle", remedy="Use mem.lifecycle.plans()")
    if not isinstance(confirm, bool):
        raise InvalidInputError(f"`confirm` must be True or False, not {confirm!r:.40}")
    if plan.asks and not confirm:
        raise InvalidInputError(told(plan), remedy="Look at plan.steps; then confirm (--yes)")
    path = door.path_for(door.principal.surface)
    _check_quiet(door, plan)
    changes = list(_changes(door, path, plan))
    return path.commit(changes) if changes else None


def told(plan: Plan) -> str:
    """Why a plan asks."""
    if plan.only_proposes:
        return f"`{plan.name}` only proposes: nobody has agreed that {plan.takes:,} records go"
    return (
        f"`{plan.name}` would take {plan.takes:,} of the {plan.of:,} current records"
        f" ({plan.share:.0%}), and nobody has agreed to that"
    )


def _check_quiet(door: Door, plan: Plan) -> None:
    """A session that somebody has gone on with since is not put aside by halves."""
    sessions = {step.record.scope for step in plan.steps if step.record.layer == "session"}
    days = door.settings()[SESSION_DAYS]
    since = StoreClock(door.store).now() - timedelta(days=0 if days == ALL else int(days))
    for scope in sessions:
        if not is_quiet(door, scope, since):
            name = Scope.of(scope).part("session")
            raise ConflictError(f"the session {name} goes on again", remedy="Plan anew")


def _changes(door: Door, path: WritePath, plan: Plan) -> Iterator[Change]:
    for step in plan.steps:
        if step.takes:
            yield path.move(step.record, _STATES[step.does])
        elif step.does is Does.KEEP:
            yield _stands_for(path, step)
    promoted = [step for step in plan.steps if step.does is Does.PROMOTE]
    for target in dict.fromkeys(step.target for step in promoted):
        yield from _promoted(door, path, [one for one in promoted if one.target == target])


def _stands_for(path: WritePath, step: Step) -> Put:
    """The same words, said by the same, with the names of those that go."""
    record = step.record
    before = record.data.get(MERGED)
    earlier = before if isinstance(before, list) else []
    data = {**record.data, MERGED: [*earlier, *step.merged]}
    said = {"data": data, "via": record.trust.value}
    # Nothing of the others goes into it, so it is believed as it was and by the same name.
    put = path.edit(record, said, record.rev)
    content = replace(
        put.content, source=record.source, supersedes=record.supersedes or step.merged[-1]
    )
    return replace(put, content=content, proposal=False)


def _promoted(door: Door, path: WritePath, steps: Sequence[Step]) -> Iterator[Put]:
    for step in steps:
        if path.existing(step.record.id).rev != step.record.rev:
            raise ConflictError(
                f"record {step.record.id} has changed since the plan was made",
                remedy="Plan anew",
            )
    asked = [(step.record, step.kind) for step in steps]
    waits = in_force(door.store.settings(), AUTO_PROMOTION) == "propose"
    for put in promotions(door, path, asked, Scope.of(steps[0].target)):
        yield replace(reviewed(door, put), proposal=True) if waits else reviewed(door, put)
