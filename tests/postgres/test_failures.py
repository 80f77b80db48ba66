"""Whatever is wrong with a server or an address: one clear error, and the way out."""

import re
import socket

import pytest

from lamina.errors import (
    InvalidInputError,
    LaminaError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    StoreUnavailableError,
)
from lamina.stores.postgres import failures
from lamina.stores.postgres.verdicts import translated
from tests.postgres.opened import opened, session
from tests.postgres.server import GUARDED, free_port, run_sql
from tests.postgres.shared import fresh_address, server


def _fails(address: str, kind: type[LaminaError], says: str, remedy: str) -> None:
    with pytest.raises(kind, match=says) as caught, opened(address):
        pass
    assert type(caught.value) is kind
    assert re.search(remedy, caught.value.remedy), caught.value.remedy
    assert "open%20sesame" not in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_wrong_password() -> None:
    address = server().address("x", role=GUARDED, tcp=True)
    with session(address):
        pass
    wrong = address.replace("open%20sesame", "hunter2")
    _fails(wrong, StoreError, "refuses the role and password", "PGPASSWORD")


def test_a_missing_database_or_role() -> None:
    _fails(
        server().address("x", database="none"), StoreError, "no such database", "create database"
    )
    _fails(server().address("x", role="nobody_here"), StoreError, "no such role", "create role")


def test_nobody_answers() -> None:
    nowhere = f"postgresql://ann:hunter2@127.0.0.1:{free_port()}/db"
    _fails(nowhere, StoreUnavailableError, "no connection to", "server runs")
    unknown = "postgresql://ann:hunter2@no-such-host.invalid/db"
    _fails(unknown, StoreUnavailableError, "no connection to", "server runs")


def test_something_else_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        address = f"postgresql://ann:hunter2@127.0.0.1:{port}/db?connect_timeout=2"
        _fails(address, StoreUnavailableError, "no connection to", "server runs")


def test_parameters_that_the_driver_cannot_use() -> None:
    wrong = fresh_address(tcp=True) + "&sslmode=hunter2"
    with pytest.raises(InvalidInputError, match="cannot use the parameters"), opened(wrong):
        pass


def test_encryption_that_the_server_has_not() -> None:
    wrong = fresh_address(tcp=True) + "&sslmode=require"
    _fails(wrong, StoreError, "no encrypted connection", "sslmode")


def test_an_older_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "OLDEST", 99)
    _fails(fresh_address(), StoreError, "is PostgreSQL 1.; at least 99 is needed", "Upgrade")


def test_a_missing_extension_says_the_exact_command_and_who_runs_it() -> None:
    run_sql(server().superuser("postgres"), "create database bare owner lamina")
    wrong = server().address("x", database="bare")
    _fails(wrong, StoreError, "lacks the extension", r"superuser.*: create extension vector$")
    run_sql(server().superuser("bare"), "create extension vector")
    with opened(wrong):
        pass


def test_a_database_that_cannot_hold_every_text() -> None:
    run_sql(
        server().superuser("postgres"),
        "create database narrow owner lamina encoding 'LATIN1' template template0",
    )
    _fails(server().address("x", database="narrow"), StoreError, "LATIN1", "encoding 'UTF8'")


def test_a_role_that_may_not_make_a_schema() -> None:
    run_sql(server().superuser("postgres"), "create role guest login")
    address = server().address("for_guest", role="guest")
    _fails(address, StoreError, "may not do this", "grant create on database")
    run_sql(server().superuser(), "create schema for_guest authorization guest")
    with opened(address):
        pass


def test_a_role_that_may_not_change_the_tables() -> None:
    with opened(fresh_address()) as connections:
        schema = connections.schema
    run_sql(server().superuser("postgres"), "create role reader login")
    run_sql(
        server().superuser(),
        f"grant usage on schema {schema} to reader",
        f"grant select on all tables in schema {schema} to reader",
    )
    address = server().address(schema, role="reader")
    with opened(address) as connections:
        with pytest.raises(StoreError, match="may not do this") as caught:
            connections.write(lambda connection: connection.execute("delete from stream"))
        assert "grant select, insert, update, delete" in caught.value.remedy


def test_a_role_that_may_not_sign_in() -> None:
    run_sql(server().superuser("postgres"), "create role nobody nologin")
    _fails(server().address("x", role="nobody"), StoreError, "may not sign in", "alter role")


def test_an_extension_that_the_role_may_not_use() -> None:
    run_sql(server().superuser("postgres"), "create database apart owner lamina")
    run_sql(
        server().superuser("apart"), "create schema types", "create extension vector schema types"
    )
    address = server().address("x", database="apart")
    _fails(address, StoreError, "the schema `types`", "grant usage on schema types to")
    run_sql(server().superuser("apart"), "grant usage on schema types to lamina")
    with opened(address):
        pass


def test_a_schema_that_is_called_like_a_word_of_sql() -> None:
    with opened(server().address("select")) as connections, connections.reading() as reader:
        assert reader.execute("select current_schema()").first() == "select"


def test_a_server_that_takes_no_writes() -> None:
    run_sql(
        server().superuser("postgres"),
        "create role idle login",
        "alter role idle set default_transaction_read_only = on",
        "grant create on database lamina to idle",
    )
    _fails(
        server().address("none_yet", role="idle"), StoreReadOnlyError, "can only be read",
        "target_session_attrs",
    )  # fmt: skip


def test_as_many_connections_as_are_allowed() -> None:
    run_sql(server().superuser("postgres"), "create role single login connection limit 0")
    _fails(
        server().address("x", role="single"), StoreUnavailableError, "as many connections",
        "max_connections",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("state", "kind", "is_retryable"),
    [
        ("53100", StoreFullError, True),
        ("40001", StoreUnavailableError, True),
        ("40P01", StoreUnavailableError, True),
        ("55P03", StoreUnavailableError, True),
        ("57014", StoreUnavailableError, True),
        ("53300", StoreUnavailableError, True),
        ("57P01", StoreUnavailableError, True),
        ("57P03", StoreUnavailableError, True),
        ("25P03", StoreUnavailableError, True),
        ("08006", StoreUnavailableError, True),
        ("25006", StoreReadOnlyError, False),
        ("42501", StoreError, False),
        ("42P01", StoreDamagedError, False),
        ("3F000", StoreDamagedError, False),
        ("XX001", StoreDamagedError, False),
        ("58030", StoreError, False),
        ("54000", InvalidInputError, False),
        ("22003", InvalidInputError, False),
        ("22021", InvalidInputError, False),
        ("99999", StoreError, False),
    ],
)
def test_what_the_server_raises_becomes_one_of_ours(
    state: str, kind: type[LaminaError], is_retryable: bool
) -> None:
    raising = (
        f"do $$ begin raise exception 'see postgres://ann:hunter2@h' using errcode = '{state}';"
        " end $$"
    )
    with session() as connection:
        with pytest.raises(LaminaError) as caught, translated("there"):
            connection.run(raising)
        assert type(caught.value) is kind
        assert caught.value.retryable is is_retryable
        assert "hunter2" not in str(caught.value)


def test_an_unknown_outcome_says_how_to_find_out() -> None:
    with session() as connection:
        with (
            pytest.raises(StoreUnavailableError, match="may or may not") as caught,
            translated("there"),
        ):
            connection.execute("select pg_terminate_backend(pg_backend_pid())")
        assert "idempotency key" in caught.value.remedy


def test_a_store_whose_tables_were_removed() -> None:
    with opened() as connections:
        with connections.reading(snapshot=False) as reader:
            schema = reader.execute("select current_schema()").first()
        run_sql(server().superuser(), f"drop schema {schema} cascade")
        with pytest.raises(StoreDamagedError, match="is not there"):
            connections.write(lambda connection: connection.execute("delete from stream"))


def test_no_state_of_ours_is_unknown_to_the_driver() -> None:
    import psycopg

    known = {state for states, _ in failures._BY_STATE for state in states}
    assert all(psycopg.errors.lookup(state) for state in known)
