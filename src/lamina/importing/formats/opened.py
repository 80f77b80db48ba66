"""A file to be imported as one stream of bytes: plain, from a pipe, or inside a zip archive.

Of an archive nothing is ever unpacked to the disk, so that no name in it leads anywhere.
"""

import io
import lzma
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, BinaryIO, Final

from lamina.errors import InvalidInputError

HEAD: Final = 1 << 20
STANDARD_INPUT: Final = "-"
_ZIP: Final = b"PK\x03\x04"
_MOST_RATIO: Final = 200
_HARMLESS: Final = 1 << 26
_BUFFER: Final = 1 << 17
_WANTED: Final = ("conversations", "memories")
_MOST_PARTS: Final = 2_000
_HEADS: Final = 1 << 25
"""How many bytes the first ones of all parts may have together: they are held at once."""
_LEAST_HEAD: Final = 1 << 12


@dataclass(frozen=True, slots=True)
class Opened:
    """A stream with its first bytes, which it begins with all the same."""

    name: str
    head: bytes
    raw: "Joined"
    size: int
    """How many bytes it has in all; 0 where nobody knows."""

    def stream(self) -> BinaryIO:
        """What to read from; `raw.done` tells how far that has come."""
        return io.BufferedReader(self.raw, _BUFFER)


class TornFileError(Exception):
    """The bytes end or are damaged in the middle; the message says how."""


@contextmanager
def opened(path: str) -> Iterator[list[Opened]]:
    """The streams of a file: one, or one for each part of an exported archive.

    Raises:
        InvalidInputError: It is an archive without conversations, or none that can be read.
        OSError: It cannot be opened.
    """
    with open(0 if path == STANDARD_INPUT else path, "rb", closefd=path != STANDARD_INPUT) as file:
        mode = os.fstat(file.fileno()).st_mode
        is_file = stat.S_ISREG(mode)
        head = file.read(len(_ZIP))
        if head == _ZIP:
            if not is_file:
                raise InvalidInputError(
                    "an archive cannot be read from a pipe", remedy="Save it first"
                )
            with _archive(file) as archive:
                yield list(_parts(archive))
            return
        head += file.read(HEAD - len(head))
        size = os.fstat(file.fileno()).st_size if is_file else 0
        yield [Opened(os.path.basename(path), head, Joined(head, file), size)]


@contextmanager
def _archive(file: BinaryIO) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise InvalidInputError(
            f"the archive is damaged: {error!s:.120}", remedy="Download or copy it again"
        ) from None
    with archive:
        yield archive


def _parts(archive: zipfile.ZipFile) -> Iterator[Opened]:
    """The files of conversations and memories in an archive, which may be cut into several."""
    found = [(entry, name) for entry in archive.infolist() if (name := _wanted_name(entry))]
    if len(found) > _MOST_PARTS:
        raise InvalidInputError(
            f"the archive holds {len(found):,} files of conversations",
            remedy=f"No export has more than {_MOST_PARTS:,}; unpack it, and import what is meant",
        )
    first = min(HEAD, max(_LEAST_HEAD, _HEADS // max(len(found), 1)))
    for entry, name in found:
        try:
            stream = _Guarded(archive.open(entry), entry)
            head = stream.read(first)
        except (RuntimeError, OSError, zipfile.BadZipFile, TornFileError) as error:
            raise InvalidInputError(
                f"{entry.filename!r:.120} in the archive cannot be read: {error!s:.120}",
                remedy="Unpack it first, and import the file conversations.json",
            ) from None
        yield Opened(name, head, Joined(head, stream), entry.file_size)
    if not found:
        raise InvalidInputError(
            "the archive holds no conversations.json",
            remedy="Name an export of ChatGPT or Claude, or unpack it and name the file meant",
        )


def _wanted_name(entry: zipfile.ZipInfo) -> str:
    """What an entry is called that holds conversations or memories; nothing for others."""
    folder, _, name = entry.filename.replace("\\", "/").lower().rpartition("/")
    is_named = name.startswith(_WANTED) or folder.endswith(_WANTED)
    return name if is_named and name.endswith(".json") and not entry.is_dir() else ""


class _Guarded(io.RawIOBase):
    """An entry of an archive, read no further than a sane one can go."""

    def __init__(self, stream: IO[bytes], entry: zipfile.ZipInfo) -> None:
        self._stream = stream
        self._most = max(_HARMLESS, entry.compress_size * _MOST_RATIO)
        self._read = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: object) -> int:
        """Read some bytes.

        Raises:
            TornFileError: The archive is damaged, or unpacks to far more than it says.
        """
        view = memoryview(buffer)  # type: ignore[arg-type]  # what io passes is one
        try:
            data = self._stream.read(len(view))
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError) as error:
            raise TornFileError(f"the archive is damaged: {error!s:.120}") from None
        self._read += len(data)
        if self._read > self._most:
            raise TornFileError(f"more than {_MOST_RATIO} times as large as in the archive")
        view[: len(data)] = data
        return len(data)


class Joined(io.RawIOBase):
    """The first bytes, then the rest of the stream that they came from."""

    def __init__(self, head: bytes, rest: BinaryIO | io.RawIOBase) -> None:
        self._head = memoryview(head)
        self._rest = rest
        self.done = 0
        """How many bytes were read."""

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: object) -> int:
        """Read some bytes, and count them."""
        view = memoryview(buffer)  # type: ignore[arg-type]  # what io passes is one
        data = self._head[: len(view)] or self._rest.read(len(view)) or b""
        self._head = self._head[len(view) :]
        self.done += len(data)
        view[: len(data)] = data
        return len(data)
