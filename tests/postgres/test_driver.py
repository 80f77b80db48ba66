"""A session: statements, values, settings, and waits that end."""

import pytest

from lamina.errors import InvalidInputError, LaminaError, StoreUnavailableError
from lamina.stores.postgres.driver import DriverError
from lamina.stores.postgres.marks import translated as with_marks
from lamina.stores.postgres.verdicts import is_lost, translated
from tests.meta.children import run_python
from tests.postgres.opened import session
from tests.postgres.proxy import proxied
from tests.postgres.server import run_sql
from tests.postgres.shared import fresh_address, server


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("select ?, ? from t", "select $1, $2 from t"),
        ("select ?2, ?1, ?", "select $2, $1, $3"),
        ("select '?', ? where \"a?\" = ?1 -- why?", "select '?', $1 where \"a?\" = $1 -- why?"),
        ("select 'it''s ?' || ?", "select 'it''s ?' || $1"),
        (
            "from record r indexed by record_key cross join version v on v.vid = ?",
            "from record r join version v on v.vid = $1",
        ),
        ("from record r not indexed where is_indexed = ?", "from record r where is_indexed = $1"),
        (
            "a = ? and b in (select value from json_each(?)) and c > ?",
            "a = $1 and b = any (array(select value from json_each($2))) and c > $3",
        ),
        (
            "b not in (select cast(value as bigint) from json_each(?2))",
            "b <> all (array(select cast(value as bigint) from json_each($2)))",
        ),
    ],
)
def test_marks_become_those_of_the_server(written: str, wanted: str) -> None:
    assert with_marks(written) == wanted


def test_values_go_in_and_come_back_as_they_are() -> None:
    with session() as connection:
        connection.run(
            'create temp table t (a bigint, b double precision, c text collate "C", d bytea)'
        )
        rows = [
            (2**63 - 1, 0.1, "naïve \U0001f642 ' \\ \n", bytes(range(256))),
            (-(2**63), -0.0, "", b""),
            (None, None, None, None),
            (True, 1e300, "x", b"\0"),
        ]
        connection.executemany("insert into t values (?, ?, ?, ?)", rows[:2])
        assert connection.changes() == 2
        connection.copy_in("t", ("a", "b", "c", "d"), rows[2:])
        found = connection.execute("select * from t").fetchall()
        assert found == [*rows[:3], (1, 1e300, "x", b"\0")]
        assert str(found[1][1]) == "-0.0"
        assert connection.execute("select sum(a) from t where a > 0").first() == 2**63
        connection.execute("update t set c = ? where a is not null", ("y",))
        assert connection.changes() == 3


def test_rows_can_be_taken_one_by_one_and_a_statement_may_have_none() -> None:
    with session() as connection:
        answer = connection.execute("select * from (values (1), (2), (3)) t (a) order by a")
        assert answer.fetchone() == (1,)
        assert list(answer) == [(2,), (3,)]
        assert answer.fetchone() is None
        assert connection.execute("create temp table t (a bigint)").fetchone() is None


@pytest.mark.parametrize("text", ["nul \0 within", "half \ud800 a pair"])
def test_a_text_that_is_none_is_refused_and_the_session_goes_on(text: str) -> None:
    with session() as connection:
        with pytest.raises(InvalidInputError), translated("here"):
            connection.execute("select ?::text", (text,))
        with pytest.raises(InvalidInputError), translated("here"):
            connection.executemany("select ?::text", [(text,)])
        assert connection.execute("select 1").first() == 1


def test_a_number_that_is_too_large_is_refused() -> None:
    with (
        session() as connection,
        pytest.raises(InvalidInputError, match="too large"),
        translated("here"),
    ):
        connection.execute("select ?", (2**63,))


def test_a_session_sees_its_schema_first_and_never_somebody_elses_functions() -> None:
    with session() as connection:
        path = connection.execute("select current_setting('search_path')").first()
        assert path.split(", ")[1:] == ["pg_catalog", "public"]


def test_what_a_server_was_told_otherwise_is_set_right() -> None:
    told = {
        "default_transaction_isolation": ("serializable", "read committed"),
        "statement_timeout": ("900ms", "8s"),
        "synchronous_commit": ("off", "on"),
        "search_path": ("elsewhere", "mine, pg_catalog, public"),
        "transaction_timeout": ("30s", "0"),
    }
    database = server().superuser("postgres")
    # An older server knows no limit for a transaction.
    known = {name for (name,) in run_sql(database, "select name from pg_settings")}
    told = {name: values for name, values in told.items() if name in known}
    changes = [f"alter role odd set {name} = '{odd}'" for name, (odd, _) in told.items()]
    run_sql(database, "create role odd login", *changes)
    with session(server().address("mine", role="odd")) as connection:
        for name, (_, value) in told.items():
            assert connection.execute(f"select current_setting('{name}')").first() == value


def test_a_fence_holds_for_each_statement_and_each_transaction() -> None:
    asked = "select current_setting('lamina.streams', true), current_setting('lamina.scopes', true)"
    with session() as connection:
        assert connection.execute(asked).fetchall() == [(None, None)]
        connection.confine("project/it's", "global")
        assert connection.execute(asked).fetchall() == [("project/it's", "global")]
        connection.begin()
        assert connection.in_transaction
        assert connection.execute(asked).fetchall() == [("project/it's", "global")]
        connection.run("commit")
        connection.confine("", "")
        assert connection.execute(asked).fetchall() == [("", "")]


def test_what_is_only_sent_happens_and_what_comes_of_it_is_nobodys_trouble() -> None:
    with session() as connection:
        connection.run("create temp table t (a bigint)")
        connection.send("insert into t values (1)")
        connection.send("no statement at all")
        assert not connection.in_transaction
        assert connection.execute("select count(*) from t").first() == 1


def test_a_statement_that_takes_too_long_is_ended_and_the_session_goes_on() -> None:
    with session() as connection:
        with (
            pytest.raises(StoreUnavailableError, match="took too long"),
            translated("here"),
            connection.patiently(0.05),
        ):
            connection.execute("select pg_sleep(60)")
        assert connection.execute("select current_setting('statement_timeout')").first() == "8s"


def test_silence_is_not_waited_for_any_longer_than_was_said() -> None:
    with proxied(fresh_address(tcp=True)) as (proxy, address), session(address) as connection:
        assert connection.is_alive(1)
        proxy.stall()
        assert not connection.is_alive(0.2)
        assert connection.is_torn
        with pytest.raises(LaminaError), translated("here"):
            connection.execute("select 1")


def test_a_lost_connection_is_told_from_a_mistake() -> None:
    with session() as connection:
        with pytest.raises(DriverError) as mistake:
            connection.execute("select 1 / 0")
        assert not is_lost(mistake.value)
        with pytest.raises(DriverError) as lost:
            connection.execute("select pg_terminate_backend(pg_backend_pid())")
        assert is_lost(lost.value)
        assert connection.is_torn
        with pytest.raises(DriverError) as gone:
            connection.execute("select 1")
        assert is_lost(gone.value)


def test_the_driver_says_nothing_by_itself() -> None:
    script = (
        "import lamina.stores.postgres.driver, logging; logging.getLogger('psycopg').warning('x')"
    )
    said = run_python("-c", script)
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")
