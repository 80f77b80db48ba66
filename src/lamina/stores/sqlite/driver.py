"""Opening SQLite properly, and saying plainly what went wrong.

With the dialect the only module that imports the driver. One library in one process matters: a
second one that opens and closes the file would drop the locks of the first.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

import apsw

from lamina.errors import (
    InvalidInputError,
    LaminaError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    StoreUnavailableError,
)
from lamina.stores.sql.driver import one
from lamina.stores.sqlite.dialect import DIALECT

DriverError: TypeAlias = apsw.Error

APPLICATION_ID: Final = 0x4C414D49
"""`LAMI`: tells our files from everybody else's."""
BUSY_SECONDS: Final = 30
_PAGES_AT_ONCE: Final = 256
# Below this release two writing connections can corrupt a file in WAL mode.
_OLDEST: Final = (3, 51, 3)
_PRAGMAS: Final = (
    # A deleted value would otherwise stay readable in free pages.
    "secure_delete = on",
    # Schema text comes from the file; it must not call functions with side effects.
    "trusted_schema = off",
    # Catches a damaged page when it is read instead of answering from it.
    "cell_size_check = on",
    # A mapped file turns an I/O error into a signal that kills the process.
    "mmap_size = 0",
    # The log shrinks back to this after a burst.
    "journal_size_limit = 67108864",
    "foreign_keys = on",
)


class Connection(apsw.Connection):
    """One connection to a file, used by one thread at a time."""

    dialect: Final = DIALECT


def connect(path: Path, *, create: bool) -> Connection:
    """A connection with every pragma set that the promises rest on."""
    version = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if version < _OLDEST:
        raise StoreError(
            f"SQLite {apsw.sqlite_lib_version()} can corrupt a shared store",
            remedy="Upgrade the apsw package",
        )
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    with translated(path):
        connection = Connection(str(path), flags=flags)
        connection.set_busy_timeout(BUSY_SECONDS * 1000)
        # Otherwise a statement is planned anew whenever a parameter changes: 30 µs each time.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        for pragma in _PRAGMAS:
            connection.execute(f"pragma {pragma}").fetchall()
        if sys.platform == "darwin":
            # Without it macOS only hands the bytes to the drive's own cache.
            connection.execute("pragma fullfsync = on").fetchall()
    return connection


def scratch() -> Connection:
    """An empty database that nobody else sees, and that is gone when it is closed or we die."""
    connection = Connection("")
    connection.execute("pragma journal_mode = off; pragma synchronous = off").fetchall()
    return connection


def read_file(connection: Connection, at: int, amount: int) -> bytes | None:
    """Bytes of the database file itself; nothing while its log holds newer ones.

    Through the driver's own handle: opening and closing the file beside it would drop its locks.
    """
    whole, _ = connection.read("main", 1, 0, 32)
    if whole:
        return None
    whole, found = connection.read("main", 0, at, amount)
    return found if whole else None


def use_wal(connection: Connection) -> None:
    """Let readers and the writer not block each other: a property of the file, set once.

    SQLite does not wait here when another connection is in the way, so we do.
    """
    for attempt in range(BUSY_SECONDS * 50):
        try:
            mode = one(connection, "pragma journal_mode = wal")
            break
        except apsw.BusyError:
            if attempt == BUSY_SECONDS * 50 - 1:
                raise
            time.sleep(0.02)
    if mode != "wal":
        raise StoreError(f"the store cannot use a write-ahead log (journal mode {mode})")


def keep_log(connection: Connection) -> None:
    """Leave the log as it is, also when this is the last connection to close."""
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)


def copy_pages(source: Connection, target: Connection, tell: Callable[[float], None]) -> None:
    """Copy the whole file as `source` sees it, in one pass, telling the share that is done.

    The source must be in a transaction: otherwise a write of another process between two steps
    would start the copy over, and under load it would never end.
    """
    one(source, "select count(*) from sqlite_schema")
    with target.backup("main", source, "main") as copying:
        while not copying.done:
            copying.step(_PAGES_AT_ONCE)
            tell(1 - copying.remaining / max(1, copying.page_count))


@contextmanager
def translated(path: Path | str) -> Iterator[None]:
    """No driver error leaves: each becomes one of ours, with what to do about it."""
    try:
        yield
    except LaminaError:
        raise
    except apsw.Error as error:
        raise _meaning(error, path) from error


def _meaning(error: apsw.Error, path: Path | str) -> LaminaError:
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return StoreUnavailableError(
                f"the store at {path} stayed busy for {BUSY_SECONDS} seconds",
                remedy="Another process holds it; try again, or stop that process",
            )
        case apsw.FullError():
            return StoreFullError(
                f"no room is left for the store at {path}",
                remedy="Free some space and try again; nothing acknowledged was lost",
            )
        case apsw.ReadOnlyError():
            return StoreReadOnlyError(
                f"the store at {path} cannot be written",
                remedy="Check the directory's owner and mode, and whether the disk is read-only",
            )
        case apsw.CantOpenError():
            return StoreError(
                f"the store at {path} cannot be opened",
                remedy="Check that the directory exists and that you may read and write it",
            )
        case apsw.NotADBError() | apsw.CorruptError():
            return StoreDamagedError(
                f"the file {path} is damaged, cannot be read or is not a Lamina store ({error})",
                remedy="Keep the file, run `lamina doctor`, and restore from an export or backup",
            )
        case apsw.TooBigError():
            return InvalidInputError(f"a value is too large for the store ({error})")
        case apsw.IOError():
            return StoreError(
                f"the disk failed under the store at {path} ({error})",
                remedy="Nothing was acknowledged; check the disk, then try again",
            )
        case _:
            return StoreError(f"the store at {path} failed: {error}")
