"""The SQLite store: one file in a directory, shared by any number of processes and threads.

Agents' hooks read one record at every prompt, in a process of its own. What only writing, searching
or repairing needs is therefore imported where it is used.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Final

from lamina.core.access import EVERYTHING
from lamina.core.layers import Durability
from lamina.errors import InvalidInputError
from lamina.stores.base import Capability
from lamina.stores.ledger import Ledger
from lamina.stores.sqlite import DATABASE, LEDGER, STAGING, migrations
from lamina.stores.sqlite.connections import Connections, empty_log
from lamina.stores.sqlite.driver import APPLICATION_ID
from lamina.stores.sqlite.searched import Searched

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from pathlib import Path

    from lamina.core.changes import Commit, Receipt
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.results import BackupReport
    from lamina.stores.base import Aids, Finding, Repair, ScrubReport
    from lamina.stores.sqlite.driver import Connection
    from lamina.stores.sqlite.moving import SqliteEnd

_TOUCH: Final = f"pragma application_id = {APPLICATION_ID}"
"""Changes nothing and is a write all the same; SQLite leaves out an update that changes nothing."""


class SqliteStore(Searched):
    """Records in `lamina.db` inside a directory."""

    def __init__(self, folder: Path, *, filling: bool = False) -> None:
        """Open or make the store; `filling` also one that a move has begun to fill."""
        self._folder = folder
        self._path = folder / DATABASE
        self._ledger = Ledger(folder / LEDGER)
        _refuse_link(self._path)
        _create_private(self._path)
        self._vectors = {}
        self._connections = Connections(self._path)
        self._connections.open(migrations.fill if filling else migrations.migrate)
        if os.path.lexists(folder / STAGING):
            from lamina.stores.sqlite import swapping

            # While this process has the store open nobody restores: the one who did was killed.
            swapping.clear(folder)

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset(Capability) - {Capability.EXPIRING}

    @property
    def location(self) -> str:
        return str(self._path)

    def commit(self, commit: Commit) -> Receipt:
        from lamina.core.planning import durability_of

        synced = durability_of(commit) is Durability.SYNCED
        return self._connections.write(lambda c: self._run(c, commit), synced=synced)

    def tombstones(self, ids: Iterable[RecordId]) -> frozenset[RecordId]:
        noted = self._ledger.known(ids)
        # The line comes before the commit; where a crash came between, the record is still there.
        return noted - {record.id for record in self.get(EVERYTHING, sorted(noted))}

    def scrub(self, erased: Sequence[bytes]) -> ScrubReport:
        from dataclasses import replace

        from lamina.stores.sqlite.scrub import scrub

        left = self.clean_indexes()
        report = scrub(self._connections, self._folder, erased)
        if left:
            report = replace(report, residue=tuple(sorted({*report.residue, *left})))
        # To cut the log is not synced by itself: a power cut would bring back what was in it.
        self.flush()
        return report

    def check(self, aids: Aids | None = None) -> list[Finding]:
        from lamina.stores.sqlite import care

        found = care.check(self._connections, aids, self._ledger)
        beside = aids is None or aids.beside
        return [*found, *care.indexes(self.damaged_indexes, self.lacking)] if beside else found

    def repair(
        self,
        analyse: Callable[[Record], tuple[str, ...]],
        tell: Callable[[float], None] = lambda share: None,
    ) -> Repair:
        from lamina.stores.sqlite import care

        repaired = care.repair(self._connections, self._ledger, analyse, tell)
        # They may have been made from what was wrong.
        self.drop_indexes()
        return repaired

    def audit(self, streams: Collection[str] | None = None) -> list[Finding]:
        from lamina.stores.sqlite import care

        return care.audit(self._connections, streams)

    def reindex(self, analyse: Callable[[Record], tuple[str, ...]]) -> int:
        from lamina.stores.sqlite import care

        return self._connections.write(lambda connection: care.reindex(connection, analyse))

    def backup(self, path: Path, tell: Callable[[float], None]) -> BackupReport:
        from lamina.stores.sqlite import backup

        target = backup.check_target(path, self._folder)
        self._drain()
        return backup.back_up(self._connections, self._ledger, target, tell)

    def tidy(self) -> bool:
        return self._connections.alone(empty_log)

    def flush(self) -> None:
        """Every synced commit is on the disk already; this brings along the relaxed ones."""
        self._drain()
        self._connections.write(lambda connection: connection.execute(_TOUCH).fetchall())

    def close(self) -> None:
        self._drain()
        if self._tally is not None:
            self._tally.end()
        self._connections.close()

    def end(self) -> SqliteEnd:
        """The store as one end of a move."""
        from lamina.stores.sqlite.moving import SqliteEnd

        return SqliteEnd(self, self._connections, self._ledger)

    def _run(self, connection: Connection, commit: Commit) -> Receipt:
        from lamina.core.changes import Erase
        from lamina.stores.sql import commits

        receipt = commits.run(connection, commit)
        erased = [change.id for change in commit.changes if isinstance(change, Erase)]
        if erased:
            # The tombstone comes before the commit: a crash in between leaves a record to erase
            # again, not one that an import could bring back. What was refused gets none.
            self._ledger.add(erased, commit.at)
        if erased or self._notepad is not None:
            self._write_along(connection, cleared=bool(erased))
        return receipt


def _refuse_link(path: Path) -> None:
    """A linked database would have its log elsewhere, out of sight of an erase."""
    if path.is_symlink():
        raise InvalidInputError(
            f"{path} is a symbolic link", remedy="Open the directory that it points into"
        )


def _create_private(path: Path) -> None:
    """Make a new database file that nobody else may read; its log takes over the mode."""
    with contextlib.suppress(OSError):
        # Only ever a new file: opening and closing one that is in use would drop its locks.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
