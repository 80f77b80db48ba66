"""Whole stores are looked through some rows at a time, and what takes long may take long."""

import subprocess
import sys

from lamina.core.access import EVERYTHING
from lamina.stores.sql.driver import each, one, rows
from tests.meta.tree import ROOT
from tests.postgres.opened import opened

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
    with opened() as connections, connections.reading(EVERYTHING) as reader:
        reader.execute("set transaction read write")
        found = each(reader, NUMBERS, (MANY,))
        assert next(found) == (1, "x")
        assert one(reader, "select last_value from number") < MANY / 2
        # Other statements, and other rows, may be asked for in between.
        others = each(reader, "select n from generate_series(1, ?) n order by n", (MANY,))
        assert [next(others) for _ in range(3)] == [(1,), (2,), (3,)]
        assert sum(1 for _ in found) == MANY - 1
        assert sum(1 for _ in others) == MANY - 3
        assert list(rows(reader, "select name from pg_cursors where name <> ''")) == []


def test_an_audit_needs_no_more_memory_for_a_longer_log(address: str) -> None:
    with opened(address) as connections:
        connections.write(lambda connection: connection.run(LARGE))
        done = subprocess.run(
            [sys.executable, "-c", AUDIT, address, str(ROOM)],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.stdout == "and 29991 more like these\n", done.stderr[-500:]
