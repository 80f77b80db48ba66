"""`lamina.restore`: a backup becomes a store again, and what was erased since stays erased."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final

from lamina.config import is_address, is_database
from lamina.core.access import EVERYTHING
from lamina.core.ids import RecordId
from lamina.core.principal import Principal, Surface
from lamina.directories import check_directory
from lamina.erasing import erase
from lamina.errors import InvalidInputError, StoreError, UnsupportedError
from lamina.opening import KEY_FILE
from lamina.results import RestoreReport
from lamina.stores.base import Aids
from lamina.stores.filesystem import meaning, prepare_folder
from lamina.stores.ledger import Ledger
from lamina.stores.questions import Query
from lamina.stores.sqlite import DATABASE, LEDGER, archive, locks, swapping
from lamina.stores.sqlite.backup import part, refuse_damage
from lamina.stores.sqlite.store import SqliteStore
from lamina.vault import Vault
from lamina.writing import WritePath

_PAGE: Final = 500
_READ, _UNPACKED = 0.05, 0.1
"""How much of the whole is done after each step, roughly."""


def restore(
    backup: str | Path,
    where: str | Path,
    *,
    replace: bool = False,
    on_progress: Callable[[float], None] | None = None,
) -> RestoreReport:
    """Make a store from a backup that `Memory.backup` or `lamina backup` wrote.

    The backup is checked to its last bit before anything else happens. Records that were erased
    since, as the ledgers of the directory and of the backup say, are erased again before the store
    is in place. A store that was there is kept beside it. Interrupted at any point, the old store
    is there or the new one, whole.

    Args:
        backup: The file of the backup.
        where: The directory, made if it is missing.
        replace: Whether a store that is there may be replaced; no process may have it open.
        on_progress: Told the share of the work that is done, from 0 to 1.

    Raises:
        InvalidInputError: The file is no backup or was cut short, or a store is there already.
        StoreDamagedError: The backup is not what was written.
        StoreVersionError: A newer Lamina wrote it.
        StoreUnavailableError: Other processes have the store open.
    """
    tell = on_progress or (lambda share: None)
    folder = _target(where)
    source = _checked(backup)
    with _told_plainly(source):
        found = archive.read(source, part(tell, 0, _READ))
    swapping.check_free(folder, replace=replace)
    prepare_folder(folder)
    with _told_plainly(folder), locks.alone(folder), swapping.staged(folder) as staging:
        swapping.check_free(folder, replace=replace)
        fresh = staging / DATABASE
        archive.unpack(found, fresh, part(tell, _READ, _UNPACKED))
        ledger = Ledger(folder / LEDGER)
        noted = ledger.tombstones()
        known = _erased(folder / DATABASE, found.manifest.tombstones | noted)
        erased, records = _finish(staging, known, part(tell, _UNPACKED, 1))
        known |= swapping.erased_in(fresh)
        ledger.take({one: at for one, at in known.items() if one not in noted})
        replaced = swapping.swap_in(fresh, folder)
    return RestoreReport(
        **_about(found, folder),
        records=records,
        erased=erased,
        replaced=None if replaced is None else str(replaced),
    )


def _erased(database: Path, tombstones: dict[RecordId, str]) -> dict[RecordId, str]:
    """What was erased as the tombstones say or the store that is here, and does not live in it."""
    # The ledger may be lost, the log of the store that is here not, or the other way round.
    known = swapping.erased_in(database) | tombstones
    # A line whose erase never took place must not take the record now.
    for living in swapping.living_in(database, known):
        del known[living]
    return known


@contextmanager
def _told_plainly(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise meaning(folder, error) from error


def _about(found: archive.Archive, folder: Path) -> dict[str, Any]:
    said = found.manifest
    return {
        "directory": str(folder),
        "at": said.at,
        "format": found.format,
        "identity": said.identity,
        "secrets": said.secrets,
        "has_key": (folder / KEY_FILE).is_file(),
    }


def _checked(backup: str | Path) -> Path:
    if not str(backup) or "\0" in str(backup):
        raise InvalidInputError("`backup` names no file", remedy="Name the file of a backup")
    return Path(os.path.abspath(backup))


def _target(where: str | Path) -> Path:
    if isinstance(where, str) and (where == ":memory:" or where.startswith("json:")):
        raise UnsupportedError(
            f"a backup cannot be restored into {where:.80}", remedy="Name a directory"
        )
    if is_database(where) or is_address(where):
        raise UnsupportedError(
            "a backup cannot be restored into what is named by an address",
            remedy="Restore it into a directory, then `lamina migrate --from DIR --to URL`",
        )
    return Path(os.path.abspath(check_directory(where)))


def _finish(
    staging: Path, tombstones: Iterable[RecordId], tell: Callable[[float], None]
) -> tuple[tuple[RecordId, ...], int]:
    """Bring an unpacked store up to date; what was erased from it, and how many records it has."""
    with closing(SqliteStore(staging)) as store:
        erased = _erase_again(store, tombstones)
        refuse_damage(store.check(Aids(beside=False, tell=tell)), "what the backup holds")
        return erased, store.count(Query(reach=EVERYTHING))


def _erase_again(store: SqliteStore, tombstones: Iterable[RecordId]) -> tuple[RecordId, ...]:
    """Remove what has a tombstone as every erase does: with an event, down to the bytes."""
    path = WritePath(store, Vault.ephemeral(), Principal(surface=Surface.IMPORT), EVERYTHING)
    erased: list[RecordId] = []
    for ids in _pages(tombstones):
        records = store.get(EVERYTHING, ids)
        if not records:
            continue
        report = erase(store, path, EVERYTHING, records)
        if not report.complete:
            raise StoreError(
                "records of the backup that were erased since could not be erased again",
                remedy="Nothing was changed; try again",
            )
        erased += report.records
    return tuple(erased)


def _pages(ids: Iterable[RecordId]) -> Iterator[list[RecordId]]:
    rest = iter(ids)
    while page := list(islice(rest, _PAGE)):
        yield page
