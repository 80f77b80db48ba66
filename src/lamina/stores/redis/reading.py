"""Questions about records: fetched by scope and layer, by slot or by id, never all of them.

What matches is decided by the same code as for the store in dictionaries.
"""

from __future__ import annotations

from functools import cache
from itertools import islice, product
from typing import TYPE_CHECKING, Final

from lamina.core.layers import LAYERS, slot
from lamina.core.scope import stream_of
from lamina.errors import UnsupportedError
from lamina.stores.questions import in_lots, in_order, saying, wanted
from lamina.stores.redis.rows import Kept, set_of, split_set, texts, to_kept, to_record

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from lamina.core.access import Reach
    from lamina.core.filters import Filter
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.core.sealed import Sealed
    from lamina.stores.questions import Lot, Query
    from lamina.stores.redis.server import Server

_AT_ONCE: Final = 500
_CURRENT: Final[frozenset[object]] = frozenset(("current",))
_FEW: Final = 64
"""So many slots or sets are looked up by name; where there may be more, a list is asked for."""


class Reading:
    """What is there now."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def get(self, reach: Reach, ids: Sequence[RecordId]) -> list[Record]:
        """The newest versions of those that are within reach, in the order asked for."""
        return [record for record in self.newest(ids) if reach.sees(record)]

    def find(self, reach: Reach, place: str) -> Record | None:
        """The current record in a slot."""
        found = [record for record in self._holders([place]) if reach.sees(record)]
        return found[0] if found else None

    def query(self, query: Query) -> list[Record]:
        """What matches, in the order that is wanted."""
        is_wanted = wanted(query)
        places = _places(query)
        if places is not None and len(places) == 1:
            return in_order(list(filter(is_wanted, self._holders(places))), query)
        ids = self._candidates(query)
        if query.order_by == (None, True) and query.limit is not None:
            newest_first = self._each(ids[::-1])
            return list(islice(filter(is_wanted, newest_first), query.limit))
        return in_order(list(filter(is_wanted, self._each(ids))), query)

    def count(self, query: Query) -> int:
        """How many match."""
        return sum(1 for _ in filter(wanted(query), self._each(self._candidates(query))))

    def census(self, query: Query) -> list[Lot]:
        """How many match, by scope, layer and state."""
        return in_lots(filter(wanted(query), self._each(self._candidates(query))))

    def walk(self, reach: Reach, stream: str) -> Iterator[Record]:
        """Every record of a stream, oldest first."""
        names = self._sets([stream], reach, None, None)
        yield from self._each(self.members(names))

    def saying(self, reach: Reach, said: Sequence[str]) -> list[RecordId]:
        """Records of which any kept version says one of these texts."""
        says = saying(said)
        ids = self.members(self._sets(self.streams_within(reach), reach, None, None))
        return [
            kept.newest.id
            for kept in self.everything(ids)
            if any(map(says, kept.versions.values()))
        ]

    def sealed(self, record_id: RecordId) -> list[Sealed]:
        """The sealed values of a record."""
        return [box for kept in self.everything([record_id]) for box in kept.sealed]

    def has_sealed(self) -> bool:
        """Whether any record holds a sealed value."""
        [ids] = self._server.ask(("SMEMBERS", self._server.key("sealed")))
        return any(kept.sealed for kept in self.everything(texts(ids)))

    def newest(self, ids: Sequence[str]) -> list[Record]:
        """The newest versions of those records that exist."""
        return [to_record(body) for body in self._server.read("now", list(ids)) if body]

    def everything(self, ids: Sequence[str]) -> Iterator[Kept]:
        """All that is kept of those records that exist, some at a time."""
        for start in range(0, len(ids), _AT_ONCE):
            found = self._server.read("all", list(ids[start : start + _AT_ONCE]))
            yield from (to_kept(fields) for fields in found if fields)

    def all_ids(self) -> list[str]:
        """Every record there is, in the order of creation."""
        return self.members(self._all_sets(self.streams_within(None)))

    def streams_within(self, reach: Reach | None) -> list[str]:
        """The streams that may hold what can be seen."""
        within = None if reach is None else reach.streams()
        if within is not None:
            return sorted(within)
        [found] = self._server.ask(("HKEYS", self._server.key("heads")))
        return sorted(texts(found))

    def members(self, names: Iterable[str]) -> list[str]:
        """The ids in some sets, in the order of creation; some may have run out since."""
        asked = [("ZRANGE", self._server.key("in", one), 0, -1, "WITHSCORES") for one in names]
        found = [pair for pairs in self._server.ask(*asked) for pair in pairs]
        return [one.decode() for one, _ in sorted(found, key=lambda pair: pair[1])]

    def indexed_ids(self, stream: str) -> list[str]:
        """The records of a stream that may be found by their words."""
        names = self._all_sets([stream])
        return self.members(one for one in names if LAYERS[split_set(one)[1]].indexed)

    def _each(self, ids: Sequence[str]) -> Iterator[Record]:
        for start in range(0, len(ids), _AT_ONCE):
            yield from self.newest(ids[start : start + _AT_ONCE])

    def _holders(self, places: Sequence[str]) -> list[Record]:
        return [to_record(body) for body in self._server.read("at", list(places)) if body]

    def _candidates(self, query: Query) -> list[str]:
        """The ids of all that may match, in the order of creation."""
        refuse_past(query.as_of)
        ids = query.where.allowed("id")
        if ids is not None:
            return self._in_order_of_creation(map(str, ids))
        places = _places(query)
        if places is not None and len(places) <= _FEW:
            return self._in_order_of_creation(record.id for record in self._holders(places))
        scopes, layers = _texts(query.where, "scope"), _texts(query.where, "layer")
        if scopes is None:
            streams: Collection[str] = self.streams_within(query.reach)
        else:
            within = query.reach.streams()
            streams = {stream_of(one) for one in scopes if one}
            streams = streams if within is None else streams & within
        return self.members(self._sets(streams, query.reach, scopes, layers))

    def _in_order_of_creation(self, ids: Iterable[str]) -> list[str]:
        asked = list(ids)
        numbers = self._server.ask(*(("HGET", self._server.key("r", one), "n") for one in asked))
        found = [(int(n), one) for n, one in zip(numbers, asked, strict=True) if n is not None]
        return [one for _, one in sorted(found)]

    def _sets(
        self,
        streams: Iterable[str],
        reach: Reach,
        scopes: Collection[str] | None,
        layers: Collection[str] | None,
    ) -> list[str]:
        """The sets that can hold what is asked for and can be seen."""
        if scopes is not None and layers is not None and len(scopes) * len(layers) <= _FEW:
            pairs = [(one, layer) for one, layer in product(scopes, layers)]
        else:
            pairs = [split_set(name) for name in self._all_sets(streams)]
        covers = cache(reach.covers)
        return [
            set_of(scope, layer)
            for scope, layer in pairs
            if (scopes is None or scope in scopes)
            and (layers is None or layer in layers)
            and covers(scope, layer)
        ]

    def _all_sets(self, streams: Iterable[str]) -> list[str]:
        asked = [("SMEMBERS", self._server.key("sets", one)) for one in streams]
        return sorted(one.decode() for found in self._server.ask(*asked) for one in found)


def refuse_past(as_of: Mapping[str, int] | None) -> None:
    """Say that there is no past here."""
    if as_of is not None:
        raise UnsupportedError(
            "the hot layers have no past that could be asked about",
            remedy="Leave `as_of` out, or name other layers",
        )


def _texts(where: Filter, field: str) -> list[str] | None:
    allowed = where.allowed(field)
    return None if allowed is None else sorted(str(one) for one in allowed if one is not None)


def _places(query: Query) -> list[str] | None:
    """The slots that alone can hold what is asked for, where the query says so."""
    current = query.live_at is not None or query.where.allowed("state") == _CURRENT
    scopes, layers = _texts(query.where, "scope"), _texts(query.where, "layer")
    keys = query.where.allowed("key")
    if not current or scopes is None or layers is None or keys is None or None in keys:
        return None
    known = [LAYERS[one] for one in layers if one in LAYERS]
    if any(layer.key_includes_kind for layer in known):
        return None
    return [slot(layer, scope, "", str(key)) for layer, scope, key in product(known, scopes, keys)]
