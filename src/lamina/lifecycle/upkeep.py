"""Upkeep: everything that is due on a store, one policy after the other, by one process at a time.

Each plan is made right before it is carried out, in a transaction of its own. Being killed in
between leaves the policies before it done and the others for the next time.
"""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from lamina import leasing
from lamina.compaction import logs
from lamina.core.scope import GLOBAL, Scope
from lamina.errors import ConflictError, ForbiddenError, InvalidInputError
from lamina.layers.face import every
from lamina.lifecycle.applying import apply, told
from lamina.lifecycle.gathering import PLANS, Gathering
from lamina.models.summing import summariser
from lamina.timing import StoreClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from lamina.compaction import Compaction
    from lamina.compaction.checking import Summarise
    from lamina.core.arranging import Arranged
    from lamina.core.changes import Receipt
    from lamina.lifecycle.face import Keeper
    from lamina.lifecycle.plan import Plan
    from lamina.results import MaintenanceReport

HISTORY: Final = "history"
PARTITIONS: Final = "partitions"
COMPACTION: Final = "compaction"
STALE: Final = "stale"
DUE: Final = (*(name for name in PLANS if name != STALE), COMPACTION, HISTORY, PARTITIONS)
"""What is carried out unless something is named, in this order."""
PARTS: Final = (*DUE, STALE)
LEASE: Final = "maintenance"
_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Done:
    """What came of one plan."""

    plan: Plan
    receipt: Receipt | None = None
    """`undo` with its transaction takes it back; `None` while nothing was done."""
    waits: bool = False
    """Whether it asks, and nobody has agreed."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """A log or session that was compacted, or after a dry run would be."""

    what: str
    entries: int
    tx: str = ""
    """`undo` with it takes it back; empty after a dry run."""


@dataclass(slots=True)
class Upkeep:
    """What upkeep did, or after a dry run would do."""

    applied: bool
    at: datetime
    """The time by which ages were reckoned."""
    done: list[Done] = field(default_factory=list)
    compacted: list[Compacted] = field(default_factory=list)
    logs: int | None = None
    """How many logs were looked at; nothing when that was not asked for."""
    history: MaintenanceReport | None = None
    """What became of old versions; nothing when that was not asked for."""
    arranged: list[Arranged] = field(default_factory=list)
    """Projects that got partitions of their own, or gave them back."""
    asks: list[str] = field(default_factory=list)
    """Why something waits for a yes, in words."""


def run(door: Keeper, only: tuple[str, ...], *, dry_run: bool, confirm: bool) -> Upkeep:
    """Carry out what is due; see `Lifecycle.run`."""
    for name in only:
        if name not in PARTS:
            raise InvalidInputError(
                f"`only` cannot be {name!r:.60}", remedy=f"Use one of: {', '.join(PARTS)}"
            )
    if not door.principal.is_owner:
        raise ForbiddenError(
            "a handle confined to a project or a role does not maintain the store",
            remedy="Use the handle that lamina.open(DIRECTORY) returned",
        )
    found = Upkeep(applied=not dry_run, at=StoreClock(door.store).now())
    turn = nullcontext() if dry_run else leasing.take(door, LEASE, scope=GLOBAL)
    with turn as lease:
        for name in [name for name in PARTS if name in (only or DUE)]:
            if lease is not None:
                lease.check()
            _part(name)(door, name, found, confirm)
    return found


def _part(name: str) -> Callable[[Keeper, str, Upkeep, bool], None]:
    special = {HISTORY: _history, COMPACTION: _compaction, PARTITIONS: _partitions}
    return special.get(name, _planned)


def _planned(door: Keeper, name: str, found: Upkeep, confirm: bool) -> None:
    for attempt in range(_TRIES):
        plan = Gathering(door).plan(name)
        if plan.asks and not confirm:
            found.asks.append(told(plan))
            found.done.append(Done(plan, waits=True))
            return
        try:
            receipt = apply(plan, confirm=confirm) if found.applied else None
        except ConflictError:
            # Somebody changed one of the records in between; nothing was done.
            if attempt == _TRIES - 1:
                raise
            continue
        found.done.append(Done(plan, receipt))
        return


def _history(door: Keeper, name: str, found: Upkeep, confirm: bool) -> None:
    """Old versions go, unless that asks and nobody has agreed."""
    report = door.maintain(dry_run=True)
    if report.asks and not confirm:
        share = report.pruned / max(report.versions, 1)
        found.asks.append(
            f"`{name}` would drop {report.pruned:,} of the {report.versions:,} versions kept"
            f" ({share:.0%}), and nobody has agreed to that"
        )
    elif found.applied:
        report = door.maintain(confirm=confirm)
    found.history = report


def _partitions(door: Keeper, name: str, found: Upkeep, confirm: bool) -> None:
    """Large projects get a place of their own, which changes nothing that can be read."""
    found.arranged = door.store.arrange(dry_run=not found.applied)


def _compaction(door: Keeper, name: str, found: Upkeep, confirm: bool) -> None:
    """Long logs and sessions are compacted, each in a transaction of its own."""
    agents = list(_agents(door))
    found.logs = len(agents)
    for agent in agents:
        if not found.applied:
            found.compacted += _long(agent)
            continue
        compact = partial(_compacted, found, summariser(agent))
        compact(f"log of {agent.scope}", agent.compact_log)
        for session in agent.session.names():
            compact(f"session {session} of {agent.scope}", agent.session(session).compact)


def _compacted(
    found: Upkeep, summarise: Summarise | None, what: str, compact: Callable[..., Compaction | None]
) -> None:
    # Somebody may write to it at this moment: nothing was done, and it is as due the next time.
    with suppress(ConflictError):
        made = compact(summarise=summarise)
        if made is not None:
            found.compacted.append(Compacted(what, made.entries, made.receipt.tx))


def _long(agent: Any) -> Iterator[Compacted]:
    """What of an agent is long enough; no model is asked, as nobody reads the summary."""
    plan = logs.plan(agent, agent.scope)
    if plan is not None:
        yield Compacted(f"log of {agent.scope}", len(plan.going))
    for session in agent.session.names():
        plan = agent.session(session).plan_compaction()
        if plan is not None:
            yield Compacted(f"session {session} of {agent.scope}", len(plan.going))


def _agents(door: Keeper) -> Iterator[Any]:
    """The agents that have a log or a session, each as a handle of its own."""
    said = every(door, {"layer": {"$in": ["log", "session"]}})
    owners = dict.fromkeys(
        (*map(Scope.of(entry.scope).part, ("agent", "project")),) for entry in said
    )
    for name, project in owners:
        if name is not None:
            yield door.agent(name, project=project)
