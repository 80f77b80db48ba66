"""Looking a SQLite store over and repairing it: what the planted damage does not cover."""

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import lamina
from lamina.errors import StoreDamagedError, StoreUnavailableError
from lamina.maintaining import analysed
from lamina.stores.base import Aids, Severity
from lamina.stores.sql.care import chains, contents, digests, versions
from lamina.stores.sql.driver import one, rows
from lamina.stores.sqlite import DATABASE, LEDGER, care, migrations
from lamina.stores.sqlite.care import ledger, words
from lamina.stores.sqlite.care.logfile import look_at_log
from lamina.stores.sqlite.care.rewriting import rewrite
from lamina.stores.sqlite.connections import Connections
from lamina.stores.sqlite.driver import Connection
from lamina.stores.sqlite.store import SqliteStore
from tests.faults.damages.of_files import leave_log
from tests.faults.damages.planting import PAGE, raw
from tests.faults.damages.workload import fill

CHECKS = (
    "file", "schema", "chain", "versions", "digests", "slots", "settings", "sealed", "receipts",
    "index", "statistics", "words", "vectors", "ledger", "indexes",
)  # fmt: skip
INDEXES = ("record_scope", "version_place", "event_record", "autoindex_record", "autoindex_stream")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with something of everything."""
    fill(tmp_path / "store", 1, steps=15)
    return tmp_path / "store"


def damaged(folder: Path) -> set[str]:
    """The checks that call something damaged."""
    with lamina.open(folder) as mem:
        return {finding.check for finding in mem.check() if finding.severity.is_damage}


def statements() -> Iterator[tuple[str, str]]:
    for module in (chains, versions, digests, contents, words, ledger):
        for name, value in vars(module).items():
            if isinstance(value, str) and value.startswith(("select", "with")):
                yield f"{module.__name__}.{name}", value


def test_no_check_of_the_records_asks_an_index(folder: Path) -> None:
    """An index may be what is damaged, and would then speak against records that are sound."""
    found = dict(statements())
    assert len(found) > 15
    with raw(folder) as connection:
        for name, sql in found.items():
            given = (1,) * (1 if "?1" in sql else sql.count("?"))
            asked = rows(connection, f"explain query plan {sql}", given)
            plan = " ".join(row[3] for row in asked)
            assert not [index for index in INDEXES if index in plan], name


def test_every_check_tells_its_result(folder: Path) -> None:
    with lamina.open(folder) as mem:
        found = mem.store.check()
        assert tuple(one.check for one in found) == CHECKS
        assert {one.severity for one in found} == {Severity.OK}


def test_a_check_that_cannot_look_is_a_finding_and_the_others_go_on(folder: Path) -> None:
    with raw(folder) as connection:
        every = "select pageno from dbstat where name <> 'sqlite_schema'"
        pages = [page for (page,) in rows(connection, every)]
    with (folder / DATABASE).open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE)
            file.write(bytes(PAGE))
    with closing(SqliteStore(folder)) as store:
        found = store.check()
    assert {one.check for one in found} >= set(CHECKS) - {"slots", "ledger"}
    assert Severity.RECORD in {one.severity for one in found}


def test_many_findings_of_a_kind_are_told_in_a_few_lines(folder: Path) -> None:
    with raw(folder) as connection:
        connection.execute("update version set text = text || ' forged'")
        number = one(connection, "select count(*) from version")
    with lamina.open(folder) as mem:
        told = [one.message for one in mem.store.check() if one.check == "digests"]
    assert len(told) == 11
    assert told[-1] == f"and {number - 10} more like these"


def test_a_copy_is_looked_over_without_what_lies_beside_it(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / DATABASE).write_bytes((folder / DATABASE).read_bytes())
    connections = Connections(copy / DATABASE)
    connections.open(migrations.migrate)
    assert {one.severity for one in care.check(connections)} == {Severity.OK}
    connections.close()
    with closing(SqliteStore(copy)) as store:
        assert [one.check for one in store.check() if one.severity.is_damage] == ["ledger"]
        assert {one.severity for one in store.check(Aids(beside=False))} == {Severity.OK}


def test_progress_only_goes_forward_and_comes_to_an_end(folder: Path) -> None:
    for look in ("check", "repair"):
        told: list[float] = []
        with lamina.open(folder) as mem:
            if look == "check":
                mem.check(on_progress=told.append)
            else:
                mem.store.repair(analysed, told.append)
        assert told == sorted(told)
        assert told[-1] == pytest.approx(1.0)


def test_only_the_analyser_knows_which_words_are_right(folder: Path) -> None:
    """The store itself knows how many words there are, and whose."""
    with raw(folder) as connection:
        rid, body = next(rows(connection, "select id, c0 from word_content"))
        other = body.replace(body.split(" ")[0], body.split(":")[0] + ":changeling", 1)
        connection.execute("update word set body = ? where rowid = ?", (other, rid))
    with lamina.open(folder) as mem:
        assert not [one for one in mem.store.check() if one.severity.is_damage]
    assert damaged(folder) == {"index"}


# -- repairing


def test_a_repair_of_a_sound_store_changes_nothing_but_the_index(folder: Path) -> None:
    with lamina.open(folder) as mem:
        before = mem.store.events("global")
        repaired = mem.store.repair(analysed)
        assert (repaired.done, mem.store.events("global")) == ((), before)
        assert repaired.indexed == mem.store.reindex(analysed) > 0
    assert damaged(folder) == set()


def test_a_repair_says_what_it_did(folder: Path) -> None:
    with raw(folder) as connection:
        connection.execute("drop view knowledge")
        connection.execute("create trigger gremlin after insert on version begin select 1; end")
    (folder / LEDGER).unlink()
    with lamina.open(folder) as mem:
        done = mem.store.repair(analysed).done
    assert done[:2] == ("the trigger `gremlin` was removed", "the view `knowledge` was made again")
    assert "tombstones were put back" in done[2]
    assert damaged(folder) == set()


def test_a_file_in_disorder_is_not_rewritten_under_another_process(folder: Path) -> None:
    with (folder / DATABASE).open("r+b") as file:
        # The number of free pages.
        file.seek(36)
        file.write((7777).to_bytes(4))
    code = "import sys, lamina; m = lamina.open(sys.argv[1]); print(m.count()); sys.stdin.read()"
    neighbour = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert neighbour.stdout is not None
    neighbour.stdout.readline()
    with lamina.open(folder) as mem, pytest.raises(StoreUnavailableError, match="other processes"):
        mem.store.repair(analysed)
    assert damaged(folder) == {"file"}
    neighbour.communicate()
    with lamina.open(folder) as mem:
        assert mem.store.repair(analysed).done == ("the file was written anew",)
        assert mem.count() > 0
        mem.remember("it can be written")
    assert damaged(folder) == set()


def test_a_rewrite_that_fails_leaves_everything_as_it_was(folder: Path) -> None:
    before = (folder / DATABASE).read_bytes()

    def fails(connection: Connection) -> int:
        raise StoreDamagedError("in the middle")

    connections = Connections(folder / DATABASE)
    connections.open(migrations.migrate)
    with pytest.raises(StoreDamagedError, match="in the middle"):
        rewrite(connections, fails)
    connections.close()
    assert (folder / DATABASE).read_bytes() == before


def test_a_rewrite_takes_the_tables_of_others_along(folder: Path) -> None:
    with raw(folder) as connection:
        connection.execute('create table "their own" (x); insert into "their own" values (7)')
    connections = Connections(folder / DATABASE)
    connections.open(migrations.migrate)
    rewrite(connections, lambda connection: care.reindex(connection, analysed))
    connections.close()
    with raw(folder) as connection:
        assert list(rows(connection, 'select x from "their own"')) == [(7,)]
        assert one(connection, "pragma journal_mode") == "wal"
    assert damaged(folder) == set()


# -- the write-ahead log, before anybody opens the store


def test_a_whole_log_is_in_order_while_it_is_written_and_after(folder: Path) -> None:
    with lamina.open(folder) as mem:
        for number in range(5):
            mem.remember(f"number {number}")
            assert look_at_log(folder / DATABASE) == []
    assert look_at_log(folder / DATABASE) == []
    leave_log(folder)
    assert look_at_log(folder / DATABASE) == []


def test_a_log_that_was_begun_anew_is_in_order(folder: Path) -> None:
    """What it held before still lies behind the new frames."""
    with raw(folder) as connection:
        connection.execute("create table extra (x)")
        for _ in range(20):
            connection.execute("insert into extra values (randomblob(3000))")
        assert list(rows(connection, "pragma wal_checkpoint(restart)")) != []
        connection.execute("insert into extra values (1)")
        assert look_at_log(folder / DATABASE) == []


def test_a_log_cut_anywhere_is_at_most_noted(folder: Path) -> None:
    """A crash leaves a torn end; nothing that was acknowledged lies behind it."""
    log = leave_log(folder)
    whole = log.read_bytes()
    chance = random.Random(1)
    for _ in range(50):
        log.write_bytes(whole[: chance.randrange(len(whole))])
        assert look_at_log(folder / DATABASE) == []
