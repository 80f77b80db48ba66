"""Servers that follow, fail and come back, and clients that are paused: `make test-postgres`."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from time import monotonic, sleep
from typing import Any

import pytest

from lamina.errors import StoreReadOnlyError, StoreUnavailableError
from lamina.stores.postgres.address import parse
from lamina.stores.postgres.connections import Connections
from lamina.stores.postgres.dialect import DIALECT
from lamina.stores.postgres.driver import Connection
from tests.postgres.opened import ADD, add, names, opened
from tests.postgres.proxy import Proxy, proxied
from tests.postgres.server import Server, run_sql


@pytest.fixture
def primary() -> Iterator[Server]:
    """A server that keeps what it acknowledges."""
    with Server() as server:
        yield server


def _until(what: Any, wanted: object) -> None:
    for _ in range(500):
        if what() == wanted:
            return
        sleep(0.02)
    assert what() == wanted


def test_a_replica_is_read_and_says_where_to_write(primary: Server) -> None:
    address = primary.place.address("kept")
    with opened(address) as connections, primary.replica() as replica:
        add(connections, "global")
        run_sql(primary.place.superuser(), "create schema empty authorization lamina")
        run_sql(replica.place.superuser(), "select pg_sleep(0)")
        with opened(replica.place.address("kept")) as copy:
            _until(lambda: names(copy), ["global"])
            with pytest.raises(StoreReadOnlyError, match="can only be read") as caught:
                add(copy, "user/ann")
            assert "target_session_attrs=read-write" in caught.value.remedy
            # A replica takes no notifications; the streams are looked at instead.
            pulse = copy.bell().pulse()
            add(connections, "user/bob")
            assert copy.bell().wait(pulse, 20)
        with pytest.raises(StoreReadOnlyError, match="holds no store yet") as caught:
            Connections(parse(replica.place.address("new")), DIALECT).open()
        assert "primary" in caught.value.remedy


def test_a_handle_follows_a_failover_without_being_opened_again(primary: Server) -> None:
    with primary.replica() as replica:
        both = (
            f"postgresql://lamina@127.0.0.1:{primary.place.port},127.0.0.1:{replica.place.port}"
            "/lamina?schema=kept&target_session_attrs=read-write&connect_timeout=3"
        )
        with opened(both) as connections:
            pulse = connections.bell().pulse()
            add(connections, "global")
            caught_up = (
                f"select pg_last_wal_replay_lsn() >= '{_position(primary)}'::pg_lsn from pg_class"
            )
            _until(lambda: run_sql(replica.place.superuser(), caught_up)[0][0], True)
            primary.kill()
            with pytest.raises(StoreUnavailableError):
                add(connections, "user/ann")
            run_sql(replica.place.superuser("postgres"), "select pg_promote()")
            add(connections, "user/ann")
            assert names(connections) == ["global", "user/ann"]
            assert connections.bell().wait(pulse, 20)


def _position(server: Server) -> object:
    return run_sql(server.place.superuser(), "select pg_current_wal_lsn()::text")[0][0]


def test_a_server_that_is_killed_and_started_has_what_it_acknowledged(primary: Server) -> None:
    with opened(primary.place.address("kept")) as connections:
        for number in range(5):
            add(connections, f"user/{number}")
            primary.kill()
            with pytest.raises(StoreUnavailableError):
                names(connections)
            primary.start()
            assert names(connections) == [f"user/{n}" for n in range(number + 1)]


def _write_and_wait(address: str, told: Any) -> None:
    def work(connection: Connection) -> None:
        connection.execute(ADD, ("user/paused",))
        connection.execute("update stream set seq = seq + 1 where name = 'global'")
        told.put("inside")
        sleep(0.5)

    with closing(Connections(parse(address), DIALECT)) as connections:
        connections.write(work)
        told.put("done")


def test_a_client_that_is_paused_holds_nobody_up_and_writes_once(primary: Server) -> None:
    context = multiprocessing.get_context("fork")
    address, told = primary.place.address("kept"), context.Queue()
    with opened(address) as connections:
        add(connections, "global")
        child = context.Process(target=_write_and_wait, args=(address, told))
        child.start()
        assert child.pid is not None
        assert told.get(timeout=30) == "inside"
        os.kill(child.pid, signal.SIGSTOP)
        # It holds the row; the server lets go of it before the others lose their patience.
        connections.write(
            lambda c: c.execute("update stream set seq = seq + 1 where name = 'global'")
        )
        os.kill(child.pid, signal.SIGCONT)
        assert [told.get(timeout=30), told.get(timeout=30)] == ["inside", "done"]
        child.join(30)
        with connections.reading() as reader:
            found = reader.execute("select name, seq from stream order by name").fetchall()
        assert found == [("global", 2), ("user/paused", 0)]


@pytest.mark.parametrize("kind", ["read", "snapshot", "write", "bell"])
def test_nothing_hangs_when_the_network_swallows_everything(primary: Server, kind: str) -> None:
    plain = primary.place.address("kept", tcp=True)
    with proxied(plain) as (proxy, address), opened(address) as connections:
        add(connections, "global")
        assert names(connections) == ["global"]
        pulse = connections.bell().pulse()
        proxy.stall()
        began = monotonic()
        if kind == "bell":
            assert not connections.bell().wait(pulse, 2)
        else:
            with pytest.raises(StoreUnavailableError, match="did not answer"):
                _ask(connections, kind)
        assert monotonic() - began < (6 if kind == "bell" else 12)
        proxy.flow()
        assert "global" in names(connections)


def _ask(connections: Connections, kind: str) -> None:
    if kind == "write":
        add(connections, "user/ann")
    elif kind == "snapshot":
        with connections.reading() as reader:
            reader.execute("select 1")
    else:
        names(connections)


def test_threads_go_on_through_resets(primary: Server) -> None:
    done: list[str] = []
    stop = threading.Event()

    def write(connections: Connections, number: int) -> None:
        for turn in range(30):
            name = f"user/{number}-{turn}"
            with suppress(StoreUnavailableError):
                add(connections, name)
                done.append(name)

    def cut(proxy: Proxy) -> None:
        while not stop.wait(0.05):
            proxy.cut()

    plain = primary.place.address("kept", tcp=True)
    with proxied(plain) as (proxy, address), opened(address) as connections:
        cutting = threading.Thread(target=cut, args=(proxy,))
        writers = [threading.Thread(target=write, args=(connections, n)) for n in range(4)]
        for thread in (cutting, *writers):
            thread.start()
        for thread in writers:
            thread.join(120)
        stop.set()
        cutting.join()
        found = names(connections)
        assert len(found) == len(set(found))
        assert set(done) <= set(found)
        assert done
