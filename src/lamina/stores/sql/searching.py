"""Searching: the best by words and the nearest, what stands around them, and all their scores.

What a search may find is settled in SQL before the best are taken. Statistics, words and vectors
are each stream's own; the best of all streams are taken together.
"""

import heapq
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, Final, Protocol, TypeAlias

from lamina.core import bm25
from lamina.core.access import EVERYTHING as ALL_THERE_IS
from lamina.core.access import Reach
from lamina.core.filters import Filter, Op
from lamina.core.layers import LAYERS
from lamina.core.record import Record
from lamina.core.vectors import Sample
from lamina.stores.questions import AROUND, Found, Match, Search
from lamina.stores.sql.driver import Connection, rows
from lamina.stores.sql.index import Scored
from lamina.stores.sql.past import meant, source
from lamina.stores.sql.predicates import alive, everything
from lamina.stores.sql.rows import RECORD_COLUMNS, to_record
from lamina.stores.sql.streams import Stream, streams

_NOTHING: Final = Scored(0.0, ())
_BATCHES: Final = 4
"""How often rankings are looked through before it is asked which records are wanted at all."""
_AT_LEAST: Final = 32
_GROWTH: Final = 2


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
    def statistics(self) -> bm25.Statistics:
        """What can be seen of the stream, by which scores are measured."""

    @property
    def worths(self) -> Mapping[str, float]:
        """What each term of the query tells in this stream."""

    def ranked(self) -> Iterator[tuple[int, float]]:
        """The records that hold any of the words, best first, and the newest among equals."""

    def of(self, rids: Sequence[int]) -> dict[int, Scored]:
        """What these records hold of the words, for those that hold any."""


OfStreams: TypeAlias = Callable[[Sequence[tuple[Stream, Within]]], Sequence[Words]]
"""Makes out the words of one query in each of several streams."""


class Nearest(Protocol):
    """One question as a point, asked of streams one after the other."""

    def ranked(self, within: Within) -> Iterator[tuple[int, float]]:
        """The records of a stream that may be looked at, nearest first, each with its cosine."""

    def cosines(self, within: Within, rids: Sequence[int]) -> dict[int, float]:
        """How near these records are, as far as they have vectors that count."""

    def general(self) -> Sample | None:
        """How near records lie in general, by a sample of those that may be looked at."""

    @property
    def degraded(self) -> tuple[str, ...]:
        """What is not as it should be, for people."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What one stream has to say."""

    within: Within
    words: Words

    @property
    def documents(self) -> int:
        """How many there are for who asks."""
        return self.words.statistics.documents


@dataclass(slots=True)
class _Hunt:
    """One search under way on one connection."""

    connection: Connection
    wanted: Search
    words: OfStreams
    nearest: Nearest | None
    records: dict[int, Record] = field(default_factory=dict)
    """What was looked up and may be found, as it was at the time asked about."""
    streams: dict[int, int] = field(default_factory=dict)
    """The stream of each record, by number."""
    looked_up: set[int] = field(default_factory=set)
    expired: set[int] = field(default_factory=set)
    """What was looked up and would be found if its time had not run out."""

    def parts(self) -> list[_Part]:
        """Take up all streams of which anything can be seen; the others do not exist."""
        several = [(one, self._within(one)) for one in streams(self.connection, self.wanted)]
        words = self.words(several)
        parts = [_Part(one, its) for (_, one), its in zip(several, words, strict=True)]
        return [part for part in parts if part.documents]

    def _within(self, stream: Stream) -> Within:
        past = stream.past
        touched = frozenset[int](json.loads(past.touched) if past else ())
        return Within(stream.sid, self.wanted.reach, self.wanted.where, touched)

    def best(self, rankings: Sequence[Iterator[tuple[int, float]]]) -> tuple[dict[int, float], int]:
        """The first of several rankings together that may be found, and how many ran out of time.

        When few may be, it is cheaper to ask once for all of them.
        """
        ranked = heapq.merge(*rankings, key=_place) if len(rankings) > 1 else chain(*rankings)
        limit, found, late = self.wanted.limit, dict[int, float](), dict[int, float]()
        size = max(_AT_LEAST, limit or 0)
        for _ in range(_BATCHES if limit is not None else 0):
            batch = dict(islice(ranked, size))
            self.look_up(batch)
            found |= {rid: score for rid, score in batch.items() if rid in self.records}
            late |= {rid: score for rid, score in batch.items() if rid in self.expired}
            if limit is not None and (len(found) >= limit or len(batch) < size):
                return _first(found, late, limit)
            size *= _GROWTH
        rest = dict(ranked)
        every = self._every() if rest else {}
        found |= {rid: score for rid, score in rest.items() if every.get(rid) is True}
        late |= {rid: score for rid, score in rest.items() if every.get(rid) is False}
        return _first(found, late, limit)

    def look_up(self, rids: Iterable[int]) -> None:
        """Read those records that may be found, as they were at the time asked about."""
        missing = [rid for rid in rids if rid not in self.looked_up]
        if not missing:
            return
        self.looked_up.update(missing)
        moment, records = source(self.connection.dialect, self.wanted.as_of)
        lively = alive(self.wanted.live_at)
        where = everything(self.wanted.reach, self.wanted.where, None)
        sql = (
            f"{moment.sql}select r.rid, r.sid, {lively.sql}, {RECORD_COLUMNS} from {records}"
            f" where r.rid in (select cast(value as bigint) from json_each(?)) and {where.sql}"
        )
        before = (*moment.parameters, *lively.parameters)
        every = (*before, json.dumps(missing), *where.parameters)
        for rid, sid, is_alive, *columns in rows(self.connection, sql, every):
            if is_alive:
                self.records[rid], self.streams[rid] = to_record(tuple(columns)), sid
            else:
                self.expired.add(rid)

    def around(self, chosen: Sequence[int]) -> dict[int, int]:
        """Who was spoken before whom, for the chosen and for those beside them."""
        spoken = [rid for rid in chosen if LAYERS[self.records[rid].layer].in_order]
        before = self._beside(spoken, "<")
        before |= {later: rid for rid, later in self._beside(spoken, ">").items()}
        second = set(before.values()) - before.keys()
        before |= self._beside(second, "<")
        near = {*spoken, *before, *before.values()}
        self.look_up(near)
        farthest = self._beside(near - before.keys() - second, "<")
        return before | {later: rid for later, rid in farthest.items() if rid in near}

    def _beside(self, rids: Collection[int], side: str) -> dict[int, int]:
        """The record right before or after each of some, in its scope and layer.

        All that are asked about can be seen, and so can everything in their scopes and layers.
        """
        if not rids:
            return {}
        conditions = self.wanted.where.conditions
        rest = Filter(tuple(one for one in conditions if one.field not in ("scope", "layer")))
        where = everything(ALL_THERE_IS, rest, self.wanted.live_at)
        moment, passes = meant(self.wanted.as_of, where)
        direction = "desc" if side == "<" else "asc"
        sql = (
            f"{moment.sql}select o.rid, (select r.rid from record r where r.scope = o.scope"
            f" and r.layer = o.layer and r.rid {side} o.rid and {passes.sql}"
            f" order by r.rid {direction} limit 1) from record o"
            " where o.rid in (select cast(value as bigint) from json_each(?))"
        )
        every = (*moment.parameters, *passes.parameters, json.dumps(sorted(rids)))
        return {rid: found for rid, found in rows(self.connection, sql, every) if found is not None}

    def _every(self) -> dict[int, bool]:
        """All that the search may find, or might if their time had not run out: whether it has."""
        moment, records = source(self.connection.dialect, self.wanted.as_of, self.wanted.where)
        lively = alive(self.wanted.live_at)
        where = everything(self.wanted.reach, self.wanted.where, None)
        sql = f"{moment.sql}select r.rid, {lively.sql} from {records} where {where.sql}"
        every = (*moment.parameters, *lively.parameters, *where.parameters)
        return {rid: bool(is_alive) for rid, is_alive in rows(self.connection, sql, every)}


def search(
    connection: Connection,
    wanted: Search,
    words: OfStreams,
    nearest: Nearest | None,
) -> Found:
    """Everything that the search may find and that stands out, in one snapshot."""
    hunt = _Hunt(connection, wanted, words, nearest)
    parts = hunt.parts()
    held, expired = hunt.best([part.words.ranked() for part in parts])
    near: dict[int, float] = {}
    if nearest is not None:
        near, _ = hunt.best([nearest.ranked(part.within) for part in parts])
    chosen = list(held | near)
    hunt.look_up(chosen)
    best = {*islice(held, AROUND), *islice(near, AROUND)} if wanted.around else set[int]()
    before = hunt.around([rid for rid in chosen if rid in best])
    everyone = list(dict.fromkeys((*chosen, *sorted({*before, *before.values()}))))
    found: dict[int, Match] = {}
    for part in parts:
        mine = [rid for rid in everyone if hunt.streams[rid] == part.within.sid]
        found |= _scores(hunt, part, mine, near)
    linked = (
        replace(found[rid], before=hunt.records[before[rid]].id) if rid in before else found[rid]
        for rid in everyone
    )
    general = nearest.general() if nearest else None
    largest = max(parts, key=lambda part: part.documents, default=None)
    if largest is None:
        return Found(tuple(linked), general)
    return Found(
        tuple(linked), general, largest.words.worths, largest.documents, expired,
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


def _first(
    found: Mapping[int, float], late: Mapping[int, float], limit: int | None
) -> tuple[dict[int, float], int]:
    """The best, and how many would have come before the last of them but ran out of time.

    However many more were looked through does not count: that depends on what cannot be seen.
    """
    # What is nearer than it was thought to be may come late.
    best = sorted(found.items(), key=_place)[:limit]
    if limit is None or len(best) < limit:
        return dict(best), len(late)
    return dict(best), sum(_place(one) < _place(best[-1]) for one in late.items()) if best else 0


def _place(ranked: tuple[int, float]) -> tuple[float, int]:
    return -ranked[1], -ranked[0]


def _scores(
    hunt: _Hunt, part: _Part, rids: Sequence[int], near: Mapping[int, float]
) -> dict[int, Match]:
    """All that is to be said about some records of one stream."""
    held = part.words.of(rids)
    if hunt.nearest is not None:
        unplaced = [rid for rid in rids if rid not in near]
        near = {**near, **hunt.nearest.cosines(part.within, unplaced)}
    worths = part.words.worths
    found = {}
    for rid in rids:
        words = held.get(rid, _NOTHING)
        coverage = bm25.coverage(words.terms, worths)
        record = hunt.records[rid]
        found[rid] = Match(record, words.score, words.terms, coverage, near.get(rid))
    return found
