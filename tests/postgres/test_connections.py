"""The connections of a process: shared by threads, replaced when lost, never writing twice."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from lamina.errors import ConflictError, InvalidInputError, StoreError, StoreUnavailableError
from lamina.stores.postgres import driver, locks, migrations, pool, session
from lamina.stores.postgres.connections import Connections
from lamina.stores.postgres.driver import Connection
from lamina.stores.postgres.pool import Pool
from tests.postgres import opened as places
from tests.postgres.opened import ADD, add, names, opened
from tests.postgres.proxy import proxied
from tests.postgres.server import run_sql
from tests.postgres.shared import server


def _end_sessions(connections: Connections) -> None:
    """Have the server end every session of a store, and come back when they are gone."""
    schema = connections.schema
    sql = (
        "select count(pg_terminate_backend(pid, 5000)) from pg_locks where locktype = 'advisory'"
        f" and ((classid::bigint << 32) | objid::bigint) = {_presence(schema)}"
    )
    run_sql(server().superuser(), sql)


def _presence(schema: str) -> int:
    return locks.number(schema, f"{locks.PRESENCE}:{migrations.NEWEST}")


def _sessions(connections: Connections) -> int:
    sql = (
        "select count(*) from pg_locks where locktype = 'advisory'"
        f" and ((classid::bigint << 32) | objid::bigint) = {_presence(connections.schema)}"
    )
    [(found,)] = run_sql(server().superuser(), sql)
    assert isinstance(found, int)
    return found


def test_what_was_written_is_read_by_everybody(address: str) -> None:
    with opened(address) as one, opened(address) as other:
        add(one, "global")
        assert names(one) == names(other) == ["global"]


def test_a_snapshot_stays_as_it_was() -> None:
    count = "select count(*) from stream"
    with (
        opened() as connections,
        connections.reading() as still,
        connections.reading(snapshot=False) as now,
    ):
        assert (still.execute(count).first(), now.execute(count).first()) == (0, 0)
        add(connections, "global")
        assert (still.execute(count).first(), now.execute(count).first()) == (0, 1)


def test_a_reader_cannot_write() -> None:
    with opened() as connections:
        for snapshot in (True, False):
            with (
                pytest.raises(StoreError, match="can only be read"),
                connections.reading(snapshot=snapshot) as reader,
            ):
                reader.execute("delete from setting")


def test_an_error_inside_leaves_nothing_behind_and_the_connection_usable() -> None:
    def fail(connection: Connection) -> None:
        connection.execute(ADD, ("global",))
        raise ConflictError("no")

    with opened() as connections:
        with pytest.raises(ConflictError):
            connections.write(fail)
        with pytest.raises(StoreError, match="division by zero"):
            connections.write(lambda c: c.run("select 1 / 0"))
        assert names(connections) == []
        add(connections, "global")
        assert names(connections) == ["global"]
        assert _sessions(connections) == 2


def test_threads_share_a_commit_and_one_that_fails_fails_alone() -> None:
    blocked, going = threading.Event(), threading.Event()

    def first(connection: Connection) -> None:
        going.set()
        blocked.wait(10)

    def bad(connection: Connection) -> None:
        connection.execute(ADD, ("nul \0",))

    with opened() as connections, ThreadPoolExecutor(12) as threads:
        holds = threads.submit(connections.write, first)
        going.wait(10)
        good = [threads.submit(add, connections, f"user/{n}") for n in range(8)]
        failing = threads.submit(connections.write, bad)
        refused = threads.submit(connections.write, _refuse)
        blocked.set()
        for one in (holds, *good):
            one.result(10)
        with pytest.raises(InvalidInputError):
            failing.result(10)
        with pytest.raises(ConflictError):
            refused.result(10)
        assert sorted(names(connections)) == sorted(f"user/{n}" for n in range(8))


def _refuse(connection: Connection) -> None:
    connection.execute(ADD, ("user/refused",))
    raise ConflictError("no")


@pytest.mark.parametrize("snapshot", [True, False])
def test_a_read_on_a_lost_connection_is_asked_again(snapshot: bool) -> None:
    with opened() as connections:
        add(connections, "global")
        assert names(connections) == ["global"]
        _end_sessions(connections)
        with connections.reading(snapshot=snapshot) as reader:
            assert reader.execute("select name from stream").first() == "global"


def test_a_statement_in_flight_is_asked_again_on_another_connection() -> None:
    with opened() as connections, connections.reading(snapshot=False) as reader:
        pid = reader.execute("select pg_backend_pid()").first()
        once = f"select case pg_backend_pid() when {pid} then pg_terminate_backend({pid}) end"
        assert reader.execute(once).first() is None
        # Once is enough: a server that ends every session is not asked for ever.
        with pytest.raises(StoreUnavailableError), connections.reading(snapshot=False) as another:
            another.execute("select pg_terminate_backend(pg_backend_pid())")


def _read_and_lose(connections: Connections) -> None:
    with connections.reading() as reader:
        reader.execute("select 1")
        _end_sessions(connections)
        reader.execute("select 1")


def test_a_snapshot_that_is_lost_is_not_taken_for_another() -> None:
    with opened() as connections:
        with pytest.raises(StoreUnavailableError):
            _read_and_lose(connections)
        assert names(connections) == []


def test_a_write_on_a_lost_connection_is_done_once() -> None:
    with opened() as connections:
        add(connections, "global")
        _end_sessions(connections)
        add(connections, "user/ann")
        assert names(connections) == ["global", "user/ann"]


def test_a_write_that_is_lost_before_its_commit_is_done_again_and_once() -> None:
    tries = []

    def work(connection: Connection) -> None:
        connection.execute(ADD, ("global",))
        tries.append(connection.pid)
        if len(tries) == 1:
            connection.execute("select pg_terminate_backend(pg_backend_pid())")

    with opened() as connections:
        connections.write(work)
        assert names(connections) == ["global"]
    assert len(set(tries)) == 2


def test_a_write_that_is_lost_with_its_commit_is_not_done_again() -> None:
    tries = []

    def work(connection: Connection) -> None:
        tries.append(connection.pid)
        connection.run(
            "create function die() returns trigger language plpgsql as $$ begin"
            " perform pg_terminate_backend(pg_backend_pid()); return null; end $$;"
            " create constraint trigger dies after insert on stream deferrable initially deferred"
            " for each row execute function die()"
        )
        connection.execute(ADD, ("global",))

    with opened() as connections:
        with pytest.raises(StoreUnavailableError, match="may or may not"):
            connections.write(work)
        assert len(tries) == 1
        assert names(connections) == []


def test_two_writers_in_each_others_way_both_get_through(address: str) -> None:
    meet = threading.Barrier(2)

    def swap(first: str, second: str) -> Callable[[Connection], None]:
        met: list[int] = []

        def work(connection: Connection) -> None:
            connection.execute("update stream set seq = seq + 1 where name = ?", (first,))
            if not met:
                met.append(meet.wait(10))
            connection.execute("update stream set seq = seq + 1 where name = ?", (second,))

        return work

    run_sql(server().superuser("postgres"), "alter role lamina set deadlock_timeout = '50ms'")
    with opened(address) as one, opened(address) as other, ThreadPoolExecutor(2) as threads:
        add(one, "global")
        add(one, "user/ann")
        both = [
            threads.submit(one.write, swap("global", "user/ann")),
            threads.submit(other.write, swap("user/ann", "global")),
        ]
        for writer in both:
            writer.result(20)
        with one.reading() as reader:
            assert reader.execute("select sum(seq) from stream").first() == 4


def test_a_reset_in_the_middle_is_outlived(over_tcp: str) -> None:
    with proxied(over_tcp) as (proxy, address), opened(address) as connections:
        add(connections, "global")
        proxy.cut()
        add(connections, "user/ann")
        proxy.cut()
        assert names(connections) == ["global", "user/ann"]


def test_a_network_that_swallows_everything_ends_a_wait(
    monkeypatch: pytest.MonkeyPatch, over_tcp: str
) -> None:
    address = over_tcp + "&connect_timeout=2"
    with proxied(address) as (proxy, through), opened(through) as connections:
        add(connections, "global")
        assert names(connections) == ["global"]
        monkeypatch.setattr(driver, "GRACE_SECONDS", 0.2 - session.PATIENCE_SECONDS)
        proxy.stall()
        with pytest.raises(StoreUnavailableError, match="did not answer"):
            names(connections)
        with pytest.raises(StoreUnavailableError, match="did not answer"):
            add(connections, "user/ann")
        proxy.flow()
        monkeypatch.undo()
        assert names(connections) == ["global"]
        add(connections, "user/bob")


def test_who_waits_behind_one_that_got_no_answer_does_not_wait_again(
    monkeypatch: pytest.MonkeyPatch, over_tcp: str
) -> None:
    with proxied(over_tcp) as (proxy, through), opened(through) as connections:
        add(connections, "global")
        monkeypatch.setattr(driver, "GRACE_SECONDS", 0.5 - session.PATIENCE_SECONDS)
        proxy.stall()
        before = proxy.connections
        with ThreadPoolExecutor(4) as pool:
            tries = [pool.submit(add, connections, f"user/u{number}") for number in range(4)]
        for one in tries:
            with pytest.raises(StoreUnavailableError, match="did not answer"):
                one.result()
        assert proxy.connections == before
        proxy.flow()
        monkeypatch.undo()
        add(connections, "user/bob")
        assert names(connections) == ["global", "user/bob"]


def test_idle_connections_are_asked_for_a_sign_of_life(
    monkeypatch: pytest.MonkeyPatch, over_tcp: str
) -> None:
    monkeypatch.setattr(pool, "_IDLE_SECONDS", 0.0)
    monkeypatch.setattr(pool, "_SIGN_SECONDS", 0.2)
    with proxied(over_tcp) as (proxy, address), opened(address) as connections:
        assert names(connections) == []
        # The network forgets the old connection without a word; new ones get through.
        proxy.stall()
        threading.Timer(0.3, proxy.flow).start()
        assert names(connections) == []


def test_there_are_never_more_readers_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_PATIENCE_SECONDS", 0.1)
    with opened() as connections, places.session() as spare:
        few = Pool(lambda: spare, most=1)
        with few.reader(), few.reader() as nested:
            # Who has one may have another, or would wait for itself.
            assert nested.execute("select 1").first() == 1
            with (
                ThreadPoolExecutor(1) as threads,
                pytest.raises(StoreUnavailableError, match="in use"),
            ):
                threads.submit(few.reader().__enter__).result(10)
        monkeypatch.undo()
        with ThreadPoolExecutor(20) as threads:
            assert list(threads.map(lambda _: names(connections), range(60))) == [[]] * 60
        assert _sessions(connections) <= pool.MOST_READERS


def test_what_is_not_worth_waiting_for_is_not_waited_for(address: str) -> None:
    with opened(address) as one, opened(address) as other:
        add(one, "global")

        def work(connection: Connection) -> None:
            connection.execute("update stream set seq = 1")
            with pytest.raises(StoreUnavailableError, match="busy"):
                other.write_if_quiet(lambda c: c.execute("update stream set seq = 2"))
            with ThreadPoolExecutor(1) as threads, pytest.raises(StoreUnavailableError):
                threads.submit(one.write_if_quiet, lambda c: None).result(10)

        one.write(work)
        other.write_if_quiet(lambda c: c.execute("update stream set seq = 3"))
        with one.reading() as reader:
            assert reader.execute("select seq from stream").first() == 3


def test_a_forked_child_has_connections_of_its_own() -> None:
    with opened() as connections:
        add(connections, "global")
        pids = set()
        with connections.reading() as held:
            pids.add(held.execute("select pg_backend_pid()").first())
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    add(connections, "user/child")
                    with connections.reading() as own:
                        fresh = own.execute("select pg_backend_pid()").first() not in pids
                    status = 0 if fresh and len(names(connections)) == 2 else 2
                    connections.close()
                finally:
                    os._exit(status)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            # The parent's snapshot is as it was: the child has not ended its session.
            assert held.execute("select count(*) from stream").first() == 1
        assert names(connections) == ["global", "user/child"]


def test_relaxed_commits_do_not_wait_for_the_disk_and_synced_ones_do() -> None:
    asked = "select current_setting('synchronous_commit')"
    with opened() as connections:
        for synced, wanted in ((True, "on"), (False, "off"), (True, "on")):
            found = connections.write(lambda c: c.execute(asked).first(), synced=synced)
            assert found == wanted


def test_a_closed_store_says_so_and_leaves_no_session() -> None:
    with opened() as connections:
        add(connections, "global")
        assert names(connections) == ["global"]
        assert _sessions(connections) == 2
        connections.close()
        for call in (lambda: add(connections, "x"), lambda: names(connections), connections.bell):
            with pytest.raises(StoreError, match="closed"):
                call()
        connections.close()
        for _ in range(200):
            if not _sessions(connections):
                return
    raise AssertionError("sessions were left open")
