"""The file of a backup: a database, what is known about it, and a seal at the end.

    database    every page of one snapshot, as SQLite writes them
    manifest    JSON: when, of which store, how far each stream had come, what was erased before
    seal        the mark, layout and format numbers, two lengths, and a SHA-256 of all before it

The seal comes last, so a file that was cut short has none, and one bit that changed shows. Any
SQLite program can read the database in place; only a restore needs the rest.
"""

import hashlib
import json
import os
import stat
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lamina.core.ids import RecordId, check_id
from lamina.core.instants import check_instant, to_text
from lamina.errors import InvalidInputError, LaminaError, StoreDamagedError, StoreVersionError
from lamina.stores.sqlite import DATABASE, formats
from lamina.stores.sqlite.driver import APPLICATION_ID, connect, translated, use_wal

if TYPE_CHECKING:
    from hashlib import _Hash

MARK: Final = b"lamina-backup\r\n\x1a"
"""Ends like this because a transfer that takes the file for text would change it."""
LAYOUT: Final = 1
SEAL: Final = struct.Struct(">16sIIQQ32s")
_DIGEST_BYTES: Final = 32
_CHUNK: Final = 1 << 20
_ANOTHER: Final = "Choose another backup; nothing was changed"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says about itself."""

    at: datetime
    identity: str | None
    heads: tuple[tuple[str, int, str], ...]
    records: int
    events: int
    secrets: int
    tombstones: dict[RecordId, str]


@dataclass(frozen=True, slots=True)
class Archive:
    """A backup whose seal holds."""

    path: Path
    bytes: int
    sha256: str
    format: int
    database_bytes: int
    manifest: Manifest


def seal(path: Path, format_number: int, manifest: Manifest) -> None:
    """Turn a database file, which nobody has open, into a backup on the disk."""
    said = json.dumps(_to_json(manifest), sort_keys=True).encode()
    with path.open("r+b") as file:
        length = file.seek(0, os.SEEK_END)
        file.write(said)
        file.write(SEAL.pack(MARK, LAYOUT, format_number, length, len(said), b"")[:-_DIGEST_BYTES])
        end = file.tell()
        file.seek(0)
        file.write(_digest(file, end).digest())
        file.flush()
        os.fsync(file.fileno())


def read(path: Path, tell: Callable[[float], None] = lambda share: None) -> Archive:
    """Check a backup from its first bit to its last, and say what is in it.

    Raises:
        InvalidInputError: It is no backup, or a part of one.
        StoreDamagedError: It is not what was written.
        StoreVersionError: A newer Lamina wrote it.
    """
    with _opened(path) as (file, size):
        mark, layout, number, database, about, recorded = _seal_of(path, file, size)
        file.seek(0)
        digest = _digest(file, size - _DIGEST_BYTES, tell)
        if digest.digest() != recorded or mark != MARK:
            raise _damaged(path, "its checksum does not match")
        if layout > LAYOUT or number > formats.NEWEST:
            raise StoreVersionError(
                f"the backup {path} was made by a newer Lamina (format {number}, layout {layout})",
                remedy="Upgrade Lamina; nothing was changed",
            )
        if database + about + SEAL.size != size:
            raise _damaged(path, "its parts do not add up")
        file.seek(database)
        manifest = _manifest(path, file.read(about))
    digest.update(recorded)
    return Archive(path, size, digest.hexdigest(), number, database, manifest)


def unpack(archive: Archive, target: Path, tell: Callable[[float], None]) -> None:
    """Write the database of a backup into a new file of its own, ready to be opened."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    whole = hashlib.sha256()
    with _opened(archive.path) as (source, _), os.fdopen(os.open(target, flags, 0o600), "wb") as to:
        left = archive.database_bytes
        for piece in iter(lambda: source.read(_CHUNK), b""):
            whole.update(piece)
            to.write(piece[:left])
            left -= min(left, len(piece))
            tell(1 - left / max(1, archive.database_bytes))
    if whole.hexdigest() != archive.sha256:
        raise _damaged(archive.path, "it changed while it was read")
    with translated(target), closing(connect(target, create=False)) as connection:
        use_wal(connection)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    try:
        if path.resolve().name == DATABASE:
            # To open and close a database that this process uses would drop its locks.
            raise InvalidInputError(
                f"{path} is the database of a store, not a backup",
                remedy="Make one with `lamina backup`",
            )
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise InvalidInputError(f"{path} is not a file", remedy="Name the file of a backup")
        file = path.open("rb")
    except (OSError, RuntimeError, UnicodeError) as error:
        raise InvalidInputError(
            f"the backup {path} cannot be read: {getattr(error, 'strerror', None) or error}",
            remedy="Check the path, its owner and its mode",
        ) from error
    with file:
        if sys.platform == "linux":
            # What is read should come from the disk, not from memory.
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        yield file, found.st_size


def _seal_of(path: Path, file: BinaryIO, size: int) -> tuple[Any, ...]:
    """The parts of the seal; of a file without one, say what it is instead."""
    start = file.read(100)
    if size >= SEAL.size:
        file.seek(size - SEAL.size)
        parts = SEAL.unpack(file.read(SEAL.size))
        if parts[0] == MARK:
            return parts
    if start.startswith(b"SQLite format 3\0") and start[68:72] == APPLICATION_ID.to_bytes(4):
        what = "has no end mark: it was cut short, or is a plain copy of a store's database"
    else:
        what = "is not a backup that Lamina made" if size else "is empty"
    raise InvalidInputError(f"{path} {what}", remedy=_ANOTHER)


def _digest(
    file: BinaryIO, length: int, tell: Callable[[float], None] = lambda share: None
) -> "_Hash":
    """The hash of the next `length` bytes."""
    found, left = hashlib.sha256(), length
    while left and (piece := file.read(min(_CHUNK, left))):
        found.update(piece)
        left -= len(piece)
        tell(1 - left / length)
    return found


def _to_json(manifest: Manifest) -> dict[str, Any]:
    return {
        "at": to_text(manifest.at),
        "identity": manifest.identity,
        "heads": [list(head) for head in manifest.heads],
        "records": manifest.records,
        "events": manifest.events,
        "secrets": manifest.secrets,
        "tombstones": manifest.tombstones,
    }


def _manifest(path: Path, said: bytes) -> Manifest:
    try:
        value = json.loads(said)
        identity = value["identity"]
        return Manifest(
            at=check_instant(value["at"], "at"),
            identity=None if identity is None else str(identity),
            heads=tuple((str(name), int(seq), str(last)) for name, seq, last in value["heads"]),
            records=int(value["records"]),
            events=int(value["events"]),
            secrets=int(value["secrets"]),
            tombstones={check_id(one): str(at) for one, at in value["tombstones"].items()},
        )
    except (LaminaError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _damaged(path, "what it says about itself cannot be read") from error


def _damaged(path: Path, why: str) -> StoreDamagedError:
    return StoreDamagedError(f"the backup {path} is damaged: {why}", remedy=_ANOTHER)
