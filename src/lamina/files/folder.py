"""One folder of projected files: read and replaced without following links, none of it torn."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_EXCHANGE: Final = 2
"""RENAME_EXCHANGE on Linux, RENAME_SWAP on macOS."""
_NO_EXCHANGE: Final = frozenset((errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP))


class NotAFileError(StoreError):
    """Something that is no file stands where one belongs."""

    code = "not_a_file"


class NotOursError(StoreError):
    """A file of somebody else bears the name of one of ours."""

    code = "not_ours"

    def __init__(self, file: str) -> None:
        """Name the file."""
        super().__init__(
            f"{file} was not written by Lamina, so it is left alone",
            remedy="Move it away, or name another folder; a file is written in its place then",
        )


@dataclass(frozen=True, slots=True)
class Stamp:
    """What changes when a file does."""

    inode: int
    size: int
    modified: int

    @classmethod
    def of(cls, found: os.stat_result) -> Stamp:
        """The stamp of a file that was looked at."""
        return cls(found.st_ino, found.st_size, found.st_mtime_ns)


class Folder:
    """An open folder below a root, reached without following a link."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def stamp(self, name: str) -> Stamp | None:
        """What a file is like now, if it is there.

        Raises:
            NotAFileError: A link, a pipe or a folder stands there.
        """
        try:
            found = os.stat(name, dir_fd=self._handle, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(found.st_mode):
            raise NotAFileError(
                f"{name} is no file", remedy="Move it away; a file is written in its place then"
            )
        return Stamp.of(found)

    def read(self, name: str, most: int) -> bytes | None:
        """The bytes of a file, if it is there; of a larger one only one byte too many."""
        if self.stamp(name) is None:
            return None
        try:
            handle = os.open(name, _READ, dir_fd=self._handle)
        except FileNotFoundError:
            return None
        with os.fdopen(handle, "rb") as file:
            return file.read(most + 1)

    def names(self) -> list[str]:
        """What is in the folder."""
        return os.listdir(self._handle)

    def write_new(self, name: str, content: bytes) -> None:
        """Write a file that is not there yet, and sync it."""
        with os.fdopen(os.open(name, _NEW, 0o600, dir_fd=self._handle), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

    def replace(self, name: str, content: bytes) -> None:
        """Give a file other content, whole or not at all; whatever it was is gone."""
        # Always the same name: what a killed process left there is written over, not added to.
        fresh = f".{name}.new"
        self.remove(fresh)
        try:
            self.write_new(fresh, content)
            self.rename(fresh, name)
        except BaseException:
            self.remove(fresh)
            raise

    def swap(self, fresh: str, name: str) -> bool:
        """Let two files change names at once; whether this system can."""
        try:
            return _exchange(self._handle, fresh, name)
        except OSError as error:
            if error.errno in _NO_EXCHANGE:
                return False
            raise

    def link(self, name: str, second: str) -> None:
        """Give a file a second name that nothing has yet."""
        os.link(
            name, second, src_dir_fd=self._handle, dst_dir_fd=self._handle, follow_symlinks=False
        )

    def rename(self, name: str, other: str, to: Folder | None = None) -> None:
        """Give a file another name, in place of what had it."""
        there = (to or self)._handle
        os.rename(name, other, src_dir_fd=self._handle, dst_dir_fd=there)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._handle)

    def sync(self) -> None:
        """Make the names in it last."""
        os.fsync(self._handle)


@contextmanager
def opened(root: Path, path: str, *, make: bool = False) -> Iterator[Folder]:
    """A folder by its path from the root; it is made if that is asked for.

    Raises:
        NotAFileError: A link or a file stands where a folder belongs.
        FileNotFoundError: It is not there.
    """
    handle = os.open(root, _FOLDER)
    try:
        for part in path.split("/") if path else ():
            below = _step(handle, part, make=make)
            os.close(handle)
            handle = below
        yield Folder(handle)
    finally:
        os.close(handle)


def _step(handle: int, part: str, *, make: bool) -> int:
    if make:
        with suppress(FileExistsError):
            os.mkdir(part, 0o700, dir_fd=handle)
            os.fsync(handle)
    try:
        return os.open(part, _FOLDER, dir_fd=handle)
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            raise NotAFileError(
                f"{part} is no folder", remedy="Move it away; links are not followed"
            ) from None
        raise


def _exchange(handle: int, one: str, other: str) -> bool:
    """The system's own exchange of two names: Python has no word for it."""
    library = ctypes.CDLL(None, use_errno=True)
    name = "renameatx_np" if sys.platform == "darwin" else "renameat2"
    call = getattr(library, name, None)
    if call is None:
        return False
    if call(handle, os.fsencode(one), handle, os.fsencode(other), _EXCHANGE) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), other)
    return True
