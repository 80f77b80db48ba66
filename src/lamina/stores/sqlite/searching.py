"""Searching: the best by words and the nearest, what stands around them, and all their scores.

What a search may find is settled in SQL before the best are taken. Statistics, words and vectors
are each stream's own; the best of all streams are taken together.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from lamina.core import bm25
from lamina.core.access import Reach
from lamina.core.filters import Filter, matches
from lamina.core.layers import LAYERS
from lamina.core.record import Record
from lamina.stores.questions import Found, Match, Search
from lamina.stores.sqlite import index
from lamina.stores.sqlite.driver import Connection, rows
from lamina.stores.sqlite.index import Asked, Scored, Stream
from lamina.stores.sqlite.old_words import Document
from lamina.stores.sqlite.past import source
from lamina.stores.sqlite.predicates import Predicate, everything
from lamina.stores.sqlite.rows import RECORD_COLUMNS, to_record

if TYPE_CHECKING:
    # Comparing needs an array library, and a search by words alone does not.
    from lamina.stores.sqlite.nearest import Nearest

_NOTHING: Final = Scored(0.0, ())


@dataclass(frozen=True, slots=True)
class Within:
    """Which vectors a search may look at."""

    sid: int
    reach: Reach
    where: Filter
    touched: frozenset[int]
    """Records whose vectors are of a later time than the one asked about."""
    limit: int | None


@dataclass(slots=True)
class _Part:
    """What one stream has to say."""

    stream: Stream
    words: Asked
    held: dict[int, Scored]
    near: dict[int, float]
    past: dict[int, Document]
    """Versions that were replaced since the time asked about."""


@dataclass(slots=True)
class _Hunt:
    """One search under way on one connection."""

    connection: Connection
    wanted: Search
    nearest: "Nearest | None"
    where: Predicate = field(init=False)
    records: dict[int, Record] = field(default_factory=dict)
    streams: dict[int, int] = field(default_factory=dict)
    """The stream of each record, by number."""

    def __post_init__(self) -> None:
        self.where = everything(self.wanted.reach, self.wanted.where, self.wanted.live_at)

    def part(self, stream: Stream) -> _Part:
        """Look for the best in one stream."""
        limit = self.wanted.limit
        words = index.asked(self.connection, stream, self.wanted.terms)
        held = index.best(self.connection, stream, words, (self.where, limit))
        documents = stream.past.documents if stream.past else ()
        past = {one.rid: one for one in documents if _is_wanted(one.record, self.wanted)}
        for rid, document in past.items():
            if (found := index.scored(document.terms, words, stream.average)).terms:
                held[rid] = found
        return _Part(stream, words, held, self._near(stream), past)

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
        """Who was spoken before whom, for the chosen and for those right beside them."""
        told = [rid for rid in chosen if LAYERS[self.records[rid].layer].in_order]
        before: dict[int, int] = {}
        for rid in told:
            if (earlier := self._beside(rid, "<")) is not None:
                before[rid] = earlier
            if (later := self._beside(rid, ">")) is not None:
                before[later] = rid
        known = {*before, *before.values()}
        self.fetch(known)
        for rid in known - before.keys():
            if (earlier := self._beside(rid, "<")) in self.records and earlier is not None:
                before[rid] = earlier
        return before

    def _beside(self, rid: int, side: str) -> int | None:
        record = self.records[rid]
        direction = "desc" if side == "<" else "asc"
        moment, records = source(self.wanted.as_of)
        sql = (
            f"{moment.sql}select r.rid from {records} where r.scope = ? and r.layer = ?"
            f" and r.rid {side} ? and {self.where.sql} order by r.rid {direction} limit 1"
        )
        place = (record.scope, record.layer, rid)
        for (found,) in rows(
            self.connection, sql, (*moment.parameters, *place, *self.where.parameters)
        ):
            return int(found)
        return None

    def _near(self, stream: Stream) -> dict[int, float]:
        if self.nearest is None:
            return {}
        return self.nearest.best(self.connection, self.within(stream), self.eligible)

    def within(self, stream: Stream) -> Within:
        """Which vectors of a stream may be looked at."""
        touched = frozenset[int]()
        if stream.past is not None:
            touched = frozenset(json.loads(stream.past.touched))
        return Within(stream.sid, self.wanted.reach, self.wanted.where, touched, self.wanted.limit)

    def eligible(self, rids: Collection[int] | None) -> set[int]:
        """Those of the records, or of all there are, that the search may find."""
        sql = f"select r.rid from record r join version v on v.vid = r.head where {self.where.sql}"
        parameters = self.where.parameters
        if rids is not None:
            sql += " and r.rid in (select value from json_each(?))"
            parameters = (*parameters, json.dumps(list(rids)))
        return {rid for (rid,) in rows(self.connection, sql, parameters)}


def search(connection: Connection, wanted: Search, nearest: "Nearest | None") -> Found:
    """Everything that the search may find and that stands out, in one snapshot."""
    hunt = _Hunt(connection, wanted, nearest)
    parts = {part.stream.sid: part for part in map(hunt.part, index.streams(connection, wanted))}
    chosen = _chosen(parts.values(), wanted.limit)
    hunt.fetch(chosen)
    chosen = [rid for rid in chosen if rid in hunt.records]
    before = hunt.around(chosen) if wanted.around else {}
    everyone = list(dict.fromkeys((*chosen, *sorted({*before, *before.values()}))))
    found: dict[int, Match] = {}
    for sid, part in parts.items():
        mine = [rid for rid in everyone if hunt.streams[rid] == sid]
        found |= _scores(hunt, part, mine)
    linked = (
        replace(found[rid], before=hunt.records[before[rid]].id) if rid in before else found[rid]
        for rid in everyone
    )
    return Found(tuple(linked), nearest.spread() if nearest else None)


def _chosen(parts: Iterable[_Part], limit: int | None) -> list[int]:
    """The best of all streams by words, then the nearest."""
    parts = list(parts)
    held = [(rid, one.score) for part in parts for rid, one in part.held.items()]
    near = [(rid, cosine) for part in parts for rid, cosine in part.near.items()]
    chosen: dict[int, None] = {}
    for ranked in (held, near):
        ranked.sort(key=lambda one: (-one[1], -one[0]))
        chosen |= dict.fromkeys(rid for rid, _ in ranked[:limit])
    return list(chosen)


def _scores(hunt: _Hunt, part: _Part, rids: Sequence[int]) -> dict[int, Match]:
    """All that is to be said about some records of one stream."""
    unscored = [rid for rid in rids if rid not in part.held]
    held = part.held | index.of(
        hunt.connection, part.stream, part.words, [rid for rid in unscored if rid not in part.past]
    )
    near: Mapping[int, float] = part.near
    if hunt.nearest is not None:
        unplaced = [rid for rid in rids if rid not in near and rid not in part.past]
        near = part.near | hunt.nearest.cosines(hunt.within(part.stream), unplaced)
    worth = sum(part.words.worths.values())
    found = {}
    for rid in rids:
        words = held.get(rid, _NOTHING)
        coverage = bm25.coverage(words.terms, part.words.worths)
        record = hunt.records[rid]
        found[rid] = Match(record, words.score, words.terms, coverage, worth, near.get(rid))
    return found


def _is_wanted(record: Record, wanted: Search) -> bool:
    live = wanted.live_at is None or record.is_live(wanted.live_at)
    return live and wanted.reach.sees(record) and matches(record, wanted.where)
