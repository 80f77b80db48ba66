"""Comparing a store with the model: what was touched, one question, or everything."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from lamina.core import canonical, chain
from lamina.core.access import EVERYTHING, Reach
from lamina.core.filters import matches, order_key, parse
from lamina.core.ids import RecordId
from lamina.core.layers import LAYERS, slot
from lamina.core.record import Record, State, to_json
from lamina.stores.base import Store
from lamina.stores.questions import Query
from lamina.testing.builders import look_for, sight_of
from tests.model.world import World

FILTERS: tuple[dict[str, Any], ...] = (
    {},
    {"key": "k1"},
    {"key": None},
    {"kind": {"$in": ["fact", "general"]}},
    {"layer": "knowledge", "state": "current"},
    {"state": {"$ne": "current"}},
    {"tags": ["two"]},
    {"data.n": 1},
    {"data.n": True},
    {"data.n": None},
    {"data.a.b": ["x"]},
    {"text": {"$prefix": "alpha"}},
    {"importance": {"$gt": 0.3}},
    {"rev": {"$gte": 2}, "trust": "agent"},
    {"expires_at": {"$ne": None}},
    {"scope": {"$prefix": "project/web"}},
)
REACHES = (
    EVERYTHING,
    sight_of("project/web"),
    sight_of("project/web", subtree=False),
    sight_of("project/web2", "global"),
    sight_of(),
)
ORDERS = (None, None, "key", "updated_at", "importance", "text", "expires_at")


def compare_touched(store: Store, world: World, ids: Iterable[RecordId], tx: RecordId) -> None:
    """The records that a commit named, their history, and the events of the commit."""
    for record_id in ids:
        _same([world.records[record_id]] if record_id in world.records else [],
              store.get(EVERYTHING, [record_id]))  # fmt: skip
        _compare_versions(store, world, record_id)
        if record_id in world.records:
            _compare_holder(store, world, world.records[record_id])
    expected = [
        (stream, number, entry.record, entry.rev, entry.action)
        for stream, log in sorted(world.logs.items())
        for number, entry in enumerate(log, start=1)
        if entry.tx == tx
    ]
    found = store.transaction(tx)
    assert [(e.stream, e.seq, e.record, e.rev, e.action) for e in found] == expected


def compare_answer(
    store: Store,
    world: World,
    now: datetime,
    choose: Callable[[Sequence[Any]], Any],
    as_of: Mapping[str, int] | None = None,
) -> None:
    """One query with a filter, a reach and an order, about the present or a place in the past."""
    reach: Reach = choose(REACHES)
    where = parse(choose(FILTERS))
    live_at = choose((None, now))
    field, descending = choose(ORDERS), choose((True, False))
    limit = choose((None, 1, 3))
    expected = [
        record for record in world.records.values()
        if reach.sees(record) and matches(record, where)
        and (live_at is None or _is_live(record, live_at))
    ]  # fmt: skip
    query = Query(
        reach=reach, where=where, live_at=live_at, as_of=as_of,
        order_by=(field, descending), limit=limit,
    )  # fmt: skip
    assert store.count(query) == len(expected)
    if field is None:
        expected = expected[::-1] if descending else expected
    else:
        # Stable: turned round first, the newest stay in front among equals.
        expected.reverse()
        expected.sort(key=lambda record: order_key(record, field), reverse=descending)
    _same(expected[:limit], store.query(query))


def compare_search(
    store: Store, world: World, now: datetime, word: str, as_of: Mapping[str, int] | None = None
) -> None:
    """A search for a word that no other word contains."""
    for reach in REACHES:
        for live_at in (None, now):
            expected = {
                one for one in world.mentioning(word)
                if reach.sees(world.records[one])
                and (live_at is None or _is_live(world.records[one], live_at))
            }  # fmt: skip
            hits = look_for(store, word, reach=reach, live_at=live_at, as_of=as_of, limit=10_000)
            assert {hit.record.id for hit in hits} == expected, word
            _same([world.records[hit.record.id] for hit in hits], [hit.record for hit in hits])


def compare(store: Store, world: World) -> None:
    """Everything there is."""
    records = list(world.records.values())
    _same(records, store.query(Query(reach=EVERYTHING, order_by=(None, False))))
    assert store.streams() == sorted(world.logs)
    for stream, log in world.logs.items():
        events = store.events(stream, limit=len(log) + 10)
        found = [(e.record, e.rev, e.action, e.actor, e.tx, e.at) for e in events]
        assert found == [(e.record, e.rev, e.action, e.actor, e.tx, e.at) for e in log]
        assert [event.seq for event in events] == list(range(1, len(log) + 1))
        assert list(chain.verify(events)) == []
    known = {entry.record for log in world.logs.values() for entry in log}
    assert store.tombstones(known) == frozenset(world.erased)
    for record_id in known:
        _compare_versions(store, world, record_id)
    for record in records:
        _compare_holder(store, world, record)
    chosen = store.settings()
    assert {name: chosen.get(name) for name in world.settings} == world.settings
    # A note is no damage: an erase that a crash cut short has left its line in the ledger.
    wrong = [one for one in store.check() if one.severity.value not in ("ok", "note")]
    assert wrong == [], wrong


def _compare_versions(store: Store, world: World, record_id: RecordId) -> None:
    log = [entry for one in world.logs.values() for entry in one if entry.record == record_id]
    versions = store.versions(EVERYTHING, record_id)
    assert [(v.event.rev, v.event.action) for v in versions] == [(e.rev, e.action) for e in log]
    expected = [world.versions.get((record_id, entry.rev)) for entry in log]
    assert [_json(v.record) for v in versions] == [_json(record) for record in expected]


def _compare_holder(store: Store, world: World, record: Record) -> None:
    if record.key is None:
        return
    place = slot(LAYERS[record.layer], record.scope, record.kind, record.key)
    expected = world.holder(record.scope, record.layer, record.kind, record.key)
    assert _json(store.find(EVERYTHING, place)) == _json(expected)


def _is_live(record: Record, now: datetime) -> bool:
    ran_out = record.expires_at is not None and record.expires_at <= now
    return record.state is State.CURRENT and not ran_out


def _same(expected: list[Record], found: list[Record]) -> None:
    """Alike to the byte: Python's own equality would let `True` pass for 1."""
    assert [_json(record) for record in found] == [_json(record) for record in expected]


def _json(record: Record | None) -> str | None:
    return None if record is None else canonical.dumps(to_json(record))
