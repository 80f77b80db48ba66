"""What each policy would do, from records alone: no store, no clock, no handle is asked here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Final

from lamina.core.canonical import dumps
from lamina.core.scope import Scope
from lamina.layers.promoting import PROMOTED, mark_of
from lamina.lifecycle.applying import MERGED
from lamina.lifecycle.gist import gist, telling
from lamina.lifecycle.plan import Does, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from lamina.core.record import Record
    from lamina.core.staleness import Stale

_LINKS: Final = (PROMOTED, MERGED)
"""What a record says of others; the ones that stay name them in its stead."""
_MOST_MERGED: Final = 100
"""So many at a time become one."""


def aged(records: Iterable[Record], now: datetime, days: int) -> list[Step]:
    """Records of work that is over so many days ago go to the archive."""
    return [
        Step(one, Does.ARCHIVE, f"{_days(one.created_at, now)} days old, {days} are kept")
        for one in records
    ]


def quiet(sessions: Iterable[Sequence[Record]], now: datetime, days: int) -> list[Step]:
    """The messages of sessions in which nothing was said for so many days go to the archive."""
    found = []
    for messages in sessions:
        last = max(message.created_at for message in messages)
        name = Scope.of(messages[0].scope).part("session")
        why = f"session {name} is silent for {_days(last, now)} days, {days} are kept"
        found += [Step(message, Does.ARCHIVE, why) for message in messages]
    return found


def crowded_out(least: Sequence[Record], bound: int) -> list[Step]:
    """The least important of a project that holds more than its bound are forgotten."""
    return [
        Step(one, Does.FORGET, f"over {bound:,} in {one.scope}; importance {one.importance:.2g}")
        for one in least
    ]


def faded(found: Iterable[Stale]) -> list[Step]:
    """What has faded could be forgotten."""
    return [
        Step(one.record, Does.FORGET, f"{one.score:.0%} faded: {'; '.join(one.reasons)}")
        for one in found
    ]


Apart = Mapping[str, AbstractSet[str]]
"""Those that somebody wants beside each other though they say the same, by record."""


def repeated(
    records: Iterable[Record], apart: Apart | None = None
) -> Iterator[tuple[Record, list[Record]]]:
    """Where records say the same: the most trusted and complete, and those it can stand for."""
    places: dict[tuple[str, str, str], list[Record]] = defaultdict(list)
    for one in records:
        if one.key is None:
            places[one.scope, one.layer, one.kind].append(one)
    for _, group in saying_the_same(places):
        best = max(group, key=_worth)
        beside = (apart or {}).get(best.id, frozenset())
        others = (one for one in group if one is not best and one.id not in beside)
        if gone := [one for one in others if _covers(best, one)]:
            yield best, gone


def merged(records: Iterable[Record], apart: Apart | None = None) -> list[Step]:
    """Of records that say the same, the most trusted and complete stays and names the others."""
    steps: list[Step] = []
    for best, others in repeated(records, apart):
        gone = others[:_MOST_MERGED]
        why = f"says the same as {len(gone)} other{'s' if len(gone) > 1 else ''}"
        ids = tuple(one.id for one in gone)
        steps.append(Step(best, Does.KEEP, why, merged=ids))
        steps += [Step(one, Does.SUPERSEDE, f"says the same as {best.id}") for one in gone]
    return steps


def saying_the_same(
    places: Mapping[tuple[str, str, str], Iterable[Record]],
) -> Iterator[tuple[tuple[str, str, str], list[Record]]]:
    """The records of each place that say the same, where there is more than one."""
    for place, there in places.items():
        # Taking a gist is most of the work, and few texts have the same long words as another.
        likely: dict[frozenset[str], list[Record]] = defaultdict(list)
        for one in there:
            likely[telling(one.text)].append(one)
        for candidates in likely.values():
            if len(candidates) > 1:
                yield from ((place, same) for same in _same(candidates))


def _same(records: Iterable[Record]) -> Iterator[list[Record]]:
    groups: dict[str, list[Record]] = defaultdict(list)
    for one in records:
        if (said := gist(one.text)) is not None:
            groups[said].append(one)
    return (group for group in groups.values() if len(group) > 1)


def marked(notes: Iterable[Record]) -> list[Step]:
    """Notes on a task that say what they are to become."""
    found = []
    for note in notes:
        scope, kind = Scope.of(note.scope), mark_of(note)
        if kind is not None and scope.part("task") and scope.part("project"):
            why = f"marked to become a {kind}"
            found.append(Step(note, Does.PROMOTE, why, kind=kind, target=scope.stream))
    return found


def agreed(known: Iterable[Record], agents: int) -> list[Step]:
    """What so many agents of a project have each learned by themselves."""
    scopes: dict[str, Scope] = {}
    places: dict[tuple[str, str, str], list[Record]] = defaultdict(list)
    for one in known:
        scope = scopes.get(one.scope) or scopes.setdefault(one.scope, Scope.of(one.scope))
        if scope.part("agent") and scope.part("project") and not scope.part("session"):
            places[scope.stream, "", one.kind].append(one)
    found = []
    for (root, _, kind), group in saying_the_same(places):
        learned: dict[str, Record] = {}
        for one in group:
            learned.setdefault(str(scopes[one.scope].part("agent")), one)
        if len(learned) >= agents:
            # What is carried over is one agent's word, and that of the least trusted.
            least = min(learned.values(), key=lambda one: (one.trust.rank, one.created_at, one.id))
            why = f"learned by {len(learned)} agents"
            found.append(Step(least, Does.PROMOTE, why, kind=kind, target=root))
    return found


def _worth(record: Record) -> tuple[Any, ...]:
    """The most trusted first, then the most complete, the weightiest and the oldest."""
    complete = len(record.data) + len(record.tags)
    age = -record.created_at.timestamp()
    return record.trust.rank, complete, record.importance, record.confidence, age, record.id


def _covers(best: Record, other: Record) -> bool:
    """Whether nothing is lost with the other: what it has, the best one has too."""
    data = {name: value for name, value in other.data.items() if name not in _LINKS}
    has = all(name in best.data and dumps(best.data[name]) == dumps(data[name]) for name in data)
    lasts = best.expires_at is None or (
        other.expires_at is not None and other.expires_at <= best.expires_at
    )
    since = best.valid_from == other.valid_from
    weighs = best.importance >= other.importance and best.confidence >= other.confidence
    return has and lasts and since and weighs and {*other.tags} <= {*best.tags}


def _days(then: datetime, now: datetime) -> int:
    return max((now - then).days, 0)


def in_turn(steps: Sequence[Step], most: int) -> tuple[tuple[Step, ...], int]:
    """As many steps as are taken at once, and how many are left for the next time.

    What belongs together, a session or those that become one, is not torn apart.
    """
    if len(steps) <= most:
        return tuple(steps), 0
    taken: list[Step] = []
    for together in _together(steps):
        if taken and len(taken) + len(together) > most:
            break
        taken += together
    return tuple(taken), len(steps) - len(taken)


def _together(steps: Sequence[Step]) -> Iterator[list[Step]]:
    group: list[Step] = []
    for step in steps:
        apart = step.record.layer != "session" or step.record.scope != _scope_of(group)
        if group and apart and step.does is not Does.SUPERSEDE:
            yield group
            group = []
        group.append(step)
    if group:
        yield group


def _scope_of(group: Sequence[Step]) -> str:
    return group[0].record.scope if group else ""
