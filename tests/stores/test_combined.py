"""Two stores as one: what a commit over both promises, whoever dies when, and how they are read."""

import threading
from contextlib import closing
from pathlib import Path

import pytest

from lamina.core.access import EVERYTHING
from lamina.core.announcements import Audience
from lamina.core.changes import Adopt, Erase, Move
from lamina.core.layers import Durability
from lamina.core.record import State
from lamina.core.scope import hot_stream
from lamina.errors import (
    StoreUnavailableError,
    UnsupportedError,
)
from lamina.stores.base import WHOLE, Capability, Severity
from lamina.stores.combined.answers import AWAY, NO_PAST
from lamina.stores.combined.binding import with_hot
from lamina.stores.combined.store import CombinedStore
from lamina.stores.ephemeral import EphemeralStore
from lamina.stores.questions import Query
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.builders import (
    NOON,
    WEB,
    a_put,
    a_record,
    after_noon,
    an_id,
    ask,
    found,
    search,
    sight_of,
    texts,
    the,
    write,
    written,
)
from tests.redis import RedisServer, needs_redis
from tests.scratch import scratch_folder
from tests.stores.two import Combine, a_signal, all_changes, write_both

pytestmark = needs_redis
HOT_WEB = hot_stream(WEB)


@pytest.fixture
def store(combine: Combine) -> CombinedStore:
    return combine()


def test_each_layer_lies_where_it_belongs(combine: Combine) -> None:
    base = EphemeralStore()
    store = combine(base)
    for layer in ("knowledge", "working", "task", "blackboard"):
        write(store, a_put(f"a {layer}", layer=layer, key="k"))
    assert [one.layer for one in base.query(Query(reach=EVERYTHING))] == ["knowledge"]
    assert len(ask(store)) == store.count(Query(reach=EVERYTHING)) == 4
    assert {one.layer for one in store.census(Query(reach=EVERYTHING))} == {
        "knowledge", "working", "task", "blackboard",
    }  # fmt: skip
    assert sorted(texts(list(store.walk(EVERYTHING, WEB)))) == [
        "a blackboard", "a knowledge", "a task", "a working",
    ]  # fmt: skip
    assert store.streams() == [WEB]
    assert set(store.position()) == set(store.position([WEB])) == {WEB, HOT_WEB}


def test_it_declares_what_both_can_do(tmp_path: Path, combine: Combine) -> None:
    with closing(combine(SqliteStore(tmp_path))) as store:
        lasting = {Capability.DURABLE, Capability.SYNCED, Capability.MANY_PROCESSES}
        assert store.capabilities == lasting | {Capability.EVERY_LAYER}
        assert write(store, a_put()).durability is Durability.SYNCED
        assert write(store, a_put(layer="task")).durability is Durability.COMMITTED
        assert write_both(store, "both").durability is Durability.COMMITTED
    assert combine().capabilities == {Capability.EVERY_LAYER} < WHOLE


def test_the_feed_tells_both_in_order_and_each_once(store: CombinedStore) -> None:
    turns = "bbhbhhhhbbbhbbbbbbbbhhhhhhhhhhb"
    for minute, turn in enumerate(turns):
        layer = "task" if turn == "h" else "knowledge"
        write(store, a_put(f"{minute}", layer=layer), at=after_noon(minute))
    for limit in (1, 2, 3, 5, 8, 1000):
        told = all_changes(store, limit)
        assert [one.record and one.record.text for one in told] == list(map(str, range(31)))
    middle = {WEB: 5, HOT_WEB: 5}
    assert len(all_changes(store, 4, middle)) == 21
    some = store.changes(sight_of(f"{WEB}/agent/ann"), {}, 1000)
    assert (some.changes, set(some.position)) == ((), {WEB, HOT_WEB})


def test_changes_of_equal_times_are_all_told(store: CombinedStore) -> None:
    for number in range(12):
        write(store, a_put(f"{number}", layer=("task", "knowledge")[number % 3 > 1]), at=NOON)
    for limit in (1, 2, 3, 7):
        assert len(all_changes(store, limit)) == 12


def test_waiting_ends_with_a_change_in_either(combine: Combine) -> None:
    store, other = combine(), combine()
    for change in (a_put("cold"), a_put("hot", layer="task"), a_put("cold again")):
        pulse = store.pulse()
        assert not store.wait(pulse, 0.01)
        waits = threading.Timer(0.02, write, [other, change])
        waits.start()
        assert store.wait(pulse, 20)
        waits.join()
        assert store.pulse() != pulse


def test_a_search_finds_in_both_and_says_when_one_is_away() -> None:
    with scratch_folder() as folder:
        server = RedisServer(folder, "--appendonly", "yes").start()
        base = EphemeralStore()
        with closing(with_hot(base, server.url())) as store:
            write(store, a_put("a copper kettle"), a_put("a kettle signal", layer="blackboard"))
            assert sorted(found(store, "kettle")) == ["a copper kettle", "a kettle signal"]
            assert found(store, "signal") == ["a kettle signal"]
            place = {name: head.seq for name, head in store.position().items()}
            then = search(store, "kettle", as_of=place)
            assert [one.record.text for one in then.matches] == ["a copper kettle"]
            assert then.degraded == (NO_PAST,)
            server.kill()
            away = search(store, "kettle")
            assert [one.record.text for one in away.matches] == ["a copper kettle"]
            assert away.degraded == (AWAY,)
            # What is not hot is not held up; what is says so, and leaves nothing half done.
            record = written(store, "meanwhile", key="m")
            assert texts(ask(store, {"layer": "knowledge"})) == ["meanwhile", "a copper kettle"]
            for call in (
                lambda: write(store, a_signal("lost")),
                lambda: write_both(store, "lost", idempotency_key="r", request="x"),
                lambda: ask(store),
                lambda: store.get(EVERYTHING, [an_id(1)]),
                lambda: write(store, Erase(id=record.id)),
            ):
                with pytest.raises(StoreUnavailableError):
                    call()
            assert store.noted(Audience(EVERYTHING), 0, 10).notices == ()
            assert Severity.NOTE in {one.severity for one in store.check()}
            server.start()
            assert the(store, record.id) == record
            assert not write_both(store, "back", idempotency_key="r", request="x").repeated
            assert found(store, "signal kettle") == ["a kettle signal", "a copper kettle"]
        server.kill()


def test_the_past_is_that_of_the_base(store: CombinedStore) -> None:
    write(store, a_put("before", key="k"), a_put("a task", layer="task"))
    place = {name: head.seq for name, head in store.position().items()}
    write(store, a_put("after", key="k"))
    assert texts(ask(store, as_of=place)) == ["before"]
    assert store.count(Query(reach=EVERYTHING, as_of=place)) == 1
    with pytest.raises(UnsupportedError):
        ask(store, {"layer": "task"}, as_of=place)
    assert set(store.position(at=after_noon(1))) == {WEB}


def test_what_was_there_before_stays_where_it_is(combine: Combine) -> None:
    base = EphemeralStore()
    old = written(base, "an old task", layer="task", key="t")
    archived = written(base, "put aside", layer="task", key="a")
    write(base, Move(id=archived.id, state=State.ARCHIVED))
    store = combine(base)
    write(store, a_put("a new task", layer="task", key="n"), at=after_noon(1))
    assert texts(ask(store, {"layer": "task"})) == ["a new task", "put aside", "an old task"]
    assert write(store, a_put("revised", layer="task", key="t")).id == old.id
    assert the(base, old.id).text == "revised"
    assert write(store, a_put("again", revises=old.id, layer="task", expect=2)).rev == 3
    adopted = a_record("from elsewhere", layer="task", key="f", rev=4)
    write(store, Adopt(record=adopted))
    assert base.get(EVERYTHING, [adopted.id]) == []
    assert the(store, adopted.id) == adopted


def test_an_erase_reaches_both_and_says_where_it_could_not_look(store: CombinedStore) -> None:
    cold, hot = written(store, "a heron"), written(store, "an egret", layer="task")
    write(store, Erase(id=cold.id))
    assert store.scrub([b"a heron in the reeds"]).unlooked == ()
    write(store, Erase(id=hot.id), Erase(id=written(store, "a stork").id))
    assert "redis" in store.scrub([b"an egret in the reeds"]).unlooked[0]
    assert store.tombstones([cold.id, hot.id]) == {cold.id, hot.id}
    assert ask(store) == []
    assert len(store.versions(EVERYTHING, hot.id)) == 2
