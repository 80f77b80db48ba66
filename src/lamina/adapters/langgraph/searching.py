"""Which records a LangGraph store finds: by filter, by recall, or by vectors of its user's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.adapters.langgraph import names
from lamina.adapters.langgraph.filters import Wanted
from lamina.adapters.langgraph.indexing import nearest
from lamina.adapters.langgraph.items import LAYER, place_of, value_of, where_of
from lamina.core.filters import Filter, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from langgraph.store.base import ListNamespacesOp, MatchCondition, SearchOp

    from lamina import Memory
    from lamina.core.record import Record

Found = list[tuple["Record", float | None]]
_PAGE: Final = 500
_MOST: Final = 10_000
"""How many records one question may ask for."""
_AGAIN: Final = 16
"""How often recall is asked for what repeats what it found."""
_MOST_LEFT_OUT: Final = 500
"""How many records a question may leave out by name: a store takes a question of bounded size."""


class Looking:
    """Searches of one handle's items."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def items(self, keys: Sequence[str]) -> dict[str, Record]:
        """The records that hold these keys."""
        found: dict[str, Record] = {}
        for at in range(0, len(keys), _PAGE):
            some = list(keys[at : at + _PAGE])
            where = {**where_of(self._memory), "key": {"$in": some}}
            found |= {str(one.key): one for one in self._memory.query(where, limit=len(some))}
        return found

    def search(self, op: SearchOp, asked: Sequence[float] | None) -> Found:
        """The records that a search wants, with their scores."""
        if op.limit < 1:
            return []
        wanted = Wanted(op.filter)
        prefix = tuple(op.namespace_prefix)
        where = {**where_of(self._memory), **wanted.where}
        if prefix:
            where["key"] = {"$prefix": names.below(prefix)}
        is_told = wanted.is_told and names.is_whole(prefix)

        def holds(record: Record) -> bool:
            there = place_of(record)[0][: len(prefix)] == prefix
            return there and (wanted.is_told or wanted.holds(value_of(record)))

        offset = max(op.offset, 0)
        end = offset + op.limit
        if op.query and asked is not None:
            return self._nearest(where, holds, asked)[offset:end]
        if op.query:
            return self._recalled(op.query, where, holds, end)[offset:end]
        return self._newest(where, holds, end if is_told else None)[offset:end]

    def namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        """The namespaces that hold items."""
        conditions = [one for one in op.match_conditions or () if one.path]
        where = where_of(self._memory)
        for one in conditions:
            if one.match_type == "prefix" and "*" not in one.path:
                where["key"] = {"$prefix": names.below(one.path)}
        held = {place_of(record)[0] for record in self.walk(where)}
        matching = (one for one in held if all(_matches(one, each) for each in conditions))
        depth = op.max_depth
        shown = sorted({one if depth is None else one[:depth] for one in matching})
        return shown[max(op.offset, 0) : max(op.offset, 0) + max(op.limit, 0)]

    def walk(self, where: Mapping[str, Any]) -> Iterator[Record]:
        """Every record that matches, however many there are."""
        asked = dict(where)
        while True:
            found = self._memory.query(asked, order_by="id", limit=_PAGE)
            yield from found
            if len(found) < _PAGE:
                return
            asked["id"] = {"$lt": found[-1].id}

    def _newest(
        self, where: dict[str, Any], holds: Callable[[Record], bool], most: int | None
    ) -> Found:
        if most is not None and most <= _MOST:
            found = self._memory.query(where, order_by="updated_at", limit=most)
            return [(record, None) for record in found]
        matching = [record for record in self.walk(where) if holds(record)]
        matching.sort(key=lambda record: (record.updated_at, record.id), reverse=True)
        return [(record, None) for record in matching]

    def _nearest(
        self, where: dict[str, Any], holds: Callable[[Record], bool], asked: Sequence[float]
    ) -> Found:
        """By the vectors of the user's embedder; what has none, but is searched, comes last."""
        scored: list[tuple[Record, float]] = []
        unscored: Found = []
        for record in self.walk({**where, "data.searched": {"$ne": False}}):
            if holds(record):
                score = nearest(asked, record.data.get("vectors"))
                if score is None:
                    unscored.append((record, None))
                else:
                    scored.append((record, score))
        scored.sort(key=lambda one: -one[1])
        return [*scored, *unscored]

    def _recalled(
        self, query: str, where: dict[str, Any], holds: Callable[[Record], bool], most: int
    ) -> Found:
        """By recall, asking for more until enough of what it finds passes."""
        narrowed = parse({**where, "data.searched": {"$ne": False}})
        ask = min(most, _MOST)
        while True:
            hits, is_all = self._hits(query, narrowed, ask)
            passing = [(record, score) for record, score in hits if holds(record)]
            if len(passing) >= most or is_all or ask == _MOST:
                return passing
            ask = min(ask * 4, _MOST)

    def _hits(self, query: str, narrowed: Filter, most: int) -> tuple[Found, bool]:
        """The best by recall, and whether there are no others.

        Recall says one thing once; an item that repeats another is an item all the same, so recall
        is asked again without what it found.
        """
        found: Found = []
        for _ in range(_AGAIN):
            told = self._memory.recall(query, k=most, layers=[LAYER], where=narrowed)
            found += [(hit.record, hit.score) for hit in told.hits]
            if not told.repeated or len(found) > _MOST_LEFT_OUT:
                break
            for hit in told.hits:
                narrowed &= parse({"id": {"$ne": hit.record.id}})
        is_all = not told.repeated and len(found) < most
        found.sort(key=lambda one: -(one[1] or 0.0))
        return found[:most], is_all


def _matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    end = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return all(label in ("*", there) for there, label in zip(end, path, strict=True))
