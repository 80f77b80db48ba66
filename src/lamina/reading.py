"""The read path: what one principal can see, now or as of a time in the past."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from lamina.core.cursor import HASH_LENGTH, Cursor, is_cursor, parse_cursor
from lamina.core.filters import Filter, parse, parse_order
from lamina.core.ids import RecordId, is_id
from lamina.core.instants import check_instant, looking_back
from lamina.core.layers import LAYERS, OWNERS, layer_named
from lamina.core.names import check_key
from lamina.core.scope import Scope, root_of
from lamina.errors import ForbiddenError, InvalidInputError, NotFoundError
from lamina.stores.questions import Query
from lamina.timing import StoreClock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from lamina.announcing import Announcer
    from lamina.core.access import Reach
    from lamina.core.changes import Version
    from lamina.core.record import Record
    from lamina.stores.base import Store
    from lamina.stores.questions import Lot

    Where: TypeAlias = Mapping[str, Any] | Filter | None

MAX_LIMIT: Final = 10_000
_LONG_AGO: Final = datetime(1, 1, 1, tzinfo=UTC)
CURRENT: Final = parse({"state": "current"})


@dataclass(frozen=True, slots=True)
class Asked:
    """Which records a question is about."""

    where: Where = None
    scope: str | None = None
    as_of: str | datetime | None = None


class ReadPath:
    """Questions to a store within one reach."""

    def __init__(
        self, store: Store, reach: Reach, homes: Sequence[Scope], announcer: Announcer
    ) -> None:
        self._store = store
        self._reach = reach
        self._announcer = announcer
        self._homes = homes
        """Where a key is looked for, nearest first."""
        self._clock = StoreClock(store)

    def get(self, name: str, *, where: dict[str, Any], as_of: str | datetime | None) -> Record:
        """Hand out one record by id, or the current one that holds a key."""
        found = self.named(name, where, as_of)
        self._announcer.read([found])
        return found

    def named(
        self, name: str, where: dict[str, Any] | None = None, as_of: str | datetime | None = None
    ) -> Record:
        """The record that is meant, for whatever is to be done with it."""
        if is_id(name):
            moment = self._moment(as_of)
            seqs = None if moment is None else moment.seqs
            found = self._store.get(self._reach, [RecordId(name)], as_of=seqs)
            if found:
                return found[0]
        asked = Asked({**(where or {}), "key": check_key(name)}, as_of=as_of)
        holders = self._found(asked, None, MAX_LIMIT)
        for scope in self._homes:
            here = [record for record in holders if record.scope == scope.path]
            if here:
                return _only(here, name)
        return _only(holders, name)

    def query(self, asked: Asked, *, order_by: str | None, limit: int) -> list[Record]:
        """Hand out the records that match a filter."""
        found = self._found(asked, order_by, limit)
        self._announcer.read(found)
        return found

    def _found(self, asked: Asked, order_by: str | None, limit: int) -> list[Record]:
        query = self.asked(asked)
        order = parse_order(order_by) or (None, True)
        return self._store.query(replace(query, order_by=order, limit=check_limit(limit)))

    def count(self, asked: Asked) -> int:
        """How many records match a filter."""
        return self._store.count(self.asked(asked))

    def census(self, asked: Asked) -> list[Lot]:
        """How many records match a filter, by scope, layer and state."""
        return self._store.census(self.asked(asked))

    def history(self, record_id: RecordId) -> list[Version]:
        """Every change of a record with the version it made, oldest first."""
        found = self._store.versions(self._reach, record_id)
        if not found:
            raise NotFoundError(f"there is no record {record_id}")
        self._announcer.read(version.record for version in found[-1:] if version.record)
        return found

    def within(self, scope: str | None) -> Reach:
        """The part of the reach in a scope that must lie within it, at least in part."""
        if scope is None:
            return self._reach
        narrowed = self._reach.within(Scope.of(scope))
        if not narrowed.grants:
            raise ForbiddenError(
                f"this handle does not see `{scope}`", remedy="Open one that does, or ask its owner"
            )
        return narrowed

    def now(self) -> datetime:
        """What time it is, as far as the store believes the clock."""
        return self._clock.now()

    def here(self) -> Cursor:
        """How far the streams within reach have come."""
        heads = self._store.position(self._reach.streams())
        places = {name: (head.seq, head.hash[:HASH_LENGTH]) for name, head in heads.items()}
        return Cursor(self._store.identity, self._clock.now(), places, within=_streams(self._reach))

    def beginning(self, scope: str | None = None) -> Cursor:
        """The place before everything."""
        within = _streams(self.within(scope))
        return Cursor(self._store.identity, _LONG_AGO, {}, within=within)

    def cursor(self, text: object, argument: str, scope: str | None = None) -> Cursor:
        """A cursor that belongs to this store, to its present history, and to what is asked."""
        cursor = parse_cursor(text, argument)
        if cursor.store != self._store.identity:
            raise InvalidInputError(
                f"`{argument}` is a cursor of another store",
                remedy="Use it there, or start anew without it",
            )
        reach = self.within(scope)
        within = reach.streams()
        covered = cursor.within is None or (within is not None and within <= {*cursor.within})
        if not covered:
            raise InvalidInputError(
                f"`{argument}` is a cursor of a handle or a feed that sees less than this one",
                remedy="Use it with the project, agent and scope it was given to, or start anew",
            )
        seen = {
            stream: place
            for stream, place in cursor.places.items()
            if within is None or root_of(stream) in within
        }
        for stream, (seq, digest) in seen.items():
            events = self._store.events(stream, after=seq - 1, limit=1)
            if not events or events[0].hash[:HASH_LENGTH] != digest:
                raise InvalidInputError(
                    f"`{argument}` lies in a past that this store does not have (any more):"
                    " it was restored or rolled back since",
                    remedy="Start anew without the cursor",
                )
        return replace(cursor, places=seen, within=_streams(reach))

    def _moment(self, as_of: str | datetime | None) -> Cursor | None:
        """The place in history that is meant by a cursor or an instant."""
        if as_of is None:
            return None
        if is_cursor(as_of):
            return self.cursor(as_of, "as_of")
        if isinstance(as_of, str):
            at = looking_back(as_of, self._clock.now(), "as_of")
        else:
            at = check_instant(as_of, "as_of")
        heads = self._store.position(self._reach.streams(), at=at)
        return Cursor("", at, {name: (head.seq, head.hash) for name, head in heads.items()})

    def asked(self, asked: Asked) -> Query:
        """The question as a store takes it, within this reach."""
        checked = parse(asked.where)
        scope = asked.scope
        reach = self._reach if scope is None else self._reach.within(Scope.of(scope))
        if not checked.names("layer"):
            reach = reach.without(OWNERS)
        moment = self._moment(asked.as_of)
        query = Query(reach=reach, where=checked, as_of=None if moment is None else moment.seqs)
        only_current = set(CURRENT.conditions) <= set(checked.conditions)
        if checked.names("state") and not only_current:
            return query
        if checked.names("expires_at"):
            return replace(query, where=checked & CURRENT)
        return replace(query, live_at=self._clock.now() if moment is None else moment.at)


def _streams(reach: Reach) -> tuple[str, ...] | None:
    streams = reach.streams()
    return None if streams is None else tuple(sorted(streams))


def check_limit(limit: object, argument: str = "limit") -> int:
    """Return a limit from 1 to `MAX_LIMIT`."""
    if isinstance(limit, int) and not isinstance(limit, bool) and 1 <= limit <= MAX_LIMIT:
        return limit
    raise InvalidInputError(f"`{argument}` must be from 1 to {MAX_LIMIT:,}, not {limit!r:.40}")


def in_layers(layers: Sequence[str] | None, where: Filter) -> Filter:
    """A filter on the layers named, or on those of a plain recall."""
    if layers is None and where.names("layer"):
        return Filter()
    if isinstance(layers, str):
        layers = [layers]
    names = (
        [layer.name for layer in LAYERS.values() if layer.recalled] if layers is None else layers
    )
    if not isinstance(names, list | tuple | set | frozenset):
        raise InvalidInputError(
            f"`layers` must be names of layers, not {layers!r:.40}",
            remedy='Give a list such as ["fact", "session"]',
        )
    return parse({"layer": {"$in": [layer_named(name).name for name in names]}})


def _only(found: Sequence[Record], name: str) -> Record:
    if not found:
        raise NotFoundError(
            f"nothing current has the key or id {name!r:.80}",
            remedy="`lamina list` and `lamina recall --json` show ids and keys; it may also be"
            " forgotten, or belong elsewhere",
        )
    if len(found) > 1:
        places = ", ".join(sorted({f"{r.layer}/{r.kind} in {r.scope}" for r in found})[:5])
        raise InvalidInputError(
            f"`name` {name!r:.80} names {len(found)} records: {places}",
            remedy="Name the `layer` and `kind`, or use the id",
        )
    return found[0]
