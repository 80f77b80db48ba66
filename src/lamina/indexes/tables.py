"""A table of another engine beside an index file: a folder that the file vouches for.

The file names every file of the table with its size and checksum and is written last, so a table
counts whole or not at all, like everything else in the place of the indexes.
"""

import errno
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias
from zlib import crc32

from lamina.durable import sync_folder
from lamina.indexes.file import ArrayFile, Header, refuse_unless

SUFFIX: Final = ".lance"
_CHUNK: Final = 1 << 24
Listing: TypeAlias = dict[str, tuple[int, str]]
"""The files of a table by their paths within it: how long they are, and their checksums."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """An index file together with its table."""

    array_file: ArrayFile
    listing: Listing

    @classmethod
    def open(cls, path: Path) -> "TableFile":
        """Map the file, and see whether the table has the files that it should.

        Raises:
            IndexDamagedError: Something is missing, is too much, or has another length.
            FileNotFoundError: There is no such file.
        """
        file = ArrayFile.open(path)
        listing = _listing(file.facts.get("table"))
        refuse_unless(listing is not None, path, "names no table")
        found = cls(file, listing or {})
        expected = {name: size for name, (size, _) in found.listing.items()}
        _refuse_unless(_sizes(path) == expected, path, "does not fit its table")
        return found

    @property
    def path(self) -> Path:
        return self.array_file.path

    @property
    def header(self) -> Header:
        return self.array_file.header

    @property
    def size(self) -> int:
        return self.array_file.size + sum(size for size, _ in self.listing.values())

    def verify(self) -> None:
        """Read every byte and compare it with what was written.

        Raises:
            IndexDamagedError: Something was altered.
        """
        self.array_file.verify()
        for name, written in self.listing.items():
            fits = _found(beside(self.path) / name) == written
            _refuse_unless(fits, self.path, f"has a table that was altered in {name}")


def beside(path: Path) -> Path:
    """The folder of the table that belongs to an index file."""
    return path.with_suffix(SUFFIX)


def remove(path: Path) -> None:
    """Remove an index file, and then its table if it has one."""
    path.unlink(missing_ok=True)
    table = beside(path)
    if table.is_symlink() or table.is_file():
        table.unlink(missing_ok=True)
    elif table.is_dir():
        try:
            shutil.rmtree(table)
        except FileNotFoundError:
            # Somebody else removes it as well, and may not be done.
            shutil.rmtree(table, ignore_errors=True)


def kept(path: Path) -> Listing:
    """What a finished table consists of, once all of it is on the disk."""
    table = beside(path)
    table.chmod(0o700)
    listing = {str(one.relative_to(table)): _read(one, sync=True) for one in _files(table)}
    for folder in (*(one for one in table.rglob("*") if one.is_dir()), table, table.parent):
        sync_folder(folder)
    return listing


def _refuse_unless(holds: object, path: Path, fault: str) -> None:
    if not holds and not path.exists():
        # Not damaged, but removed while we looked: others have something better.
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    refuse_unless(holds, path, fault)


def _files(table: Path) -> Iterator[Path]:
    return (one for one in sorted(table.rglob("*")) if one.is_symlink() or not one.is_dir())


def _sizes(path: Path) -> Mapping[str, int] | None:
    """The files that there are, as long as they are; `None` if something is a link."""
    table = beside(path)
    if table.is_symlink():
        return None
    found = list(_files(table))
    if any(one.is_symlink() for one in found):
        return None
    try:
        return {str(one.relative_to(table)): one.stat().st_size for one in found}
    except FileNotFoundError:
        return None


def _listing(told: Any) -> Listing | None:
    try:
        return {str(name): (int(size), str(checksum)) for name, (size, checksum) in told.items()}
    except (AttributeError, TypeError, ValueError):
        return None


def _found(path: Path) -> tuple[int, str] | None:
    try:
        return _read(path, sync=False)
    except FileNotFoundError:
        return None


def _read(path: Path, *, sync: bool) -> tuple[int, str]:
    length = checksum = 0
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        while part := file.read(_CHUNK):
            length, checksum = length + len(part), crc32(part, checksum)
        if sync:
            os.fsync(file.fileno())
    return length, f"{checksum:08x}"
