"""A restore puts back what was backed up, less what was erased since, or changes nothing."""

import gzip
import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import lamina
from lamina import InvalidInputError, Memory
from lamina.errors import StoreUnavailableError
from lamina.exchange import export_lines
from lamina.stores.base import Severity
from lamina.stores.sql.driver import one
from lamina.stores.sqlite import archive, driver
from tests.meta.children import run_python
from tests.test_exchange import fill

RELEASED = Path(__file__).parent / "stores" / "released"
CANARY = "cormorant-lagoon-canary"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A store with a bit of everything, and a backup of it."""
    with lamina.open(tmp_path / "store") as mem:
        fill(mem)
        mem.remember(CANARY, key="canary")
        mem.backup(tmp_path / "backup")
    return tmp_path


def exported(folder: Path) -> list[str]:
    """All that a store says, found in order."""
    with lamina.open(folder) as mem:
        assert {finding.severity for finding in mem.store.check()} <= {Severity.OK}
        return list(export_lines(mem, history=True))


def chains(mem: Memory) -> dict[str, list[str]]:
    return {
        stream: [event.hash for event in mem.store.events(stream)] for stream in mem.store.streams()
    }


def holding(folder: Path, text: str) -> list[str]:
    """The files that hold a text."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.name for path in files if text.encode() in path.read_bytes())


def test_a_restored_store_equals_the_one_that_was_backed_up(home: Path) -> None:
    shares: list[float] = []
    report = lamina.restore(home / "backup", home / "new" / "place", on_progress=shares.append)
    assert (report.directory, report.replaced) == (str(home / "new" / "place"), None)
    assert exported(home / "new" / "place") == exported(home / "store")
    with lamina.open(home / "store") as mem, lamina.open(home / "new" / "place") as copy:
        assert chains(copy) == chains(mem)
        assert copy.store.settings() == mem.store.settings()
        assert report.identity == mem.store.settings()["identity"]
        assert copy.recall("tabs").hits == mem.recall("tabs").hits
        kept = copy.remember("the log goes on", key="k")
        assert kept.rev == mem.get("k").rev + 1
        assert copy.history("k")[-1].event.seq == len(mem.store.events("global")) + 1
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert (home / "new" / "place").stat().st_mode & 0o777 == 0o700
    assert (home / "new" / "place" / "lamina.db").stat().st_mode & 0o777 == 0o600


def test_what_was_erased_since_does_not_come_back(home: Path) -> None:
    with lamina.open(home / "store") as mem:
        gone = mem.get("canary").id
        assert mem.erase("canary").complete
    assert holding(home, CANARY) == ["backup"]
    report = lamina.restore(home / "backup", home / "store", replace=True)
    assert report.erased == (gone,)
    assert report.records == 8
    assert holding(home, CANARY) == ["backup"]
    with lamina.open(home / "store") as mem:
        assert mem.history(gone)[-1].event.action == "erased"
        assert mem.history(gone)[-1].record is None
        assert mem.recall(CANARY).abstained
        assert {finding.severity for finding in mem.store.check()} == {Severity.OK}


def test_the_log_of_the_store_that_is_here_serves_when_the_ledger_is_lost(home: Path) -> None:
    with lamina.open(home / "store") as mem:
        gone = mem.get("canary").id
        mem.erase(gone)
    (home / "store" / "erased.jsonl").unlink()
    assert lamina.restore(home / "backup", home / "store", replace=True).erased == (gone,)
    assert holding(home / "store", CANARY) == []
    assert exported(home / "store")


def test_a_ledger_carried_elsewhere_is_honoured_there(home: Path) -> None:
    with lamina.open(home / "store") as mem:
        mem.erase("canary")
    (home / "new").mkdir()
    shutil.copy(home / "store" / "erased.jsonl", home / "new" / "erased.jsonl")
    assert len(lamina.restore(home / "backup", home / "new").erased) == 1
    assert holding(home / "new", CANARY) == []
    assert len(lamina.restore(home / "backup", home / "without").erased) == 0
    assert holding(home / "without", CANARY) == ["lamina.db"]


def test_the_ledger_travels_with_the_backup(home: Path) -> None:
    with lamina.open(home / "store") as mem:
        gone = mem.get("canary").id
        old = list(export_lines(mem))
        mem.erase(gone)
        mem.backup(home / "later")
    lamina.restore(home / "later", home / "new")
    with lamina.open(home / "new") as mem:
        assert mem.store.tombstones([gone]) == {gone}
        report = lamina.exchange.import_lines(mem, old)
        assert (report.erased, report.added) == (1, 0)
    # An older backup, restored over it, meets the ledger that came with the later one.
    assert lamina.restore(home / "backup", home / "new", replace=True).erased == (gone,)


def test_a_tombstone_whose_erase_never_took_place_is_carried_out(home: Path) -> None:
    with lamina.open(home / "store") as mem:
        gone = mem.get("canary").id
        # As if the process had died between the ledger and the commit.
        line = f'{{"erased": "{gone}", "at": "2026-01-01T00:00:00.000000Z"}}\n'
        (home / "store" / "erased.jsonl").write_text(line)
        mem.backup(home / "later")
    assert lamina.restore(home / "later", home / "new").erased == (gone,)
    assert holding(home / "new", CANARY) == []
    assert (home / "new" / "erased.jsonl").read_text().count(gone) == 1


def test_a_line_whose_erase_never_took_place_does_not_take_what_lives_here(home: Path) -> None:
    with lamina.open(home / "store") as mem:
        kept, gone = mem.get("canary").id, mem.remember("a heron on the pier").id
        mem.backup(home / "later")
        assert mem.erase(gone).complete
    with (home / "store" / "erased.jsonl").open("a") as ledger:
        ledger.write(f'{{"erased": "{kept}", "at": "2026-01-01T00:00:00.000000Z"}}\n')
    for name in ("later", "backup", "later"):
        report = lamina.restore(home / name, home / "store", replace=True)
        assert report.erased == ((gone,) if name == "later" else ())
        with lamina.open(home / "store") as mem:
            assert mem.get("canary").text == CANARY
            assert mem.store.tombstones([kept, gone]) == {gone}


def test_an_older_format_is_upgraded(tmp_path: Path) -> None:
    packed = (RELEASED / "format-1.db.gz").read_bytes()
    (tmp_path / "old").write_bytes(gzip.decompress(packed))
    archive.seal(tmp_path / "old", 1, some_manifest(tmp_path))
    assert lamina.restore(tmp_path / "old", tmp_path / "new").format == 1
    expected = (RELEASED / "format-1.jsonl").read_text(encoding="utf-8").splitlines()
    assert exported(tmp_path / "new") == expected


def some_manifest(tmp_path: Path) -> archive.Manifest:
    with lamina.open(tmp_path / "any") as mem:
        mem.backup(tmp_path / "any.backup")
    return archive.read(tmp_path / "any.backup").manifest


# -- over a store that is there


def test_a_store_is_replaced_only_on_request_and_kept(home: Path) -> None:
    with lamina.open(home / "store") as mem:
        mem.remember("written after the backup", key="later")
    before = exported(home / "store")
    with pytest.raises(InvalidInputError, match="there is a store"):
        lamina.restore(home / "backup", home / "store")
    assert exported(home / "store") == before
    report = lamina.restore(home / "backup", home / "store", replace=True)
    assert report.has_key
    assert len(exported(home / "store")) == len(before) - 1
    assert report.replaced is not None
    again = lamina.restore(home / "backup", home / "store", replace=True)
    assert again.replaced not in (None, report.replaced)
    (home / "kept").mkdir()
    Path(report.replaced).rename(home / "kept" / "lamina.db")
    assert exported(home / "kept") == before


def test_a_store_in_use_is_left_alone(home: Path) -> None:
    with lamina.open(home / "store") as mem:
        before = sorted((home / "store").rglob("*"))
        with pytest.raises(StoreUnavailableError, match="other processes"):
            lamina.restore(home / "backup", home / "store", replace=True)
        assert sorted((home / "store").rglob("*")) == before
        mem.remember("it goes on")


def test_a_database_that_another_program_has_open_is_left_alone(home: Path) -> None:
    before = exported(home / "store")
    with closing(driver.connect(home / "store" / "lamina.db", create=False)) as other:
        one(other, "select count(*) from record")
        with pytest.raises(StoreUnavailableError, match="another program"):
            lamina.restore(home / "backup", home / "store", replace=True)
    assert exported(home / "store") == before
    assert list((home / "store").glob("*replaced*")) == []


def leave_a_log(folder: Path) -> bytes:
    """Let a process write and die, so that what it wrote is only in the log."""
    code = (
        "import os, sys, lamina; m = lamina.open(sys.argv[1]);"
        " m.remember('only in the log'); os._exit(0)"
    )
    assert run_python("-c", code, str(folder)).returncode == 0
    found = (folder / "lamina.db-wal").read_bytes()
    assert b"only in the log" in found
    return found


def test_a_log_that_was_not_taken_in_yet_is_kept_in_the_old_database(home: Path) -> None:
    leave_a_log(home / "store")
    report = lamina.restore(home / "backup", home / "store", replace=True)
    assert not (home / "store" / "lamina.db-wal").exists()
    assert report.replaced is not None
    assert b"only in the log" in Path(report.replaced).read_bytes()
    assert not any("only in the log" in line for line in exported(home / "store"))


def garbage(folder: Path) -> None:
    (folder / "lamina.db").write_bytes(os.urandom(9000))


def torn(folder: Path) -> None:
    content = (folder / "lamina.db").read_bytes()
    (folder / "lamina.db").write_bytes(content[:100] + os.urandom(len(content) - 100))


def empty(folder: Path) -> None:
    (folder / "lamina.db").write_bytes(b"")


def missing(folder: Path) -> None:
    (folder / "lamina.db").unlink()


@pytest.mark.parametrize("damage", [garbage, torn, empty, missing])
def test_a_damaged_store_is_kept_with_its_log_and_replaced(
    damage: Callable[[Path], None], home: Path
) -> None:
    log = leave_a_log(home / "store")
    damage(home / "store")
    report = lamina.restore(home / "backup", home / "store", replace=True)
    assert report.replaced is not None
    assert Path(f"{report.replaced}-wal").read_bytes() == log
    assert Path(f"{report.replaced}-wal").stat().st_mode & 0o777 == 0o600
    assert Path(report.replaced).exists() == (damage is not missing)
    assert len(exported(home / "store")) == 11


def test_an_empty_file_is_no_store(home: Path) -> None:
    (home / "new").mkdir()
    (home / "new" / "lamina.db").touch()
    assert lamina.restore(home / "backup", home / "new").replaced is None
    assert len(exported(home / "new")) == 11


def test_a_linked_database_is_refused(home: Path) -> None:
    (home / "new").mkdir()
    (home / "new" / "lamina.db").symlink_to(home / "store" / "lamina.db")
    with pytest.raises(InvalidInputError, match="symbolic link"):
        lamina.restore(home / "backup", home / "new", replace=True)


def test_opening_a_store_clears_what_a_killed_restore_left(home: Path) -> None:
    (home / "store" / "restoring").mkdir()
    (home / "store" / "restoring" / "lamina.db").write_bytes(b"half a copy")
    second = home / "store" / "lamina.db.replaced-x"
    os.link(home / "store" / "lamina.db", second)
    with lamina.open(home / "store"):
        assert not (home / "store" / "restoring").exists()
        assert not second.exists()
        assert (home / "store" / "lamina.db").exists()


FULL_DISK = """
import resource, sys, lamina
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
try:
    lamina.restore(sys.argv[1], sys.argv[2], replace=True)
except lamina.StoreError as error:
    print(error.code)
"""


@pytest.mark.parametrize("limit", [1, 4096, 60_000])
def test_a_full_disk_changes_nothing(limit: int, home: Path) -> None:
    before = exported(home / "store")
    files = sorted((home / "store").rglob("*"))
    done = run_python("-c", FULL_DISK, str(home / "backup"), str(home / "store"), str(limit))
    assert done.stdout.strip() in ("store_full", "store_error"), done.stderr
    assert sorted((home / "store").rglob("*")) == files
    assert exported(home / "store") == before
