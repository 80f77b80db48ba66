"""How good what is known is, and what work has cost: figures over everything within sight.

They read every record that they are about, in the order of the file and a few at a time. On a large
store that takes seconds; who must not be in anybody's way takes a breath in between.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, Final

from lamina.core.layers import LAYERS
from lamina.core.record import State
from lamina.core.retention import ALL
from lamina.core.settings import HALF_LIFE
from lamina.core.staleness import stale
from lamina.layers import reviewed
from lamina.layers.fading import fading
from lamina.layers.promoting import KNOWLEDGE
from lamina.lifecycle import policies
from lamina.lifecycle.gist import gist, telling
from lamina.timing import StoreClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.layers.face import Door

DAYS: Final = 14
"""So many days back are told one by one."""
_SOME: Final = 250
"""Between two breaths."""
_MANY: Final = 2_000
"""So many are asked about at once."""
_SPENT_MOST: Final = 5
_KEPT: Final = frozenset((State.CURRENT, State.ARCHIVED))
"""What was spent stays spent when the episode goes to the archive."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """How much of what is known says the same as something else, or has faded."""

    at: datetime
    known: int
    """How many pieces of knowledge there are."""
    repeated: int
    """Those that `consolidation` would let go, because another says the same."""
    stale: int
    """Those that `stale` would propose to forget."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What attempts at tasks have cost, in tokens, as far as they say so."""

    at: datetime
    episodes: int
    tokens_in: int
    tokens_out: int
    days: tuple[tuple[str, int], ...]
    """The last days, oldest first, today last: each with the tokens of that day, by UTC."""
    agents: tuple[tuple[str, int], ...]
    """Who spent most, most first."""


def weigh(door: Door, breathe: Callable[[], None]) -> Weighed:
    """Go through all knowledge within sight."""
    now = StoreClock(door.store).now()
    known, faded = 0, _Fading(door, now)
    alike: defaultdict[bytes, list[RecordId]] = defaultdict(list)
    for some in _walked(door, KNOWLEDGE, breathe):
        live = [one for one in some if one.is_live(now)]
        known += len(live)
        faded.add(live)
        for one in live:
            if one.key is None:
                alike[_mark(one)].append(one.id)
    # The records themselves are not kept meanwhile: they would fill the memory of the process.
    again = [ids for ids in alike.values() if len(ids) > 1]
    apart, repeated = reviewed.apart(door), 0
    for ids in again:
        breathe()
        there = door.store.get(door.reach, ids)
        repeated += sum(len(gone) for _, gone in policies.repeated(there, apart))
    return Weighed(now, known, repeated, faded.all())


class _Fading:
    """Counts what has faded, asking about use only where age alone would not save a record."""

    def __init__(self, door: Door, now: datetime) -> None:
        half_life = door.settings()[HALF_LIFE]
        self._door, self._now = door, now
        self._days = None if half_life == ALL else int(half_life)
        self._doubtful: list[Record] = []
        self._faded = 0

    def add(self, records: list[Record]) -> None:
        if self._days is not None:
            found = stale(records, {}, now=self._now, half_life_days=self._days)
            self._doubtful += [one.record for one in found]
        if len(self._doubtful) >= _MANY:
            self.all()

    def all(self) -> int:
        self._faded += len(fading(self._door, self._doubtful, self._now))
        self._doubtful = []
        return self._faded


def spent(door: Door, breathe: Callable[[], None]) -> Spent:
    """Go through all episodes within sight, those in the archive included."""
    now = StoreClock(door.store).now()
    agents, days = Counter[str](), Counter[str]()
    many = taken = given = 0
    for some in _walked(door, "episode", breathe):
        for one in some:
            if one.state not in _KEPT:
                continue
            many += 1
            told, said = _tokens(one, "tokens_in"), _tokens(one, "tokens_out")
            taken, given = taken + told, given + said
            agents[one.source] += told + said
            days[_day(one.created_at)] += told + said
    last = [_day(now - timedelta(days=back)) for back in reversed(range(DAYS))]
    most = tuple((name, tokens) for name, tokens in agents.most_common(_SPENT_MOST) if tokens)
    return Spent(now, many, taken, given, tuple((day, days[day]) for day in last), most)


def _walked(door: Door, layer: str, breathe: Callable[[], None]) -> Iterator[list[Record]]:
    """All records of a layer within sight, whatever their state, some at a time."""
    reach = door.reach.without(frozenset(LAYERS) - {layer})
    streams = reach.streams()
    for stream in door.store.streams() if streams is None else sorted(streams):
        records = door.store.walk(reach, stream)
        while some := list(islice(records, _SOME)):
            yield some
            breathe()


def _mark(record: Record) -> bytes:
    """The same for records that may say the same; their gist is taken only if there are several."""
    words = sorted(telling(record.text)) or [gist(record.text) or ""]
    told = "\0".join((record.scope, record.layer, record.kind, *words))
    return blake2b(told.encode("utf-8", "replace"), digest_size=16).digest()


def _tokens(record: Record, name: str) -> int:
    said = record.data.get(name)
    return said if isinstance(said, int) and not isinstance(said, bool) and said > 0 else 0


def _day(at: datetime) -> str:
    return at.astimezone(UTC).date().isoformat()
