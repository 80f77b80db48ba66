"""Putting a restored database in place of the one that is there: one rename, old or new.

Whoever calls holds the store alone. A log must never meet a database that it does not belong to,
so the old database takes in its own before it goes.
"""

import contextlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from lamina import clock
from lamina.core.ids import RecordId
from lamina.durable import keep_beside, place_new, sync_file, sync_folder
from lamina.errors import (
    InvalidInputError,
    StoreDamagedError,
    StoreError,
    StoreUnavailableError,
)
from lamina.stores.sql.driver import one, rows
from lamina.stores.sqlite import DATABASE, INDEXES, STAGING
from lamina.stores.sqlite.connections import empty_log
from lamina.stores.sqlite.driver import DriverError, connect, keep_log, translated


def check_free(folder: Path, *, replace: bool) -> None:
    """Refuse a directory that holds a store, unless that is to be replaced."""
    database = folder / DATABASE
    if database.is_symlink():
        raise InvalidInputError(
            f"{database} is a symbolic link", remedy="Name the directory that it points into"
        )
    if _is_there(database) and not replace:
        raise InvalidInputError(
            f"there is a store in {folder} already",
            remedy="Choose another directory, or say that it shall be replaced (--replace)",
        )


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """A private folder inside the store's, empty at first and gone at the end."""
    clear(folder)
    staging = folder / STAGING
    staging.mkdir(mode=0o700)
    try:
        yield staging
    finally:
        clear(folder)


def clear(folder: Path) -> None:
    """Remove what a restore that was killed left behind; it may hold what was erased since."""
    staging = folder / STAGING
    if staging.is_symlink():
        staging.unlink()
    shutil.rmtree(staging, ignore_errors=True)
    with contextlib.suppress(OSError):
        for second in folder.glob(f"{DATABASE}.replaced-*"):
            if second.samefile(folder / DATABASE):
                second.unlink()


def erased_in(database: Path) -> dict[RecordId, str]:
    """What the log of a database says was erased, and when; nothing of one that cannot be read."""
    found = _asked(database, "select record, at from event where action = 'erased'")
    return {RecordId(record_id): at for record_id, at in found}


def living_in(database: Path, ids: Iterable[RecordId]) -> list[RecordId]:
    """Those of the ids that a database holds; none of one that cannot be read."""
    listed = json.dumps(list(ids))
    sql = "select id from record where id in (select value from json_each(?))"
    return [RecordId(found) for (found,) in _asked(database, sql, (listed,))]


def _asked(database: Path, sql: str, parameters: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
    """The answer of a database that may be ill, and is left as it is."""
    if not database.exists() or not database.stat().st_size:
        return []
    has_log = _log_of(database).exists()
    try:
        with closing(connect(database, create=False)) as connection:
            if has_log:
                keep_log(connection)
            return list(rows(connection, sql, parameters))
    except (DriverError, StoreError):
        return []


def swap_in(fresh: Path, folder: Path) -> Path | None:
    """Give a finished database the place of the store's; return where the old one is kept now."""
    sync_file(fresh)
    database = folder / DATABASE
    kept = _set_aside(database, fresh.with_name("log")) if _is_there(database) else None
    for leftover in _companions(database):
        leftover.unlink(missing_ok=True)
    # Derived from the store that goes; the one that comes makes its own.
    shutil.rmtree(folder / INDEXES, ignore_errors=True)
    fresh.replace(database)
    sync_folder(folder)
    return kept


def _set_aside(database: Path, log: Path) -> Path:
    """Keep the old database under a second name, whole in one file, or with its log if it is ill.

    Its first name stays until the new one takes it: there is no moment without a store.
    """
    if _log_of(database).exists():
        # SQLite removes a log when it closes the database, also one that it could not read.
        shutil.copy(_log_of(database), log)
        sync_file(log)
    well = _takes_in_its_log(database)
    if well and any(path.exists() for path in _companions(database)):
        raise StoreUnavailableError(
            f"another program has {database} open", remedy="Stop it, then try again"
        )
    kept = _free_name(database)
    if database.exists():
        keep_beside(database, kept)
    if log.exists() and not well:
        place_new(log, _log_of(kept))
    return kept


def _takes_in_its_log(database: Path) -> bool:
    """Move the log into the database, so that one file is the store; whether it is well enough."""
    if not database.exists() or not database.stat().st_size:
        # SQLite would throw away a log whose database is empty.
        return False
    try:
        with translated(database), closing(connect(database, create=False)) as connection:
            one(connection, "select count(*) from sqlite_schema")
            empty_log(connection)
    except StoreDamagedError:
        return False
    return True


def _is_there(database: Path) -> bool:
    """Whether there is anything to lose; a process that was killed early leaves an empty file."""
    both = (database, _log_of(database))
    return any(path.exists() and path.stat().st_size for path in both)


def _log_of(database: Path) -> Path:
    return database.with_name(f"{database.name}-wal")


def _companions(database: Path) -> Iterator[Path]:
    return (database.with_name(f"{database.name}-{end}") for end in ("wal", "shm", "journal"))


def _free_name(database: Path) -> Path:
    stamp = f"{database.name}.replaced-{clock.now():%Y%m%dT%H%M%SZ}"
    names = (stamp if number == 1 else f"{stamp}-{number}" for number in range(1, 1000))
    return next(path for name in names if not os.path.lexists(path := database.with_name(name)))
