"""Questions answered from two stores as if they were one."""

from __future__ import annotations

import heapq
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from lamina.core.filters import order_key, parse
from lamina.core.layers import HOT
from lamina.core.scope import is_hot
from lamina.core.vectors import Progress, Sample
from lamina.errors import StoreUnavailableError, UnsupportedError
from lamina.stores.combined.routing import layer_of
from lamina.stores.questions import Found, Lot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from lamina.core.access import Reach
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.core.sealed import Sealed
    from lamina.core.usage import Usage
    from lamina.core.vectors import Embedded
    from lamina.stores.base import Store
    from lamina.stores.combined.hot import HotStore
    from lamina.stores.combined.routing import Routing
    from lamina.stores.questions import Match, Query, Search

_Asked = TypeVar("_Asked", "Query", "Search")
AWAY: Final = "hot layers: the store that keeps them cannot be reached"
"""Why working memory, tasks and signals take no part."""
NO_PAST: Final = "hot layers: they have no past that could be searched"


class Answers:
    """The reading half of a combined store."""

    _base: Store
    _hot: HotStore
    _routing: Routing

    def _settled(self) -> HotStore:
        """The hot store, what was left half done brought to its end now and then."""
        raise NotImplementedError

    def get(
        self, reach: Reach, ids: Sequence[RecordId], *, as_of: Mapping[str, int] | None = None
    ) -> list[Record]:
        found = {one.id: one for one in self._base.get(reach, ids, as_of=_colder(as_of))}
        missing = [one for one in dict.fromkeys(ids) if one not in found]
        if missing and as_of is None and self._routing.asks_hot(reach, parse({})):
            found |= {one.id: one for one in self._settled().get(reach, missing)}
        return [found[one] for one in ids if one in found]

    def find(self, reach: Reach, place: str) -> Record | None:
        if layer_of(place) not in HOT:
            return self._base.find(reach, place)
        found = self._settled().find(reach, place)
        if found is None and self._routing.has_old():
            found = self._base.find(reach, place)
        return found

    def query(self, query: Query) -> list[Record]:
        from_base, from_hot = self._asked(query)
        if not from_hot:
            return self._base.query(_past(query))
        if not from_base:
            return self._settled().query(query)
        field, descending = query.order_by
        both = [self._base.query(query), self._settled().query(query)]
        if field is None:
            merged = heapq.merge(*both, key=_born, reverse=descending)
        else:
            merged = heapq.merge(*both, key=lambda one: order_key(one, field), reverse=descending)
        return list(islice(merged, query.limit))

    def walk(self, reach: Reach, stream: str) -> Iterator[Record]:
        cold, hot = self._base.walk(reach, stream), self._settled().walk(reach, stream)
        return heapq.merge(cold, hot, key=_born)

    def count(self, query: Query) -> int:
        from_base, from_hot = self._asked(query)
        count = self._base.count(_past(query)) if from_base else 0
        return count + (self._settled().count(query) if from_hot else 0)

    def census(self, query: Query) -> list[Lot]:
        from_base, from_hot = self._asked(query)
        lots = self._base.census(_past(query)) if from_base else []
        return _added([*lots, *(self._settled().census(query) if from_hot else ())])

    def search(self, search: Search) -> Found:
        from_base = self._routing.asks_base(search.reach, search.where)
        from_hot = self._routing.asks_hot(search.reach, search.where)
        cold = self._base.search(_past(search)) if from_base else Found()
        if not from_hot:
            return cold
        if search.as_of is not None:
            return replace(cold, degraded=(*cold.degraded, NO_PAST))
        try:
            return _together(search, cold, self._settled().search(search))
        except StoreUnavailableError:
            return replace(cold, degraded=(*cold.degraded, AWAY))

    def unembedded(self, space: str, limit: int) -> list[Record]:
        found = self._base.unembedded(space, limit)
        if len(found) < limit:
            # Vectors can wait; the base's do not wait for them.
            with suppress(StoreUnavailableError):
                found += self._hot.unembedded(space, limit - len(found))
        return found

    def waits(self, space: str, reach: Reach) -> bool:
        if self._base.waits(space, reach):
            return True
        with suppress(StoreUnavailableError):
            return self._hot.waits(space, reach)
        return False

    def embed(self, space: str, made: Sequence[Embedded], *, wait: bool = True) -> int:
        kept = self._base.embed(space, made, wait=wait)
        return kept if kept == len(made) else kept + self._hot.embed(space, made)

    def progress(self, space: str) -> Progress:
        cold, hot = self._base.progress(space), Progress(0, 0)
        with suppress(StoreUnavailableError):
            hot = self._hot.progress(space)
        return Progress(
            cold.made + hot.made, cold.pending + hot.pending, cold.refused + hot.refused
        )

    def spaces(self) -> list[str]:
        found = set(self._base.spaces())
        with suppress(StoreUnavailableError):
            found.update(self._hot.spaces())
        return sorted(found)

    def dimensions(self, space: str) -> int:
        return self._base.dimensions(space)

    def leave_space(self, space: str) -> None:
        self._base.leave_space(space)
        with suppress(StoreUnavailableError):
            self._hot.leave_space(space)

    def usage(self, reach: Reach, ids: Sequence[RecordId]) -> dict[RecordId, Usage]:
        found = self._base.usage(reach, ids)
        with suppress(StoreUnavailableError):
            found |= self._hot.usage(reach, [one for one in ids if one not in found])
        return found

    def note_use(self, used: Mapping[RecordId, int], at: datetime, root: str = "") -> None:
        # Each counts what it has.
        self._base.note_use(used, at, root)
        self._hot.note_use(used, at, root)

    def sealed(self, record_id: RecordId) -> list[Sealed]:
        return self._base.sealed(record_id) or self._hot.sealed(record_id)

    def has_sealed(self) -> bool:
        return self._base.has_sealed() or self._hot.has_sealed()

    def tombstones(self, ids: Iterable[RecordId]) -> frozenset[RecordId]:
        asked = list(ids)
        return self._base.tombstones(asked) | self._hot.tombstones(asked)

    def saying(self, reach: Reach, texts: Sequence[str]) -> list[RecordId]:
        return [*self._base.saying(reach, texts), *self._settled().saying(reach, texts)]

    def _asked(self, query: Query) -> tuple[bool, bool]:
        """Whether base and hot store may know the answer."""
        from_base = self._routing.asks_base(query.reach, query.where)
        from_hot = self._routing.asks_hot(query.reach, query.where)
        if query.as_of is None or not from_hot:
            return from_base, from_hot
        if not from_base:
            raise UnsupportedError(
                "the hot layers have no past that could be asked about",
                remedy="Leave `as_of` out, or name other layers",
            )
        return True, False


def _colder(as_of: Mapping[str, int] | None) -> Mapping[str, int] | None:
    """The part of a place in the past that the base knows."""
    return as_of and {name: seq for name, seq in as_of.items() if not is_hot(name)}


def _past(asked: _Asked) -> _Asked:
    """A question as the base is asked it."""
    return asked if asked.as_of is None else replace(asked, as_of=_colder(asked.as_of))


def _born(record: Record) -> datetime:
    return record.created_at


def _added(lots: Iterable[Lot]) -> list[Lot]:
    records: Counter[tuple[str, str, str]] = Counter()
    tokens: Counter[tuple[str, str, str]] = Counter()
    for lot in lots:
        records[lot.scope, lot.layer, lot.state] += lot.records
        tokens[lot.scope, lot.layer, lot.state] += lot.tokens
    return sorted(Lot(*one, records[one], tokens[one]) for one in records)


def _together(search: Search, cold: Found, hot: Found) -> Found:
    """The best of both. Each has the statistics of its own streams, as two streams always have."""
    larger = cold if cold.documents >= hot.documents else hot
    matches = [*cold.matches, *hot.matches]
    by_words = sorted((one for one in matches if one.terms), key=lambda one: -one.score)
    near = sorted(
        (one for one in matches if one.cosine is not None), key=lambda one: -(one.cosine or 0)
    )
    chosen = {one.record.id: one for one in [*by_words[: search.limit], *near[: search.limit]]}
    beside = {one.record.id: one for one in cold.matches if _is_beside(one, chosen)}
    return Found(
        tuple((chosen | beside).values()),
        _mean(cold.general, hot.general),
        larger.worths,
        larger.documents,
        cold.expired + hot.expired,
        (*cold.degraded, *hot.degraded),
    )


def _is_beside(match: Match, chosen: Mapping[RecordId, Match]) -> bool:
    """Whether a match came along with others, and is not one that was found by itself."""
    return match.record.id not in chosen and not match.terms and match.cosine is None


def _mean(one: Sample | None, other: Sample | None) -> Sample | None:
    if one is None or other is None:
        return one or other
    size = one.size + other.size
    return Sample((one.mean * one.size + other.mean * other.size) / size, size)
