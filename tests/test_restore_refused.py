"""What is no whole backup, or no place for one, is refused before anything changes."""

import hashlib
import os
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import lamina
from lamina import InvalidInputError, LaminaError, StoreError, UnsupportedError
from lamina.errors import StoreDamagedError, StoreVersionError
from lamina.stores.sqlite import archive, driver, formats
from tests.test_restore import exported, home

__all__ = ["home"]


def sealed_anew(content: bytes, **changed: int) -> bytes:
    """The same backup with other numbers in its seal, and a checksum that fits."""
    mark, *numbers, _ = archive.SEAL.unpack(content[-archive.SEAL.size :])
    parts = dict(zip(("layout", "format", "database", "manifest"), numbers, strict=True)) | changed
    body = content[: -archive.SEAL.size] + struct.pack(">16sIIQQ", mark, *parts.values())
    return body + hashlib.sha256(body).digest()


def bad_backups(home: Path) -> Iterator[tuple[str, bytes, type[LaminaError], str]]:
    good = (home / "backup").read_bytes()
    plain = (home / "store" / "lamina.db").read_bytes()
    cut = [1, 71, 72, 4096, len(good) // 2, len(good) - 72, len(good) - 32, len(good) - 1]
    for length in cut:
        said = "cut short" if length >= 72 else "not a backup"
        yield f"the first {length} bytes", good[:length], InvalidInputError, said
    yield "empty", b"", InvalidInputError, "is empty"
    yield "text", b"dear diary\n" * 100, InvalidInputError, "not a backup"
    yield "another database", other_database(home), InvalidInputError, "not a backup"
    yield "a plain database", plain, InvalidInputError, "plain copy"
    yield "bytes behind it", good + b"\n", InvalidInputError, "cut short"
    yield "a piece missing", good[:5000] + good[6000:], StoreDamagedError, "checksum"
    yield (
        "two pages swapped",
        good[:4096] + good[8192:12288] + good[4096:8192] + good[12288:],
        (StoreDamagedError),
        "checksum",
    )
    for place in (0, 20, 5000, len(good) // 2, len(good) - 100, len(good) - 50, len(good) - 1):
        flipped = bytearray(good)
        flipped[place] ^= 1
        yield f"a bit at {place}", bytes(flipped), StoreDamagedError, "checksum"
    newest = formats.NEWEST + 1
    yield "a newer format", sealed_anew(good, format=newest), StoreVersionError, "newer"
    yield "a newer layout", sealed_anew(good, layout=2), StoreVersionError, "newer"
    yield "wrong lengths", sealed_anew(good, database=8192), StoreDamagedError, "add up"
    yield "a foreign database inside", foreign_inside(home), StoreDamagedError, "not a Lamina store"
    yield "forged content", forged_inside(home), StoreDamagedError, "digests"


def other_database(home: Path) -> bytes:
    with closing(driver.connect(home / "other.db", create=True)) as connection:
        connection.execute("create table if not exists precious (x)")
    return (home / "other.db").read_bytes()


def foreign_inside(home: Path) -> bytes:
    other_database(home)
    archive.seal(home / "other.db", 2, archive.read(home / "backup").manifest)
    return (home / "other.db").read_bytes()


def forged_inside(home: Path) -> bytes:
    """A store whose content was altered, under a seal that fits."""
    found = archive.read(home / "backup")
    content = (home / "backup").read_bytes()
    (home / "forged").write_bytes(content[: found.database_bytes])
    with closing(driver.connect(home / "forged", create=False)) as connection:
        connection.execute("update version set text = 'forged' where vid = 1")
    archive.seal(home / "forged", found.format, found.manifest)
    return (home / "forged").read_bytes()


def test_what_is_no_whole_backup_changes_nothing(home: Path) -> None:
    before = exported(home / "store")
    cases = list(bad_backups(home))
    for name, content, error, said in cases:
        (home / "bad").write_bytes(content)
        files = sorted((home / "store").rglob("*"))
        for where, replace in ((home / "store", True), (home / "new", False)):
            with pytest.raises(error, match=said) as raised:
                lamina.restore(home / "bad", where, replace=replace)
            assert type(raised.value) is error, name
            assert raised.value.remedy, name
        assert sorted((home / "store").rglob("*")) == files, name
        assert not (home / "new" / "lamina.db").exists(), name
    assert exported(home / "store") == before
    assert len(cases) > 20


def test_a_manifest_that_cannot_be_read_is_damage(home: Path) -> None:
    found = archive.read(home / "backup")
    content = (home / "backup").read_bytes()
    said = content[found.database_bytes : -archive.SEAL.size]
    for bad in (b"[]", b"{}", said[:-1], said.replace(b'"at": "', b'"at": "x'), b"\xff"):
        broken = content[: found.database_bytes] + bad + content[-archive.SEAL.size :]
        (home / "bad").write_bytes(sealed_anew(broken, manifest=len(bad)))
        with pytest.raises(StoreDamagedError, match="says about itself"):
            lamina.restore(home / "bad", home / "new")
    assert not (home / "new").exists()


def test_what_is_no_file_is_refused(home: Path) -> None:
    (home / "folder").mkdir()
    os.mkfifo(home / "pipe")
    for name, said in (
        ("missing", "cannot be read"),
        ("folder", "is not a file"),
        ("pipe", "is not a file"),
        ("b\0c", "names no file"),
        ("store/lamina.db", "is the database of a store"),
    ):
        with pytest.raises(InvalidInputError, match=said):
            lamina.restore(home / name, home / "new")
    assert not (home / "new").exists()


@pytest.mark.parametrize(
    "where", [":memory:", "json:m.json", "postgresql://host/db", "http://host:8484"]
)
def test_only_a_directory_takes_a_backup(where: str, home: Path) -> None:
    with pytest.raises(UnsupportedError, match="cannot be restored into"):
        lamina.restore(home / "backup", where)


def test_a_place_that_cannot_be_a_store_is_refused(home: Path) -> None:
    for where in ("", "a\0b", str(home / "backup"), str(home / "backup" / "below")):
        with pytest.raises((InvalidInputError, StoreError)):
            lamina.restore(home / "backup", where)
