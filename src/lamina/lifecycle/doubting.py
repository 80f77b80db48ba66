"""Which memories look as if somebody wanted to steer agents with them; nothing is done about it.

The least trusted and the newest are looked at first, and no more of them than can be looked at in
a moment. How many that were is told.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.core.record import Trust
from lamina.core.scope import Scope
from lamina.core.suspicion import Sign, Suspicion, suspicions
from lamina.layers import reviewed
from lamina.lifecycle.gist import gist

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.core.record import Record
    from lamina.layers.face import Door

LAYERS: Final = ("knowledge", "fact", "notebook", "item", "blackboard", "now")
"""What agents take for known. What was said in a session or stands in a file is evidence."""
_TURNS: Final = (
    (Trust.WEB, Trust.TOOL), (Trust.FILE, Trust.AGENT), (Trust.SYSTEM, Trust.USER),
)  # fmt: skip
"""Who is looked at first."""
_BURST: Final = {Trust.WEB: 20, Trust.TOOL: 20, Trust.AGENT: 60}
"""So many of one source within a minute are a burst; of files, that is an import."""
_MINUTE: Final = 60.0
_LETTERS: Final = 1_000
"""So many characters of each are looked at on average: who writes long texts costs nobody time."""
_CHUNK: Final = 400
"""So many keys are asked about at once."""


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A memory that had better be looked at."""

    record: Record
    signs: tuple[Suspicion, ...]


@dataclass(frozen=True, slots=True)
class Doubts:
    """What looks suspicious among the memories that were looked at."""

    found: tuple[Doubtful, ...]
    looked: int
    """How many were looked at."""
    more: bool
    """Whether there is more: older, trusted more, or further into very long texts."""


def doubts(door: Door, look: int) -> Doubts:
    """Look at so many memories of each degree of trust, the newest first."""
    sound = reviewed.decisions(door, reviewed.SOUND)
    seen: list[Record] = []
    more = False
    for trusts in _TURNS:
        where = {"layer": {"$in": list(LAYERS)}, "trust": {"$in": [one.value for one in trusts]}}
        found = door.query(where, order_by="updated_at", limit=look)
        more = more or len(found) == look
        seen += found
    far = _far([len(one.text) for one in seen], look * _LETTERS)
    more = more or any(far < len(one.text) for one in seen)
    opposed, hasty = _opposed(door, seen), _bursts(seen)
    told = []
    for one in seen:
        found_in = suspicions(one.text[:far], one.trust)
        signs = (*found_in, *opposed.get(one.id, ()), *hasty.get(one.id, ()))
        decided = sound.get(one.id)
        if signs and (decided is None or not decided.holds_for(one)):
            told.append(Doubtful(one, signs))
    order = {sign: place for place, sign in enumerate(Sign)}
    told.sort(key=lambda one: (order[one.signs[0].sign], one.record.trust.rank))
    return Doubts(tuple(told), len(seen), more)


def _far(sizes: Sequence[int], letters: int) -> int:
    """How far into each text to look, so that short ones are read whole and all have their turn."""
    for many, size in enumerate(sorted(sizes)):
        left = len(sizes) - many
        if size * left > letters:
            return letters // left
        letters -= size
    return max(sizes, default=0)


def _opposed(door: Door, seen: Sequence[Record]) -> dict[str, list[Suspicion]]:
    """Those that say of something else than a person does, where both are to be seen together."""
    mine = [
        one for one in seen if one.key and one.layer == "knowledge" and one.trust is not Trust.USER
    ]
    keys = sorted({str(one.key) for one in mine})
    said: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for start in range(0, len(keys), _CHUNK):
        named = {"$in": keys[start : start + _CHUNK]}
        where = {"layer": "knowledge", "trust": Trust.USER.value, "key": named}
        for one in door.query(where, limit=1_000):
            said[one.kind, str(one.key)].append(one)
    found: dict[str, list[Suspicion]] = {}
    for one in mine:
        for person in said.get((one.kind, str(one.key)), ()):
            if Scope.of(person.scope).contains(Scope.of(one.scope)) and gist(person.text) != gist(
                one.text
            ):
                why = f"says something else than {person.source} did: {person.text[:160]!r}"
                found[one.id] = [Suspicion(Sign.CONTRADICTS, why)]
    return found


def _bursts(seen: Sequence[Record]) -> dict[str, list[Suspicion]]:
    """Those of which very many came from one source within a minute; the last speaks for all."""
    by_source: dict[tuple[str, Trust], list[Record]] = defaultdict(list)
    for one in seen:
        if one.trust in _BURST:
            by_source[one.source, one.trust].append(one)
    found: dict[str, list[Suspicion]] = {}
    for (source, trust), records in by_source.items():
        for last, many in _crowds(records, _BURST[trust]):
            why = f"one of {many:,} that `{source}` said within a minute; the others are not listed"
            found[last.id] = [Suspicion(Sign.BURST, why)]
    return found


def _crowds(records: Sequence[Record], least: int) -> Iterator[tuple[Record, int]]:
    """The last of each run of records in which so many came within a minute."""
    ordered = sorted(records, key=lambda one: one.created_at)
    run: list[Record] = []
    for one in ordered:
        if run and (one.created_at - run[0].created_at).total_seconds() > _MINUTE:
            if len(run) >= least:
                yield run[-1], len(run)
            run = []
        run.append(one)
    if len(run) >= least:
        yield run[-1], len(run)
