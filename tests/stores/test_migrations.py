"""Schemas by number: every released one opens, a step is whole or absent, one process does it."""

import gzip
import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import lamina
from lamina.errors import StoreDamagedError, StoreVersionError
from lamina.exchange import export_lines
from lamina.stores.base import Aids, Severity
from lamina.stores.sql.driver import one
from lamina.stores.sqlite import driver, formats, migrations
from tests.stores.released.make import HITS

FIXTURES = Path(__file__).parent / "released"
"""`format-N.db.gz` is a store as released with format N, `format-N.jsonl` what it exports."""

WITH_VECTORS = 3
WITH_USAGE = 5


@pytest.mark.parametrize("number", range(1, formats.NEWEST + 1))
def test_every_released_store_opens_with_equal_content(number: int, tmp_path: Path) -> None:
    packed = (FIXTURES / f"format-{number}.db.gz").read_bytes()
    (tmp_path / "lamina.db").write_bytes(gzip.decompress(packed))
    expected = (FIXTURES / f"format-{number}.jsonl").read_text(encoding="utf-8").splitlines()
    with lamina.open(tmp_path) as mem:
        assert list(export_lines(mem, history=True)) == expected
        # The fixture is the database alone, without the ledger that lay beside it.
        found = mem.store.check(Aids(beside=False))
        assert {finding.severity for finding in found} == {Severity.OK}
        if number >= WITH_VECTORS:
            [space] = mem.store.spaces()
            assert mem.store.progress(space).made > 0
        ids = [record.id for record in mem.query()]
        used = mem.store.usage(mem.reach, ids)
        assert [one.hits for one in used.values()] == [HITS] * len(ids) * (number >= WITH_USAGE)
        mem.remember("and it can be written", key="new")
        newest = {json.loads(line)["id"]: json.loads(line) for line in expected}
        current = [row for row in newest.values() if row["state"] == "current"]
        assert mem.count() == len(current) + 1


def opened(path: Path) -> driver.Connection:
    connection = driver.connect(path, create=True)
    migrations.migrate(connection, True)
    return connection


def test_a_step_that_fails_leaves_the_old_schema(tmp_path: Path) -> None:
    path = tmp_path / "lamina.db"
    opened(path).close()
    connection = driver.connect(path, create=False)
    broken = "create table extra (x); insert into extra values (1); select nonsense from nowhere;"
    with pytest.raises(driver.DriverError):
        migrations.migrate(connection, True, [*migrations.steps(), broken])
    assert one(connection, "pragma user_version") == formats.NEWEST
    assert one(connection, "select count(*) from sqlite_schema where name = 'extra'") == 0
    connection.close()
    with lamina.open(tmp_path) as mem:
        mem.remember("still works")


def test_a_later_step_is_applied_once_and_shuts_out_older_programs(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.remember("kept")
        later = [*migrations.steps(), "create table extra (x); insert into extra values (1)"]
        connection = driver.connect(tmp_path / "lamina.db", create=False)
        migrations.migrate(connection, True, later)
        migrations.migrate(connection, True, later)
        assert one(connection, "select count(*) from extra") == 1
        connection.close()
        with pytest.raises(StoreVersionError):
            mem.remember("an older program that was still running")
    with pytest.raises(StoreVersionError):
        lamina.open(tmp_path)


def test_another_programs_version_number_is_not_mistaken(tmp_path: Path) -> None:
    connection = driver.connect(tmp_path / "lamina.db", create=True)
    connection.execute("create table precious (x); pragma user_version = 1")
    connection.close()
    with pytest.raises(StoreDamagedError):
        lamina.open(tmp_path)


def test_many_processes_may_be_the_first(tmp_path: Path) -> None:
    code = "import sys, lamina; m = lamina.open(sys.argv[1]); m.remember('hello ' + sys.argv[2])"
    children = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "new"), str(number)])
        for number in range(12)
    ]
    assert [child.wait() for child in children] == [0] * 12
    with lamina.open(tmp_path / "new") as mem:
        assert mem.count() == 12
        assert {finding.severity for finding in mem.store.check()} == {Severity.OK}


def test_a_store_that_lost_its_write_ahead_log_gets_it_back(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.remember("kept", key="k")
    with closing(driver.connect(tmp_path / "lamina.db", create=False)) as connection:
        assert one(connection, "pragma journal_mode = delete") == "delete"
    with lamina.open(tmp_path) as mem:
        assert mem.get("k").text == "kept"
        with closing(driver.connect(tmp_path / "lamina.db", create=False)) as connection:
            assert one(connection, "pragma journal_mode") == "wal"
