"""The plans of a handle: each policy shown what it needs to know, and no more than may be touched.

Ages are reckoned by the time that the store believes, so a clock that is years off makes nothing
old. What the handle may not change is no part of its plans.
"""

from __future__ import annotations

from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from lamina.core.access import check_removal, may_write
from lamina.core.record import State, Trust
from lamina.core.retention import ALL
from lamina.core.scope import Scope
from lamina.core.settings import (
    AUTO_PROMOTION,
    EPISODE_DAYS,
    HALF_LIFE,
    MAX_ITEMS,
    PROMOTION_AGENTS,
    SESSION_DAYS,
)
from lamina.core.staleness import LASTING, youngest
from lamina.errors import ForbiddenError, InvalidInputError
from lamina.layers import reviewed
from lamina.layers.face import PAGE, every, made_before
from lamina.layers.fading import fading
from lamina.layers.promoting import KNOWLEDGE, PROMOTE
from lamina.layers.tiers import evictable
from lamina.lifecycle import policies
from lamina.lifecycle.gist import gist
from lamina.lifecycle.plan import Plan
from lamina.lifecycle.quiet import is_quiet
from lamina.timing import StoreClock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.core.record import Record
    from lamina.layers.face import Door
    from lamina.lifecycle.plan import Step

_EVER: Final = {"state": {"$in": [state.value for state in State]}}


class Gathering:
    """What a handle sees, as plans."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._settings = door.settings()
        self._now = StoreClock(door.store).now()
        self._known: dict[str, set[tuple[str, str | None]]] = {}
        """What was ever known where, by kind and gist, as far as somebody asked."""

    def plan(self, name: str) -> Plan:
        """One plan by its name."""
        if name not in PLANS:
            raise InvalidInputError(
                f"there is no plan `{name!s:.60}`", remedy=f"Use one of: {', '.join(PLANS)}"
            )
        plan: Plan = PLANS[name](self)
        return plan

    def promotion(self) -> Plan:
        """Marked notes, and what several agents learned, become project knowledge."""
        auto = self._settings[AUTO_PROMOTION]
        if auto == "off":
            return self._made("promotion", f"nothing by itself: `{AUTO_PROMOTION}` is off", ())
        agents = int(self._settings[PROMOTION_AGENTS])
        notes = every(self._door, {"layer": "notebook", f"data.{PROMOTE}": {"$ne": None}})
        steps = [*policies.marked(notes), *policies.agreed(self._knowledge(), agents)]
        how = "proposed as" if auto == "propose" else "made"
        why = f"marked notes, and what {agents} agents learned alike, are {how} project knowledge"
        return self._made("promotion", why, filter(self._is_new, steps))

    def consolidation(self) -> Plan:
        """Statements without a key that say the same become one."""
        mine = self._mine(every(self._door, {"layer": KNOWLEDGE, "key": None}))
        return self._made(
            "consolidation", "knowledge without a key that says the same becomes one",
            policies.merged(mine, reviewed.apart(self._door)),
        )  # fmt: skip

    def retention(self) -> Plan:
        """Old episodes go to the archive."""
        days = self._settings[EPISODE_DAYS]
        why = f"episodes older than `{EPISODE_DAYS}` ({days}) are archived"
        if days == ALL:
            return self._made("retention", why, ())
        old = every(self._door, {"layer": "episode", **self._before(days)})
        steps = policies.aged(self._mine(old), self._now, int(days))
        return self._made("retention", why, steps)

    def archiving(self) -> Plan:
        """Sessions that have been silent for long go to the archive."""
        days = self._settings[SESSION_DAYS]
        why = f"sessions silent for longer than `{SESSION_DAYS}` ({days}) are archived"
        if days == ALL:
            return self._made("archiving", why, ())
        steps = policies.quiet(self._silent(days), self._now, int(days))
        return self._made("archiving", why, steps)

    def eviction(self) -> Plan:
        """Projects that hold more than they may lose the least important tenth."""
        bound = int(self._settings[MAX_ITEMS])
        steps: list[Step] = []
        for stream in self._door.store.streams():
            project = Scope.of(stream).part("project")
            if project is not None and self._door.reach.covers(stream, KNOWLEDGE):
                least = self._mine(evictable(self._door, stream, bound))
                steps += policies.crowded_out(list(least), bound)
        why = f"a project with more than `{MAX_ITEMS}` ({bound:,}) loses the least important tenth"
        return self._made("eviction", why, steps, is_bounded=True)

    def stale(self) -> Plan:
        """Knowledge that has faded could be forgotten."""
        known = list(self._mine(self._old()))
        why = f"knowledge unused for two times `{HALF_LIFE}` and not talked about could go"
        steps = policies.faded(fading(self._door, known, self._now))
        return self._made("stale", why, steps, only_proposes=True)

    def _made(self, name: str, why: str, steps: Iterable[Step], **how: bool) -> Plan:
        taken, left = policies.in_turn(list(steps), PAGE)
        of = self._door.count()
        return Plan(name, why, taken, of, left, door=self._door, **how)

    def _knowledge(self) -> Iterator[Record]:
        return every(self._door, {"layer": KNOWLEDGE})

    def _old(self) -> Iterator[Record]:
        """The knowledge that can have faded at all; what is younger is not even read."""
        half_life = self._settings[HALF_LIFE]
        if half_life == ALL:
            return
        for trust in Trust:
            days = youngest(trust, int(half_life))
            yield from every(self._door, {
                "layer": KNOWLEDGE, "trust": trust.value, "importance": {"$lt": LASTING},
                "updated_at": {"$lte": self._now - timedelta(days=days)},
            })  # fmt: skip

    def _before(self, days: str) -> dict[str, Any]:
        return made_before(self._now - timedelta(days=int(days)))

    def _mine(self, records: Iterable[Record]) -> Iterator[Record]:
        """Those that the handle may take away."""
        # Whose record it is and where decides, which few of very many differ in.
        known: dict[tuple[str, str, str, Trust], bool] = {}
        for record in records:
            sort = record.scope, record.layer, record.source, record.trust
            if sort not in known:
                known[sort] = self._is_mine(record)
            if known[sort]:
                yield record

    def _is_mine(self, record: Record) -> bool:
        try:
            check_removal(self._door.principal, record)
        except ForbiddenError:
            return False
        return True

    def _silent(self, days: str) -> Iterator[list[Record]]:
        """The messages of sessions in which nothing was said since, the oldest session first.

        One that somebody runs at this moment is not silent.
        """
        sessions: dict[str, list[Record]] = {}
        for message in self._mine(every(self._door, {"layer": "session", **self._before(days)})):
            sessions.setdefault(message.scope, []).append(message)
        since = self._now - timedelta(days=int(days))
        for scope, messages in sessions.items():
            if is_quiet(self._door, scope, since):
                yield messages

    @cached_property
    def _narrow(self) -> dict[str, reviewed.Decision]:
        """What somebody wants to stay where it is."""
        return reviewed.decisions(self._door, reviewed.NARROW)

    def _is_new(self, step: Step) -> bool:
        """Whether it may be known there and never was; what was rejected is not tried again."""
        stays = self._narrow.get(step.record.id)
        if stays is not None and stays.holds_for(step.record):
            return False
        if not may_write(self._door.principal, Scope.of(step.target), KNOWLEDGE):
            return False
        there = self._known.get(step.target)
        if there is None:
            found = every(self._door, {"layer": KNOWLEDGE, "scope": step.target, **_EVER})
            there = self._known[step.target] = {(one.kind, gist(one.text)) for one in found}
        return (step.kind, gist(step.record.text)) not in there


PLANS: Final = {
    "promotion": Gathering.promotion, "consolidation": Gathering.consolidation,
    "retention": Gathering.retention, "archiving": Gathering.archiving,
    "eviction": Gathering.eviction, "stale": Gathering.stale,
}  # fmt: skip
"""The plans there are, in the order in which they are carried out."""
