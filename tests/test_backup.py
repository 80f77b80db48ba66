"""A backup is one committed state in one verified file, made while others write, or nothing.

`tests/faults/backups.py` compares backups that were made under load, `restores.py` kills them.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

import lamina
from lamina import ForbiddenError, InvalidInputError, Memory, UnsupportedError, aio
from lamina.errors import StoreDamagedError
from lamina.exchange import export_lines
from lamina.stores.base import Capability
from lamina.stores.sql.driver import one
from lamina.stores.sqlite import driver
from tests.places import where
from tests.test_exchange import fill

FULL_DISK = """
import resource, sys, lamina
mem = lamina.open(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
try:
    mem.backup(sys.argv[2])
except lamina.StoreError as error:
    print(error.code)
"""


@pytest.fixture
def mem(tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(tmp_path / "store") as opened:
        yield opened


def test_a_copy_is_made_in_one_pass_whatever_is_written_meanwhile(
    mem: Memory, tmp_path: Path
) -> None:
    mem.remember_many([{"text": f"{number} " * 1000} for number in range(300)])
    shares: list[float] = []

    def write(share: float) -> None:
        shares.append(share)
        mem.remember("more " * 1000)

    report = mem.backup(tmp_path / "b", on_progress=write)
    assert shares == sorted(shares)
    assert len({share for share in shares if share < 0.3}) > 1, "it was over in one step"
    assert report.records == 300
    assert mem.count() > 302


def test_the_report_says_what_is_in_the_file(mem: Memory, tmp_path: Path) -> None:
    fill(mem)
    gone = mem.remember("erased before")
    mem.erase(gone.id)
    shares: list[float] = []
    report = mem.backup(tmp_path / "b", on_progress=shares.append)
    found = (tmp_path / "b").read_bytes()
    assert report.file == str(tmp_path / "b")
    assert (report.bytes, report.sha256) == (len(found), hashlib.sha256(found).hexdigest())
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o600
    assert report.identity == mem.store.settings()["identity"]
    events = {stream: mem.store.events(stream) for stream in mem.store.streams()}
    heads = tuple((stream, len(found), found[-1].hash) for stream, found in events.items())
    assert report.heads == heads
    assert report.events == sum(len(found) for found in events.values())
    assert (report.records, report.secrets, report.tombstones) == (8, 1, 1)
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_secrets_are_in_it_only_sealed_and_the_key_is_not(mem: Memory, tmp_path: Path) -> None:
    kept = mem.remember("the password is " + "quartz-9-bramble-lake")
    mem.backup(tmp_path / "b")
    found = (tmp_path / "b").read_bytes()
    assert b"quartz-9-bramble" not in found
    assert (tmp_path / "store" / "secret.key").read_bytes() not in found
    assert not lamina.restore(tmp_path / "b", tmp_path / "other").has_key
    with lamina.open(tmp_path / "other") as other:
        assert any("secret.key" in finding.message for finding in other.check())
    (tmp_path / "store" / "secret.key").rename(tmp_path / "other" / "secret.key")
    with lamina.open(tmp_path / "other") as other:
        assert other.reveal(kept.id, kept.sealed[0]) == "quartz-9-bramble-lake"


def test_any_sqlite_program_can_read_it_in_place(mem: Memory, tmp_path: Path) -> None:
    mem.remember("plain to see")
    mem.backup(tmp_path / "b")
    before = (tmp_path / "b").read_bytes()
    connection = driver.connect(tmp_path / "b", create=False)
    assert one(connection, "select text from version") == "plain to see"
    assert one(connection, "pragma integrity_check") == "ok"
    connection.close()
    assert (tmp_path / "b").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "store"]


def test_a_backup_never_overwrites(mem: Memory, tmp_path: Path) -> None:
    mem.backup(tmp_path / "b")
    before = (tmp_path / "b").read_bytes()
    mem.remember("more")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for taken in ("b", "folder", "link"):
        with pytest.raises(InvalidInputError, match="exists already"):
            mem.backup(tmp_path / taken)
    assert (tmp_path / "b").read_bytes() == before
    with pytest.raises(InvalidInputError, match="exists already"):
        mem.backup(tmp_path / "c", on_progress=lambda share: (tmp_path / "c").touch())
    assert (tmp_path / "c").read_bytes() == b""
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["b", "c", "folder", "link", "store"]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("missing/b", "there is no folder"),
        ("store/b", "own directory"),
        ("store/lamina.db-wal2", "own directory"),
        ("store/locks/b", "own directory"),
        ("inside/b", "own directory"),
        ("lamina.db", "would be taken for a store"),
        ("", "exists already"),
        ("b\0c", "names no file"),
        ("x" * 300, "too long"),
        ("store/lamina.db/b", "cannot be written"),
    ],
)
def test_a_bad_destination_is_refused(target: str, said: str, mem: Memory, tmp_path: Path) -> None:
    (tmp_path / "inside").symlink_to(tmp_path / "store")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InvalidInputError, match=said):
        mem.backup(f"{tmp_path}/{target}" if target else "")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_store_whose_path_holds_blanks_and_signs(tmp_path: Path) -> None:
    folder = tmp_path / "Ann's wörk ? #1 % 東京"
    with lamina.open(folder) as mem:
        fill(mem)
        lines = list(export_lines(mem, history=True))
        report = mem.backup(tmp_path / "báck up ?x#.lamina")
    lamina.restore(report.file, tmp_path / "n e w ?&")
    with lamina.open(tmp_path / "n e w ?&") as copy:
        assert list(export_lines(copy, history=True)) == lines


@pytest.mark.parametrize(
    "damage",
    [
        "update version set text = 'forged' where vid = 2",
        "update event set actor = 'nobody' where seq = 2",
        "delete from event where seq = 3",
        "update word_content set c0 = 'else' where id = 1",
        "delete from word_data where id > 10",
    ],
)
def test_a_copy_that_fails_its_checks_leaves_nothing(
    damage: str, mem: Memory, tmp_path: Path
) -> None:
    fill(mem)
    connection = driver.connect(Path(mem.store.location), create=False)
    connection.execute(damage)
    connection.close()
    (tmp_path / "out").mkdir()
    with pytest.raises(StoreDamagedError, match="the copy is damaged") as raised:
        mem.backup(tmp_path / "out" / "b")
    assert raised.value.remedy
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("limit", [1, 4096, 20_000, 100_000, 110_700])
def test_a_full_disk_leaves_nothing(limit: int, mem: Memory, tmp_path: Path) -> None:
    mem.remember("something " * 3000)
    (tmp_path / "out").mkdir()
    program = [sys.executable, "-c", FULL_DISK, str(tmp_path / "store")]
    done = subprocess.run(
        [*program, str(tmp_path / "out" / "b"), str(limit)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() in ("store_full", "store_error"), done.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_what_a_killed_backup_left_is_removed_by_a_later_one(mem: Memory, tmp_path: Path) -> None:
    abandoned, young = tmp_path / ".lamina-backup-1", tmp_path / ".lamina-backup-2"
    for folder in (abandoned, young):
        folder.mkdir()
        (folder / "lamina.db").write_bytes(b"copy")
    os.utime(abandoned, (1, 1))
    mem.backup(tmp_path / "b")
    assert not abandoned.exists()
    assert young.exists()


@pytest.mark.parametrize("kind", ["ephemeral", "json"])
def test_a_store_that_cannot_says_what_can(kind: str, tmp_path: Path) -> None:
    with lamina.open(where(kind, tmp_path)) as mem:
        assert Capability.BACKUP not in mem.store.capabilities
        with pytest.raises(UnsupportedError) as raised:
            mem.backup(tmp_path / "b")
        assert "lamina export" in raised.value.remedy
    assert not (tmp_path / "b").exists()


def test_only_the_owner_backs_up(mem: Memory, tmp_path: Path) -> None:
    reader = lamina.open(tmp_path / "store", name="rita", role="reader")
    for handle in (mem.project("web"), mem.agent("finn", project="web"), reader):
        with pytest.raises(ForbiddenError):
            handle.backup(tmp_path / "b")
    reader.close()
    assert not (tmp_path / "b").exists()


def test_a_backup_from_an_event_loop(tmp_path: Path) -> None:
    async def talk() -> int:
        async with await aio.open(tmp_path / "store") as mem:
            await mem.remember("kept")
            return (await mem.backup(tmp_path / "b")).records

    assert anyio.run(talk) == 1
