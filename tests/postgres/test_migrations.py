"""The schema: made once however many try, upgraded beside those who can bear it, refused if not."""

import multiprocessing
from contextlib import closing
from typing import Any

import pytest

from lamina.core.versions import INDEX_VERSION
from lamina.errors import (
    StoreDamagedError,
    StoreError,
    StoreReadOnlyError,
    StoreUnavailableError,
    StoreVersionError,
)
from lamina.stores.postgres import migrations
from lamina.stores.postgres.address import parse
from lamina.stores.postgres.dialect import DIALECT
from lamina.stores.postgres.driver import Connection, connect
from lamina.stores.postgres.migrations import Step, join, migrate
from lamina.stores.postgres.store import PostgresStore
from lamina.stores.sql import formats
from tests.postgres.opened import opened, session
from tests.postgres.server import run_sql
from tests.postgres.shared import fresh_address, server

FIRST = Step(
    "create table setting (name text primary key, value text not null);"
    " create table stream (name text)"
)
GENTLE = Step("alter table stream add column extra text", reader=1, writer=1)
HARSH = Step("alter table stream drop column name")
READERS_ONLY = Step("alter table stream add column needed text not null", reader=1)


def _open(address: str, *known: Step) -> Connection:
    """What opening a store does for a Lamina that knows these steps."""
    parsed = parse(address)
    connection = connect(parsed, DIALECT)
    try:
        migrate(connection, parsed.schema, known)
        join(connection, parsed.schema, len(known))
    except BaseException:
        connection.close()
        raise
    return connection


def _columns(connection: Connection) -> list[str]:
    sql = (
        "select a.attname::text from pg_attribute a where a.attrelid = 'stream'::regclass"
        " and a.attnum > 0 and not a.attisdropped order by a.attnum"
    )
    return [name for (name,) in connection.execute(sql)]


def test_a_store_is_made_with_what_every_transaction_asks_for() -> None:
    with opened() as connections, connections.reading() as reader:
        settings: dict[str, str] = dict(reader.execute("select * from setting"))
    assert len(settings.pop("identity")) == 32
    newest = str(migrations.NEWEST)
    assert settings == {
        "format": newest, "oldest_reader": newest, "oldest_writer": newest,
        "index_version": INDEX_VERSION,
    }  # fmt: skip


def test_opening_again_changes_nothing(address: str) -> None:
    found = []
    for _ in range(2):
        with opened(address) as connections, connections.reading() as reader:
            found.append(reader.execute("select * from setting order by name").fetchall())
    assert found[0] == found[1]


def _make(address: str, gate: Any, told: Any) -> None:
    gate.wait(30)
    try:
        with opened(address) as connections, connections.reading() as reader:
            sql = "select value from setting where name = 'identity'"
            told.put(reader.execute(sql).first())
    except BaseException as error:
        told.put(repr(error))


def test_of_many_processes_that_make_a_store_at_once_one_does() -> None:
    context = multiprocessing.get_context("fork")
    address, gate, told = fresh_address(), context.Barrier(3), context.Queue()
    children = [context.Process(target=_make, args=(address, gate, told)) for _ in range(3)]
    for child in children:
        child.start()
    identities = {told.get(timeout=30) for _ in children}
    for child in children:
        child.join(30)
    assert len(identities) == 1, identities
    assert len(identities.pop()) == 32


@pytest.mark.parametrize(
    "theirs",
    [
        "create table customer (id bigint)",
        "create table setting (name text, value text)",
        "create table setting (id bigint, name text)",
        "create view version as select 1",
        "create table setting (name text, value text, note text)",
        "create function instr(text, text) returns int language sql return 1",
        *(
            "create table setting (name text, value text); insert into setting values"
            f" ('identity', 'x'), ('format', {value})"
            for value in ("'abc'", "'1.5'", "'0'", "null", "'-1'")
        ),
    ],
)
def test_a_schema_of_somebody_else_is_refused_and_not_touched(theirs: str) -> None:
    address = fresh_address()
    with session(address) as connection:
        schema = parse(address).schema
        connection.run(f"create schema {schema}; {theirs}")
        sql = "select count(*) from pg_class where relnamespace = ?::regnamespace"
        before = connection.execute(sql, (schema,)).first()
        with pytest.raises(StoreDamagedError, match="something else") as caught:
            migrate(connection, schema)
        assert "schema=NAME" in caught.value.remedy
        assert connection.execute(sql, (schema,)).first() == before


def test_a_step_that_fails_leaves_nothing_behind() -> None:
    address = fresh_address()
    with pytest.raises(Exception, match="no_such_thing"):
        _open(address, FIRST, Step("create table half (a bigint); select no_such_thing()"))
    with closing(_open(address, FIRST)) as connection:
        sql = "select to_regclass('half') is null"
        assert connection.execute(sql).first()
        assert migrations.read_settings(connection)["format"] == "1"


def test_a_gentle_step_is_taken_while_older_servers_run_and_they_go_on() -> None:
    address = fresh_address()
    with closing(_open(address, FIRST)) as old:
        with closing(_open(address, FIRST, GENTLE)) as new:
            assert _columns(new) == ["name", "extra"]
        settings = migrations.read_settings(old)
        assert settings["format"] == "2"
        old.execute("insert into stream (name) values ('still')")
        formats.check_writable(settings, 1)
    # One of the older version that is started only now, in the middle of the upgrade.
    with closing(_open(address, FIRST)) as another:
        assert another.execute("select name from stream").first() == "still"


def test_a_harsh_step_waits_until_no_older_server_is_connected() -> None:
    address = fresh_address()
    with closing(_open(address, FIRST)) as old:
        with pytest.raises(StoreUnavailableError, match="older processes are connected"):
            _open(address, FIRST, HARSH)
        with pytest.raises(StoreUnavailableError, match="older processes are connected"):
            # Not half of it either.
            _open(address, FIRST, GENTLE, HARSH)
        assert _columns(old) == ["name"]
    with closing(_open(address, FIRST, HARSH)) as new:
        assert _columns(new) == []
    with pytest.raises(StoreVersionError, match="format 2; this Lamina knows formats up to 1"):
        _open(address, FIRST)


def test_only_those_are_in_the_way_who_would_have_to_stop() -> None:
    address = fresh_address()
    with closing(_open(address, FIRST, GENTLE)):
        after = Step("select 1", reader=2, writer=2)
        with closing(_open(address, FIRST, GENTLE, after)) as new:
            assert migrations.read_settings(new)["oldest_writer"] == "2"
        with pytest.raises(StoreVersionError):
            _open(address, FIRST)


def test_who_may_only_read_is_told_when_it_writes() -> None:
    address = fresh_address()
    with closing(_open(address, FIRST)):
        pass
    with closing(_open(address, FIRST, READERS_ONLY)):
        pass
    with closing(_open(address, FIRST)) as old:
        settings = migrations.read_settings(old)
        formats.check_readable(settings, 1)
        with pytest.raises(StoreVersionError, match="2 is needed to write it") as caught:
            formats.check_writable(settings, 1)
        assert "Upgrade" in caught.value.remedy


def test_an_upgrade_waits_for_a_reader_and_then_goes_through() -> None:
    address = fresh_address()
    with closing(_open(address, FIRST)) as old:
        old.run("begin; select * from stream")
        with closing(connect(parse(address), DIALECT)) as new:
            new.run("set lock_timeout = '50ms'")
            with pytest.raises(Exception, match="lock timeout"):
                new.run("begin; set local lock_timeout = '50ms'; " + GENTLE.sql)
            new.roll_back()
            old.run("commit")
            migrate(new, parse(address).schema, (FIRST, GENTLE))
            assert _columns(new) == ["name", "extra"]


def test_a_store_that_is_there_opens_on_a_server_that_only_reads(address: str) -> None:
    with opened(address) as connections:
        connections.write(lambda c: c.execute("insert into tombstone values ('a', 'b')"))
    reads_only = server().address(parse(address).schema, role="only_reads")
    run_sql(
        server().superuser("postgres"),
        "create role only_reads login in role lamina",
        "alter role only_reads set default_transaction_read_only = on",
    )
    with opened(reads_only) as connections:
        with connections.reading() as reader:
            assert reader.execute("select id from tombstone").first() == "a"
        with pytest.raises(StoreReadOnlyError):
            connections.write(lambda c: c.execute("delete from tombstone"))


def test_a_role_that_may_not_look_is_told_what_to_grant() -> None:
    address = fresh_address()
    PostgresStore(address).close()
    schema = parse(address).schema
    run_sql(server().superuser(), f"create role onlooker_{schema} login")
    with pytest.raises(StoreError, match="may not use the schema") as caught:
        PostgresStore(address.replace("://lamina@", f"://onlooker_{schema}@"))
    assert f"grant usage on schema {schema}" in str(caught.value.remedy)
    assert not isinstance(caught.value, StoreDamagedError)


def test_the_schema_of_the_extension_is_not_for_a_store() -> None:
    run_sql(server().superuser("postgres"), "create database extended owner lamina")
    run_sql(
        server().superuser("extended"),
        "create schema mem authorization lamina",
        "create extension vector schema mem",
    )
    with pytest.raises(StoreDamagedError, match="something else"):
        PostgresStore(server().address("mem", database="extended"))
    with closing(PostgresStore(server().address("own", database="extended"))) as store:
        assert store.identity
