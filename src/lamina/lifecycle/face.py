"""`mem.lifecycle`: plans, promotion, the review of proposals, and upkeep as a whole."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol

from lamina.core.scope import GLOBAL, Scope
from lamina.errors import InvalidInputError
from lamina.layers.face import Door
from lamina.layers.promoting import KNOWLEDGE, check_promotion, mark_of, promotable, promotions
from lamina.lifecycle import settling
from lamina.lifecycle.applying import apply
from lamina.lifecycle.gathering import PLANS, Gathering
from lamina.lifecycle.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.core.changes import Receipt
    from lamina.core.record import Record
    from lamina.lifecycle.review import Review
    from lamina.lifecycle.upkeep import Upkeep
    from lamina.lifecycle.weighing import Spent, Weighed
    from lamina.results import MaintenanceReport

WIDER: Final = ("experience", "project", "global")
"""Whose knowledge something can become: the agent's own, the project's, everybody's."""


class Keeper(Door, Protocol):
    """What the lifecycle needs of a handle beyond what a face does."""

    def accept(self, record_id: str) -> Receipt:
        """Make a proposal current."""

    def maintain(self, *, dry_run: bool = False, confirm: bool = False) -> MaintenanceReport:
        """Drop old versions."""

    def agent(self, name: str, *, project: str | None = None, role: str = "agent") -> Any:
        """The store as an agent sees it."""


class Lifecycle:
    """What becomes of the memories that a handle sees."""

    def __init__(self, door: Keeper) -> None:
        self._door = door

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._door.scope}>"

    def plans(self, *names: str) -> list[Plan]:
        """What would be done now, by policy: those named, or all; nothing is done by asking.

        The names are promotion, consolidation, retention, archiving, eviction and stale.
        """
        gathering = Gathering(self._door)
        return [gathering.plan(name) for name in names or PLANS]

    def weigh(self, *, breathe: Callable[[], None] = lambda: None) -> Weighed:
        """How much of what is known repeats something else, or has faded.

        It reads all knowledge within sight; `breathe` is called every few hundred records.
        """
        from lamina.lifecycle.weighing import weigh

        return weigh(self._door, breathe)

    def spent(self, *, breathe: Callable[[], None] = lambda: None) -> Spent:
        """How many tokens the attempts at tasks have cost: in all, by day, and by agent."""
        from lamina.lifecycle.weighing import spent

        return spent(self._door, breathe)

    def apply(self, plan: Plan, *, confirm: bool = False) -> Receipt | None:
        """Carry out a plan in one transaction, as `plan.apply` does."""
        if not isinstance(plan, Plan):
            raise InvalidInputError(f"`plan` is no plan: {plan!r:.60}")
        return apply(plan, confirm=confirm)

    def promote(self, *ids: str, to: str = "project", kind: str | None = None) -> Receipt | None:
        """Make records, named by id, knowledge of a wider scope; they stay where they are.

        `to` is experience (the agent's own), project or global. Without a `kind` it is the one
        that a note is marked with, the one that knowledge has, or `fact`. Each says where it came
        from and is trusted no more than that. Nothing when all of them had been promoted before.
        """
        if kind is not None:
            check_promotion(kind)
        path = self._door.path_for(self._door.principal.surface)
        asked = [(one, self._target(one, to)) for one in promotable(self._door, ids)]
        puts = []
        for target in dict.fromkeys(target for _, target in asked):
            pairs = [(one, kind or _kind(one)) for one, there in asked if there == target]
            puts += promotions(self._door, path, pairs, target)
        return path.commit(puts) if puts else None

    def proposals(self, *, limit: int = 100) -> list[Record]:
        """The review queue: knowledge and facts that wait for somebody to accept or reject them."""
        return self._door.query(settling.WAITING, limit=limit)

    def accept(self, *ids: str, edited: Mapping[str, str] | None = None) -> Receipt | None:
        """Make proposals current in one change, which `undo` takes back: all of them or none.

        `edited` are texts by id, for those that are put better as they are accepted.
        """
        return settling.accept(self._door, *ids, edited=edited)

    def reject(self, *ids: str) -> Receipt | None:
        """Hide proposals in one change, which `undo` takes back: all of them or none."""
        return settling.reject(self._door, *ids)

    @cached_property
    def review(self) -> Review:
        """What waits for somebody to look at it: `mem.lifecycle.review.waiting()`."""
        from lamina.lifecycle.review import Review

        return Review(self._door)

    def run(self, *only: str, dry_run: bool = False, confirm: bool = False) -> Upkeep:
        """Carry out all that is due, or the parts that are named.

        The parts are promotion, consolidation, retention, archiving, eviction, compaction and
        history; and stale, which is never due by itself. What asks waits unless there is a
        `confirm`. One process at a time does this on a store.

        Raises:
            BusyError: Another process is at it.
            ForbiddenError: The handle is confined to a project or a role.
        """
        from lamina.lifecycle.upkeep import run

        return run(self._door, only, dry_run=dry_run, confirm=confirm)

    def _target(self, record: Record, to: str) -> Scope:
        if to not in WIDER:
            raise InvalidInputError(
                f"`to` is not something a record can be promoted to: {to!r:.40}",
                remedy=f"Use one of: {', '.join(WIDER)}",
            )
        if to == "global":
            return GLOBAL
        if to == "experience":
            return self._door.scope
        root = self._door.principal.root or Scope.of(Scope.of(record.scope).stream)
        if root.part("project") is None:
            raise InvalidInputError(
                f"record {record.id} belongs to no project",
                remedy="Promote it to global; or keep such things in a project from now on",
            )
        return root


def _kind(record: Record) -> str:
    """What a record becomes unless somebody says otherwise."""
    if record.layer == KNOWLEDGE:
        return record.kind
    return mark_of(record) or "fact"
