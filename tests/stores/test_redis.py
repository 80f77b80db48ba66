"""The Redis store where the world is not as it should be: every way in which it can say so."""

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lamina.core.access import EVERYTHING
from lamina.core.changes import Action, Erase
from lamina.core.layers import HOT, LAYERS, Durability
from lamina.errors import (
    ConflictError,
    InvalidInputError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    StoreUnavailableError,
    StoreVersionError,
    UnsupportedError,
)
from lamina.stores.base import Capability, Severity
from lamina.stores.questions import Query
from lamina.stores.redis.address import parse_address
from lamina.stores.redis.store import RedisStore
from lamina.testing.builders import (
    WEB,
    a_put,
    ask,
    at_home_in,
    found,
    picture,
    place_at,
    texts,
    write,
    written,
)
from tests.meta.children import environment
from tests.redis import RedisServer, needs_redis
from tests.scratch import scratch_folder
from tests.wires import Wire

pytestmark = needs_redis
LONG = 20.0


@pytest.fixture(autouse=True)
def _at_home() -> Iterator[None]:
    with at_home_in("task"):
        yield


@pytest.fixture
def server() -> Iterator[RedisServer]:
    """One of its own, for what the others would not survive."""
    with scratch_folder() as folder:
        server = RedisServer(folder, "--appendonly", "yes")
        server.start()
        yield server
        server.kill()


def test_only_the_hot_layers_are_kept(redis_server: RedisServer) -> None:
    with closing(RedisStore(redis_server.fresh_url())) as store:
        for layer in LAYERS.keys() - HOT:
            with pytest.raises(UnsupportedError, match=layer):
                write(store, a_put(layer=layer))
        for layer in HOT:
            write(store, a_put(layer=layer))
        with pytest.raises(UnsupportedError, match="past"):
            ask(store, as_of={WEB: 1})
        with pytest.raises(UnsupportedError):
            store.backup(Path("nowhere"), print)


def test_what_survives_is_what_the_server_writes_down(server: RedisServer) -> None:
    levels = {
        ("no", "always"): (Durability.EPHEMERAL, set()),
        ("yes", "everysec"): (Durability.COMMITTED, {Capability.DURABLE}),
        ("yes", "always"): (Durability.SYNCED, {Capability.DURABLE, Capability.SYNCED}),
    }
    usual = {Capability.MANY_PROCESSES, Capability.EXPIRING}
    with server.client() as client:
        for (kept, synced), (durability, declared) in levels.items():
            client.config_set("appendonly", kept, "appendfsync", synced)
            with closing(RedisStore(server.fresh_url())) as store:
                assert store.capabilities == usual | declared
                assert write(store, a_put()).durability is durability
                signal = write(store, a_put(layer="blackboard")).durability
                relaxed = durability is not Durability.EPHEMERAL
                assert signal is (Durability.COMMITTED if relaxed else durability)
        client.acl_setuser("shy", enabled=True, nopass=True, keys="*", channels="*",
                           categories=["+@all"], commands=["-config"])  # fmt: skip
        shy = server.fresh_url().replace("unix://", "unix://shy@") + "&password=x"
        with closing(RedisStore(shy)) as store:
            assert write(store, a_put()).durability is Durability.COMMITTED


def test_who_may_not_come_in_is_told_so(server: RedisServer) -> None:
    with server.client() as client:
        client.config_set("requirepass", "right")
    for url in (server.url(), server.url(password="wrong")):
        with closing(RedisStore(url)) as store, pytest.raises(StoreError) as caught:
            write(store, a_put())
        assert not isinstance(caught.value, StoreUnavailableError)
        assert "credentials" in caught.value.message
        assert "wrong" not in f"{caught.value} {store.location}"
    with closing(RedisStore(server.url(password="right"))) as store:
        write(store, a_put())
        assert "right" not in store.location


def test_what_is_no_redis_is_told_from_one_that_is_away() -> None:
    with scratch_folder() as folder, socket.socket(socket.AF_UNIX) as door:
        away = RedisStore(f"unix://{folder}/nothing")
        with closing(away), pytest.raises(StoreUnavailableError, match="cannot be reached"):
            write(away, a_put())
        door.bind(str(folder / "door"))
        door.listen()

        def answer() -> None:
            line, _ = door.accept()
            with line:
                line.recv(100)
                line.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                line.recv(100)

        threading.Thread(target=answer, daemon=True).start()
        other = RedisStore(f"unix://{folder}/door")
        with closing(other), pytest.raises(StoreError, match="like a Redis"):
            write(other, a_put())


def test_a_replica_can_be_read_and_not_written(server: RedisServer) -> None:
    with server.client() as client, closing(RedisStore(server.url())) as store:
        written(store, "before", key="k")
        client.replicaof("127.0.0.1", 1)
        with pytest.raises(StoreReadOnlyError, match="replica"):
            write(store, a_put("after", key="k"))
        assert texts(ask(store)) == ["before"]
        client.replicaof("NO", "ONE")
        write(store, a_put("after", key="k"))


def test_without_memory_nothing_is_written_and_erasing_frees_some(server: RedisServer) -> None:
    with server.client() as client, closing(RedisStore(server.url())) as store:
        record = written(store, "before", key="k")
        before = picture(store)
        client.config_set("maxmemory", "1")
        with pytest.raises(StoreFullError, match="memory"):
            write(store, a_put("after", key="k"), a_put("more"), idempotency_key="r", request="x")
        assert picture(store) == before
        assert write(store, Erase(id=record.id)).action is Action.ERASED
        client.config_set("maxmemory", "0")
        again = write(store, a_put("after"), idempotency_key="r", request="x")
        assert not again.repeated


def test_a_server_that_forgets_at_will_is_refused(server: RedisServer) -> None:
    with server.client() as client:
        client.config_set("maxmemory", "100mb", "maxmemory-policy", "allkeys-lru")
    with closing(RedisStore(server.url())) as store, pytest.raises(StoreError) as caught:
        write(store, a_put())
    assert "noeviction" in caught.value.remedy


def test_another_stores_place_is_refused(server: RedisServer) -> None:
    with closing(RedisStore(server.url(), owner="one")) as store:
        written(store, "mine")
    other = RedisStore(server.url(), owner="two")
    with closing(other), pytest.raises(StoreError, match="another store"):
        write(other, a_put())
    with closing(RedisStore(server.url("beside"), owner="two")) as other:
        write(other, a_put())
    with server.client() as client:
        client.hset("{lamina}:meta", "format", "99")
    store = RedisStore(server.url(), owner="one")
    with closing(store), pytest.raises(StoreVersionError, match="99"):
        write(store, a_put())


def test_a_connection_that_leads_elsewhere_now_is_noticed(server: RedisServer) -> None:
    with closing(RedisStore(server.url(), owner="one")) as store, server.client() as client:
        written(store, "mine")
        client.flushall()
        with closing(RedisStore(server.url(), owner="two")) as other:
            written(other, "theirs")
        client.client_kill_filter(_type="normal")
        with pytest.raises(StoreError, match="another store"):
            ask(store)


def test_a_memory_that_was_lost_begins_anew_with_other_numbers(server: RedisServer) -> None:
    with closing(RedisStore(server.url(), owner="one")) as store, server.client() as client:
        for number in range(3):
            write(store, a_put(f"before {number}", key="k"))
        assert found(store, "before")
        client.flushall()
        assert ask(store) == []
        assert found(store, "before") == []
        receipt = write(store, a_put("after", key="k"))
        assert (receipt.action, receipt.rev) == (Action.CREATED, 1)
        assert receipt.seqs[0][1] > 3
        assert found(store, "after") == ["after"]
        with pytest.raises(InvalidInputError, match="any more"):
            store.changes(EVERYTHING, {WEB: 2}, 10)
        assert store.identity == "one"


def test_a_memory_that_is_lost_again_and_again_gives_no_number_twice(server: RedisServer) -> None:
    with closing(RedisStore(server.url(), owner="one")) as store, server.client() as client:
        given: list[int] = []
        for number in range(20):
            given += [seq for _, seq in write(store, a_put(f"heron {number}", key="k")).seqs]
            assert found(store, "heron") == [f"heron {number}"]
            client.flushall()
        assert given == sorted(set(given))


def test_a_killed_server_comes_back_with_everything_acknowledged(server: RedisServer) -> None:
    with closing(RedisStore(server.url())) as store:
        written(store, "before", key="k")
        record = written(store, "for a while", key="other")
        before, place = picture(store), {WEB: 2}
        server.kill()
        with pytest.raises(StoreUnavailableError, match="idempotency"):
            write(store, a_put("meanwhile", key="k"), idempotency_key="r", request="x")
        with pytest.raises(StoreUnavailableError):
            store.get(EVERYTHING, [record.id])
        server.start()
        assert picture(store) == before
        receipt = write(store, a_put("meanwhile", key="k"), idempotency_key="r", request="x")
        assert (receipt.rev, receipt.repeated) == (2, False)
        # What a server wrote last may be lost with it: its numbers are never given again.
        assert receipt.seqs[0][1] > 3
        page = store.changes(EVERYTHING, place, 10)
        assert [change.record and change.record.text for change in page.changes] == ["meanwhile"]
        assert found(store, "meanwhile") == ["meanwhile"]
        assert {one.severity for one in store.check()} == {Severity.OK}


def test_an_answer_that_got_lost_leaves_one_change(server: RedisServer) -> None:
    wire = Wire(server.folder / "wire", server.socket)
    with wire, closing(RedisStore(wire.url("lamina"))) as store:
        first = write(store, a_put("one", key="k"))
        wire.lose_answer(to=b'"steps"')
        second = write(store, a_put("two", key="k"))
        assert wire.lost == 1
        assert (second.action, second.rev, second.seqs) == (Action.REVISED, 2, ((WEB, 2),))
        wire.lose_answer(to=b'"steps"')
        third = write(store, a_put("new"))
        assert (wire.lost, third.action) == (2, Action.CREATED)
        assert len(store.events(WEB)) == 3
        assert first.id != third.id


def test_those_who_wait_are_woken_though_their_messages_are_cut_off(server: RedisServer) -> None:
    with closing(RedisStore(server.url())) as store, closing(RedisStore(server.url())) as other:
        write(other, a_put("before"))
        for number in range(3):
            pulse = store.pulse()
            assert not store.wait(pulse, 0.01)
            with server.client() as client:
                client.client_kill_filter(_type="pubsub")
            write(other, a_put(f"after {number}"))
            assert store.wait(pulse, LONG)


def test_the_log_goes_back_only_so_far(redis_server: RedisServer) -> None:
    url = redis_server.fresh_url()
    with closing(RedisStore(url, most_events=5)) as store:
        gone = written(store, "gone", key="g")
        write(store, Erase(id=gone.id))
        for number in range(9):
            receipt = write(store, a_put(f"value {number}", key="k"))
            assert found(store, "value") == [f"value {number}"]
        events = store.events(WEB)
        assert [event.seq for event in events] == [7, 8, 9, 10, 11]
        kept = store.versions(EVERYTHING, receipt.id)
        assert [one.record and one.record.text for one in kept] == [
            f"value {n}" for n in range(4, 9)
        ]
        assert store.versions(EVERYTHING, gone.id) == []
        assert store.transaction(events[0].tx) == events[:1]
        assert len(store.changes(EVERYTHING, {}, 100).changes) == 5
        assert len(store.changes(EVERYTHING, {WEB: 7}, 100).changes) == 4
        with pytest.raises(InvalidInputError, match="any more"):
            store.changes(EVERYTHING, {WEB: 6}, 100)
        with closing(RedisStore(url)) as other:
            assert found(other, "value") == ["value 8"]
        assert {one.severity for one in store.check()} == {Severity.OK}


def test_what_is_not_where_it_belongs_is_found_and_mended(redis_server: RedisServer) -> None:
    url = redis_server.fresh_url()
    prefix = f"{{{parse_address(url).prefix}}}:"
    with closing(RedisStore(url)) as store, redis_server.client() as client:
        record = written(store, "a kettle", key="k")
        before = picture(store)
        client.delete(f"{prefix}at:{place_at('k')}", f"{prefix}in:{WEB}\x1ftask")
        assert Severity.DERIVED in {one.severity for one in store.check()}
        assert store.find(EVERYTHING, place_at("k")) is None
        repaired = store.repair(lambda record: ("kettle",))
        assert repaired.done
        assert store.find(EVERYTHING, place_at("k")) == record
        assert {one.severity for one in store.check()} == {Severity.OK}
        assert picture(store)["records"] == before["records"]


def test_a_question_about_one_scope_and_layer_reads_no_other(redis_server: RedisServer) -> None:
    with closing(RedisStore(redis_server.fresh_url())) as store, redis_server.client() as client:
        for number in range(300):
            write(store, a_put(f"{number}", key=f"k{number}", scope=f"{WEB}/task/t{number % 3}"))
        wanted = {"scope": f"{WEB}/task/t1", "layer": "task"}
        client.config_resetstat()
        assert len(ask(store, wanted)) == 100
        assert client.info("commandstats")["cmdstat_hget"]["calls"] <= 210
        client.config_resetstat()
        assert texts(ask(store, {**wanted, "key": "k4"}, live_at=None, limit=1)) == ["4"]
        client.config_resetstat()
        assert texts(ask(store, {**wanted, "key": "k4", "state": "current"})) == ["4"]
        assert client.info("commandstats")["cmdstat_hget"]["calls"] == 2
        assert store.count(Query(reach=EVERYTHING)) == 300


_CROWD = """
import os, sys
from lamina.clock import fresh_id
from lamina.stores.redis.store import RedisStore
from lamina.errors import ConflictError
from lamina.testing.builders import a_put, at_home_in, the, write
url, crowd, each = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
store = RedisStore(url)
with at_home_in("task"):
    first = write(store, a_put("0", key="count"))
    children = []
    for number in range(crowd):
        child = os.fork()
        if not child:
            for n in range(each):
                write(store, a_put(f"{number} {n}", id=fresh_id()), tx=fresh_id())
                while True:
                    now = the(store, first.id)
                    try:
                        more = a_put(str(int(now.text) + 1), revises=now.id, expect=now.rev)
                        write(store, more, tx=fresh_id())
                    except ConflictError:
                        continue
                    break
            os._exit(0)
        children.append(child)
    print([os.waitpid(child, 0)[1] for child in children] == [0] * crowd)
"""


def test_twenty_processes_lose_nothing(redis_server: RedisServer) -> None:
    url, crowd, each = redis_server.fresh_url(), 20, 5
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _CROWD, url, str(crowd), str(each)],
        env=environment(), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.stdout == "True\n", done.stderr
    with closing(RedisStore(url)) as store:
        assert [event.seq for event in store.events(WEB)] == list(range(1, 2 * crowd * each + 2))
        assert ask(store, {"key": "count"})[0].text == str(crowd * each)
        assert store.count(Query(reach=EVERYTHING)) == crowd * each + 1
        assert {one.severity for one in store.check()} == {Severity.OK}


def test_who_changes_a_setting_meanwhile_is_heard(redis_server: RedisServer) -> None:
    url = redis_server.fresh_url()
    chosen = {"index_version": "another"}
    with closing(RedisStore(url, chosen=lambda: chosen)) as store:
        with pytest.raises(StoreVersionError, match="another"):
            write(store, a_put())
        chosen.clear()
        write(store, a_put("one", key="k"))
        with pytest.raises(ConflictError):
            write(store, a_put("two", key="k", expect=7))
