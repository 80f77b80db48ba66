"""Whole stores are looked through some rows at a time, and what takes long may take long."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

import lamina
from lamina.core.access import EVERYTHING
from lamina.errors import StoreDamagedError, StoreError
from lamina.stores.base import Severity
from lamina.stores.postgres.address import parse
from lamina.stores.postgres.driver import Connection
from lamina.stores.postgres.store import PostgresStore
from lamina.stores.questions import Query
from lamina.stores.sql.driver import each, one, rows
from tests.meta.tree import ROOT
from tests.postgres.opened import opened
from tests.postgres.server import run_sql
from tests.postgres.shared import fresh_address, server

MANY = 5_000
NUMBERS = "select nextval('number'), 'x' from generate_series(1, ?)"
LARGE = """
insert into stream (name, seq, hash, at) values ('project/a', 30000, '', '');
insert into event select 1, n, '', '', 1, 'created', repeat('x', 4000), '', '', '', ''
  from generate_series(1, 30000) n;
"""
"""120 MB of log, of which next to nothing is on the disk."""
ROOM = 64 << 20
AUDIT = """
import resource, sys
from lamina.stores.postgres.store import PostgresStore
store = PostgresStore(sys.argv[1])
store.audit(["project/none"])
here = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (here + int(sys.argv[2]),) * 2)
print([one.message for one in store.audit() if one.check == "chain"][-1])
"""


def test_rows_are_fetched_as_they_are_asked_for() -> None:
    def fetch(session: Connection) -> None:
        session.begin()
        found = each(session, NUMBERS, (MANY,))
        assert next(found) == (1, "x")
        assert one(session, "select last_value from number") < MANY / 2
        # Other statements, and other rows, may be asked for in between.
        others = each(session, "select n from generate_series(1, ?) n order by n", (MANY,))
        assert [next(others) for _ in range(3)] == [(1,), (2,), (3,)]
        assert sum(1 for _ in found) == MANY - 1
        assert sum(1 for _ in others) == MANY - 3
        assert list(rows(session, "select name from pg_cursors where name <> ''")) == []

    with opened() as connections:
        connections.apart(fetch, 10)


def test_an_audit_needs_no_more_memory_for_a_longer_log(address: str) -> None:
    with opened(address) as connections:
        connections.write(lambda connection: connection.run(LARGE))
        done = subprocess.run(
            [sys.executable, "-c", AUDIT, address, str(ROOM)],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.stdout == "and 29991 more like these\n", done.stderr[-500:]


FILL = """
insert into stream (sid, name, seq, hash, at) values
  (1, 'project/a', 3000, '', '2026-01-01T00:00:00.000000Z');
insert into event select 1, n, '', 'r' || n, 1, 'created', '', '', '2026-01-01T00:00:00.000000Z',
  '', '' from generate_series(1, 3000) n;
insert into record (rid, id, sid, scope, layer, created_at, head, length)
  select n, 'r' || n, 1, 'project/a', 'fact', '2026-01-01T00:00:00.000000Z', n, 1
  from generate_series(1, 3000) n;
insert into version (vid, sid, rid, rev, from_seq, state, kind, text, data, tags, importance,
    confidence, trust, source, tokens, updated_at, salt)
  select n, 1, n, 1, n, 'current', 'general', 'tea ' || n, '{}', '[]', 0.5, 0.5, 'user', '', 1,
  '2026-01-01T00:00:00.000000Z', '' from generate_series(1, 3000) n;
"""
NEAR = """
create function near(n bigint) returns boolean language plpgsql as $$
begin if n > 1000 then raise exception 'read too far'; end if; return true; end $$;
create policy near on event as restrictive using (near(seq));
"""
NEAR_VERSIONS = "create policy near on version as restrictive using (near(vid))"
PATIENT = """
create function patient() returns boolean language plpgsql as $$
begin
  if current_setting('statement_timeout')::interval <= interval '8 s' then
    raise exception 'in haste';
  end if;
  return true;
end $$;
"""
LONG = ("record", "event", "vector")


@pytest.fixture
def many() -> Iterator[PostgresStore]:
    """A store of three thousand records, of which none has a vector."""
    store = PostgresStore(fresh_address())
    with closing(store):
        store._connections.write(lambda connection: connection.run(FILL))
        store._connections.alone(lambda connection: connection.run("analyze"), 60)
        yield store


def test_a_step_of_much_work_looks_at_no_more_than_it_takes(many: PostgresStore) -> None:
    many._connections.write(lambda connection: connection.run(NEAR))
    with pytest.raises(StoreError, match="too far"):
        many.events("project/a", after=2000)
    page = many.changes(EVERYTHING, {}, 10)
    assert [change.event.seq for change in page.changes] == list(range(1, 11))
    many._connections.write(lambda connection: connection.run(NEAR_VERSIONS))
    assert [one.id for one in many.unembedded("space", 3)] == ["r1", "r2", "r3"]


def test_what_reads_everything_may_take_its_time(many: PostgresStore) -> None:
    guards = "".join(
        f"create policy patient on {table} as restrictive using ((select patient()));"
        for table in LONG
    )
    many._connections.write(lambda connection: connection.run(PATIENT + guards))
    with pytest.raises(StoreError, match="in haste"):
        many.query(Query(reach=EVERYTHING))
    everything = Query(reach=EVERYTHING)
    assert many.count(everything) == sum(lot.records for lot in many.census(everything)) == 3000
    assert many.saying(EVERYTHING, ["tea 1234"]) == ["r1234"]
    assert many.progress("space").pending == 3000
    assert "in haste" not in "".join(one.message for one in many.check())
    with pytest.raises(StoreDamagedError, match="damaged"):
        many.repair(lambda record: ())
    many.reindex(lambda record: ("tea",))
    # And it is as hasty as ever behind them.
    with pytest.raises(StoreError, match="in haste"):
        many.query(everything)


def test_one_table_that_is_gone_leaves_the_other_checks_as_they_are(address: str) -> None:
    with lamina.open(address) as mem:
        mem.remember("a kettle")
        schema = parse(address).schema
        run_sql(server().superuser(), f"drop table {schema}.place cascade")
        found = mem.store.check()
        missing = {one.check for one in found if one.severity is Severity.RECORD}
        assert missing
        fine = {one.check for one in found if one.severity is Severity.OK}
        assert {"chain", "versions", "digests", "tombstones", "vectors"} <= fine
        for one in found:
            assert "aborted" not in one.message
            assert "\n" not in one.message
            assert one.severity is Severity.OK or "restore the schema" in one.remedy
