"""Backing up a store in use: copy one snapshot, look the copy over, seal it, then give it its name.

Nothing carries the name of a backup before it was read back and found whole.
"""

import contextlib
import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from lamina import clock
from lamina.core.ids import is_id
from lamina.durable import place_new
from lamina.errors import InvalidInputError, StoreDamagedError, StoreError, StoreFullError
from lamina.results import BackupReport
from lamina.stores.base import Aids, Finding, Severity
from lamina.stores.ledger import Ledger
from lamina.stores.sql import reads
from lamina.stores.sql.driver import one, rows
from lamina.stores.sqlite import DATABASE, archive
from lamina.stores.sqlite.archive import Manifest
from lamina.stores.sqlite.connections import Connections
from lamina.stores.sqlite.driver import Connection, connect, copy_pages, translated
from lamina.stores.sqlite.store import SqliteStore

_STAGING: Final = ".lamina-backup-"
_YOUNG_SECONDS: Final = 60
"""Somebody may have made it and be about to lock it."""
_NO_ROOM: Final = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
_COPIED, _CHECKED, _SEALED = 0.05, 0.9, 0.95
"""How much of the whole is done after each step, roughly."""


def back_up(
    connections: Connections, ledger: Ledger, target: Path, tell: Callable[[float], None]
) -> BackupReport:
    """Write a verified copy of the store to `target`, a file that does not exist yet."""
    with _told_plainly(target), _beside(target) as staging:
        database = staging / DATABASE
        _copy(connections, database, part(tell, 0, _COPIED))
        with closing(SqliteStore(staging)) as store:
            aids = Aids(beside=False, tell=part(tell, _COPIED, _CHECKED))
            refuse_damage(store.check(aids), "the copy")
        # The ledger is read after the copy was made, and so names every erase that the copy knows.
        described = _described(database, ledger)
        copy = database.rename(staging / target.name)
        archive.seal(copy, *described)
        found = archive.read(copy, part(tell, _SEALED, 1))
        place_new(copy, target)
    return _report(target, found)


def check_target(target: Path, folder: Path) -> Path:
    """Where the backup will lie: a new file in a folder that is there, and not in the store's."""
    if "\0" in str(target):
        raise InvalidInputError("`path` names no file", remedy="Name the file of the backup")
    path = Path(os.path.abspath(target))
    try:
        found = path.lstat()
    except FileNotFoundError:
        found = None
    except OSError as error:
        raise _unwritable(path, error) from error
    if found is not None:
        raise _taken(path)
    if path.name == DATABASE:
        raise InvalidInputError(
            f"a backup called {DATABASE} would be taken for a store", remedy="Choose another name"
        )
    if not path.parent.is_dir():
        raise InvalidInputError(f"there is no folder {path.parent}", remedy="Make it first")
    if path.parent.resolve().is_relative_to(folder.resolve()):
        raise InvalidInputError(
            f"{path} lies in the store's own directory, and would be lost with it",
            remedy="Choose a place outside, best on another disk",
        )
    return path


def refuse_damage(findings: Iterable[Finding], what: str) -> None:
    """Raise what is worst among the findings of a check, if anything is wrong."""
    for severity in (Severity.RECORD, Severity.DERIVED):
        for finding in findings:
            if finding.severity is severity:
                raise StoreDamagedError(
                    f"{what} is damaged ({finding.check}: {finding.message:.200})",
                    remedy=finding.remedy,
                )


def part(tell: Callable[[float], None], start: float, end: float) -> Callable[[float], None]:
    """Tell of a piece of work as of a part of the whole."""
    return lambda share: tell(start + (end - start) * share)


def _copy(connections: Connections, copy: Path, tell: Callable[[float], None]) -> None:
    os.close(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    with (
        connections.reading() as source,
        translated(copy),
        closing(connect(copy, create=False)) as target,
    ):
        # A copy that fails is thrown away; it is synced once, when it is whole.
        target.execute("pragma journal_mode = off; pragma synchronous = off").fetchall()
        copy_pages(source, target, tell)


def _described(copy: Path, ledger: Ledger) -> tuple[int, Manifest]:
    """The format of the copy and its manifest; what describes it is read from the copy itself."""
    with translated(copy), closing(connect(copy, create=False)) as connection:
        # A single file, without a log that would belong to it.
        one(connection, "pragma journal_mode = delete")
        # Who read what is no memory; and a query may quote what is erased before a restore.
        connection.execute("delete from telemetry")
        found = Manifest(
            at=clock.now(),
            identity=reads.settings(connection).get("identity"),
            heads=tuple(_heads(connection)),
            records=one(connection, "select count(*) from record"),
            events=one(connection, "select count(*) from event"),
            secrets=one(connection, "select count(*) from sealed"),
            tombstones={one_id: at for one_id, at in ledger.tombstones().items() if is_id(one_id)},
        )
        return int(one(connection, "pragma user_version")), found


def _heads(connection: Connection) -> Iterator[tuple[str, int, str]]:
    for name, seq, last in rows(connection, "select name, seq, hash from stream order by name"):
        yield name, seq, last.hex()


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A private folder on the same disk, gone at the end; one is left only by a kill.

    It is locked meanwhile, which tells it from those that the next backup removes.
    """
    for old in target.parent.glob(f"{_STAGING}*"):
        _remove_abandoned(old)
    staging = target.parent / f"{_STAGING}{os.urandom(6).hex()}"
    staging.mkdir(mode=0o700)
    handle = os.open(staging, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        os.close(handle)


def _remove_abandoned(staging: Path) -> None:
    """Remove what a backup that was killed left behind: it may hold what was erased since."""
    with contextlib.suppress(OSError):
        handle = os.open(staging, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            if clock.now().timestamp() - os.fstat(handle).st_mtime > _YOUNG_SECONDS:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(staging, ignore_errors=True)
        finally:
            os.close(handle)


@contextmanager
def _told_plainly(target: Path) -> Iterator[None]:
    """Say which file failed: people know the name they chose, not the one it has on the way."""
    try:
        yield
    except FileExistsError:
        raise _taken(target) from None
    except StoreFullError as error:
        raise _no_room(target) from error
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise _no_room(target) from error
        if error.errno == errno.EIO:
            raise StoreError(f"the disk failed under the backup {target}") from error
        raise _unwritable(target, error) from error


def _report(target: Path, found: archive.Archive) -> BackupReport:
    manifest = found.manifest
    return BackupReport(
        file=str(target),
        bytes=found.bytes,
        sha256=found.sha256,
        at=manifest.at,
        format=found.format,
        identity=manifest.identity,
        heads=manifest.heads,
        records=manifest.records,
        events=manifest.events,
        secrets=manifest.secrets,
        tombstones=len(manifest.tombstones),
    )


def _taken(path: Path) -> InvalidInputError:
    return InvalidInputError(
        f"{path} exists already, and a backup never overwrites", remedy="Choose another name"
    )


def _unwritable(path: Path, error: OSError) -> InvalidInputError:
    return InvalidInputError(
        f"the backup {path} cannot be written: {error.strerror}",
        remedy="Check the path, its owner and its mode",
    )


def _no_room(path: Path) -> StoreFullError:
    return StoreFullError(
        f"no room is left for the backup {path}", remedy="Free some space, or choose another disk"
    )
