"""Searching: the best by words and the nearest, what stands around them, and all their scores.

What a search may find is settled in SQL before the best are taken. Statistics, words and vectors
are each stream's own; the best of all streams are taken together.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final, Protocol

from lamina.core import bm25
from lamina.core.access import Reach
from lamina.core.filters import Filter, Op, matches
from lamina.core.layers import LAYERS
from lamina.core.record import Record
from lamina.stores.questions import AROUND, Found, Match, Search
from lamina.stores.sqlite import index
from lamina.stores.sqlite.driver import Connection, rows
from lamina.stores.sqlite.index import Scored, Stream
from lamina.stores.sqlite.past import source
from lamina.stores.sqlite.predicates import Predicate, everything
from lamina.stores.sqlite.rows import RECORD_COLUMNS, to_record

if TYPE_CHECKING:
    # Comparing needs an array library, and a search by words alone does not.
    from lamina.stores.sqlite.nearest import Nearest

_NOTHING: Final = Scored(0.0, ())
_BATCHES: Final = 4
"""How often a ranking is looked through before it is asked which records are wanted at all."""
_AT_LEAST: Final = 64


@dataclass(frozen=True, slots=True)
class Within:
    """Which records of a stream a search may look at, as far as that can be said in advance."""

    sid: int
    reach: Reach
    where: Filter
    touched: frozenset[int]
    """Records whose newest version is of a later time than the one asked about."""


class Words(Protocol):
    """The words of one query in one stream, whatever index answers."""

    @property
    def worths(self) -> Mapping[str, float]:
        """What each term of the query tells in this stream."""

    def ranked(self) -> Iterator[tuple[int, float]]:
        """The records that hold any of the words, best first, and the newest among equals."""

    def of(self, rids: Sequence[int]) -> dict[int, Scored]:
        """What these records hold of the words, for those that hold any."""


@dataclass(slots=True)
class _Part:
    """What one stream has to say."""

    within: Within
    documents: int
    words: Words
    held: dict[int, float]
    near: dict[int, float]


@dataclass(slots=True)
class _Hunt:
    """One search under way on one connection."""

    connection: Connection
    wanted: Search
    words: Callable[[Stream, Within], Words]
    nearest: "Nearest | None"
    where: Predicate = field(init=False)
    records: dict[int, Record] = field(default_factory=dict)
    streams: dict[int, int] = field(default_factory=dict)
    """The stream of each record, by number."""
    expired: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.where = everything(self.wanted.reach, self.wanted.where, self.wanted.live_at)

    def part(self, stream: Stream) -> _Part:
        """Look for the best in one stream."""
        past = stream.past
        touched = frozenset[int](json.loads(past.touched) if past else ())
        within = Within(stream.sid, self.wanted.reach, self.wanted.where, touched)
        then = {
            one.rid
            for one in (past.documents if past else ())
            if _is_wanted(one.record, self.wanted)
        }
        words = self.words(stream, within)
        held = self._taken(words.ranked(), within, then, late=True)
        near: dict[int, float] = {}
        if self.nearest is not None:
            near = self._taken(self.nearest.ranked(within), within, then)
        return _Part(within, stream.documents, words, held, near)

    def fetch(self, rids: Iterable[int]) -> None:
        """Read records, as they were at the time asked about."""
        missing = [rid for rid in rids if rid not in self.records]
        if not missing:
            return
        moment, records = source(self.wanted.as_of)
        sql = (
            f"{moment.sql}select r.rid, r.sid, {RECORD_COLUMNS} from {records}"
            f" where r.rid in (select value from json_each(?)) and {self.where.sql}"
        )
        every = (*moment.parameters, json.dumps(missing), *self.where.parameters)
        for rid, sid, *columns in rows(self.connection, sql, every):
            self.records[rid], self.streams[rid] = to_record(tuple(columns)), sid

    def around(self, chosen: Sequence[int]) -> dict[int, int]:
        """Who was spoken before whom, for the chosen and for those beside them."""
        before: dict[int, int] = {}
        lines: dict[int, tuple[str, str]] = {}
        for rid in chosen:
            record = self.records[rid]
            if LAYERS[record.layer].in_order:
                line = (record.scope, record.layer)
                near = [*self._beside(line, rid, "<", 2), rid, *self._beside(line, rid, ">", 1)]
                before |= {later: earlier for earlier, later in pairwise(near)}
                lines |= dict.fromkeys(near, line)
        self.fetch(lines)
        for rid in lines.keys() - before.keys():
            earlier = self._beside(lines[rid], rid, "<", 1)
            if earlier and earlier[0] in lines:
                before[rid] = earlier[0]
        return before

    def _beside(self, line: tuple[str, str], rid: int, side: str, number: int) -> list[int]:
        """The records of a scope and layer right before or after one, in their order."""
        direction = "desc" if side == "<" else "asc"
        moment, records = source(self.wanted.as_of)
        sql = (
            f"{moment.sql}select r.rid from {records} where r.scope = ? and r.layer = ?"
            f" and r.rid {side} ? and {self.where.sql} order by r.rid {direction} limit ?"
        )
        every = (*moment.parameters, *line, rid, *self.where.parameters, number)
        return sorted(int(found) for (found,) in rows(self.connection, sql, every))

    def _taken(
        self,
        ranked: Iterator[tuple[int, float]],
        within: Within,
        then: Collection[int],
        *,
        late: bool = False,
    ) -> dict[int, float]:
        """The first that are wanted; when few are, it is cheaper to ask once for all of them."""
        limit, found = self.wanted.limit, dict[int, float]()
        size = max(_AT_LEAST, 2 * (limit or 0))
        for _ in range(_BATCHES if limit is not None else 0):
            batch = dict(islice(ranked, size))
            good = self._eligible([rid for rid in batch if rid not in within.touched], late=late)
            good |= batch.keys() & then
            found |= {rid: score for rid, score in batch.items() if rid in good}
            if limit is not None and (len(found) >= limit or len(batch) < size):
                return dict(islice(found.items(), limit))
        rest = dict(ranked)
        good = (self._eligible(None) - within.touched) | set(then) if rest else set()
        found |= {rid: score for rid, score in rest.items() if rid in good}
        return dict(islice(found.items(), limit))

    def _eligible(self, rids: Collection[int] | None, *, late: bool = False) -> set[int]:
        """Those of the records, or of all there are, that the search may find."""
        live_at = None if late else self.wanted.live_at
        where = everything(self.wanted.reach, self.wanted.where, live_at)
        sql = f"select r.rid from record r join version v on v.vid = r.head where {where.sql}"
        parameters = where.parameters
        if rids is not None:
            sql += " and r.rid in (select value from json_each(?))"
            parameters = (*parameters, json.dumps(list(rids)))
        found = {rid for (rid,) in rows(self.connection, sql, parameters)}
        if not late or self.wanted.live_at is None:
            return found
        live = self._eligible(found)
        self.expired |= found - live
        return live


def search(
    connection: Connection,
    wanted: Search,
    words: Callable[[Stream, Within], Words],
    nearest: "Nearest | None",
) -> Found:
    """Everything that the search may find and that stands out, in one snapshot."""
    hunt = _Hunt(connection, wanted, words, nearest)
    parts = [hunt.part(stream) for stream in index.streams(connection, wanted)]
    chosen = _chosen(parts, wanted.limit)
    hunt.fetch(chosen)
    chosen = [rid for rid in chosen if rid in hunt.records]
    best = set(_chosen(parts, AROUND)).intersection(chosen) if wanted.around else ()
    before = hunt.around([rid for rid in chosen if rid in best])
    everyone = list(dict.fromkeys((*chosen, *sorted({*before, *before.values()}))))
    found: dict[int, Match] = {}
    for part in parts:
        found |= _scores(hunt, part, [r for r in everyone if hunt.streams[r] == part.within.sid])
    linked = (
        replace(found[rid], before=hunt.records[before[rid]].id) if rid in before else found[rid]
        for rid in everyone
    )
    general = nearest.general() if nearest else None
    largest = max(parts, key=lambda part: part.documents, default=None)
    if largest is None:
        return Found(tuple(linked), general)
    return Found(
        tuple(linked), general, largest.words.worths, largest.documents, len(hunt.expired),
        degraded=nearest.degraded if nearest else (),
    )  # fmt: skip


def layers_in(where: Filter) -> set[str]:
    """The layers that a filter leaves, as far as it says so in plain words."""
    layers = set(LAYERS)
    for condition in where.conditions:
        if condition.field == "layer" and condition.op in (Op.EQ, Op.IN):
            value: Any = condition.value
            layers &= set(value) if isinstance(value, tuple) else {value}
    return layers


def _chosen(parts: Sequence[_Part], limit: int | None) -> list[int]:
    """The best of all streams by words, then the nearest."""
    chosen: dict[int, None] = {}
    for every in ([part.held for part in parts], [part.near for part in parts]):
        ranked = [pair for one in every for pair in one.items()]
        ranked.sort(key=lambda pair: (-pair[1], -pair[0]))
        chosen |= dict.fromkeys(rid for rid, _ in ranked[:limit])
    return list(chosen)


def _scores(hunt: _Hunt, part: _Part, rids: Sequence[int]) -> dict[int, Match]:
    """All that is to be said about some records of one stream."""
    held = part.words.of(rids)
    near: Mapping[int, float] = part.near
    if hunt.nearest is not None:
        unplaced = [rid for rid in rids if rid not in near]
        near = part.near | hunt.nearest.cosines(part.within, unplaced)
    worths = part.words.worths
    found = {}
    for rid in rids:
        words = held.get(rid, _NOTHING)
        coverage = bm25.coverage(words.terms, worths)
        cosine = near.get(rid)
        record = hunt.records[rid]
        found[rid] = Match(record, words.score, words.terms, coverage, cosine)
    return found


def _is_wanted(record: Record, wanted: Search) -> bool:
    live = wanted.live_at is None or record.is_live(wanted.live_at)
    return live and wanted.reach.sees(record) and matches(record, wanted.where)
