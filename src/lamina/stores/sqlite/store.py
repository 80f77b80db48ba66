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
from lamina.errors import InvalidInputError, StoreDamagedError
from lamina.stores.base import Capability
from lamina.stores.ledger import Ledger
from lamina.stores.questions import check_count
from lamina.stores.sqlite import DATABASE, LEDGER, STAGING, migrations, reads
from lamina.stores.sqlite.connections import Connections, empty_log
from lamina.stores.sqlite.driver import APPLICATION_ID, one
from lamina.stores.sqlite.searched import Searched

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from lamina.core.access import Reach
    from lamina.core.announcements import Audience, Noted, Notice
    from lamina.core.chain import Head
    from lamina.core.changes import Commit, Event, Receipt, Version
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.core.retention import Pruned, Retention
    from lamina.core.sealed import Sealed
    from lamina.core.usage import Usage
    from lamina.results import BackupReport
    from lamina.stores.base import Aids, Finding, Page, Repair, ScrubReport
    from lamina.stores.questions import Lot, Query
    from lamina.stores.sqlite.driver import Connection
    from lamina.stores.sqlite.notepad import Notepad
    from lamina.stores.sqlite.tally import Counts, Tally

_TOUCH: Final = f"pragma application_id = {APPLICATION_ID}"
"""Changes nothing and is a write all the same; SQLite leaves out an update that changes nothing."""


class SqliteStore(Searched):
    """Records in `lamina.db` inside a directory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / DATABASE
        self._ledger = Ledger(folder / LEDGER)
        _refuse_link(self._path)
        _create_private(self._path)
        self._notepad: Notepad | None = None
        self._tally: Tally | None = None
        self._vectors = {}
        self._connections = Connections(self._path)
        self._connections.open(migrations.migrate)
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

    @property
    def identity(self) -> str:
        return self.settings()["identity"]

    def commit(self, commit: Commit) -> Receipt:
        from lamina.core.planning import durability_of

        synced = durability_of(commit) is Durability.SYNCED
        return self._connections.write(lambda c: self._run(c, commit), synced=synced)

    def get(
        self, reach: Reach, ids: Sequence[RecordId], *, as_of: Mapping[str, int] | None = None
    ) -> list[Record]:
        with self._connections.reading() as connection:
            return reads.get(connection, reach, ids, as_of)

    def find(self, reach: Reach, place: str) -> Record | None:
        with self._connections.reading(snapshot=False) as connection:
            return reads.find(connection, reach, place)

    def query(self, query: Query) -> list[Record]:
        with self._connections.reading(snapshot=False) as connection:
            return reads.query(connection, query)

    def walk(self, reach: Reach, stream: str) -> Iterator[Record]:
        last = 0
        while True:
            with self._connections.reading(snapshot=False) as connection:
                page = reads.page(connection, reach, stream, last)
            if not page:
                return
            yield from (record for _, record in page)
            if page[-1][0] <= last:
                raise StoreDamagedError(
                    "the records are not in the order of their numbers",
                    remedy="Run `lamina doctor`, and restore from an export or backup",
                )
            last = page[-1][0]

    def count(self, query: Query) -> int:
        with self._connections.reading(snapshot=False) as connection:
            return reads.count(connection, query)

    def census(self, query: Query) -> list[Lot]:
        with self._connections.reading(snapshot=False) as connection:
            return reads.census(connection, query)

    def versions(self, reach: Reach, record_id: RecordId) -> list[Version]:
        from lamina.stores.sqlite import log

        with self._connections.reading() as connection:
            return log.versions(connection, reach, record_id)

    def events(self, stream: str, *, after: int = 0, limit: int | None = 1000) -> list[Event]:
        from lamina.stores.sqlite import log

        check_count(after, "after")
        check_count(limit, "limit")
        with self._connections.reading(snapshot=False) as connection:
            return log.events(connection, stream, after, limit)

    def transaction(self, tx: RecordId) -> list[Event]:
        from lamina.stores.sqlite import log

        with self._connections.reading(snapshot=False) as connection:
            return log.transaction(connection, tx)

    def streams(self) -> list[str]:
        with self._connections.reading(snapshot=False) as connection:
            return reads.streams(connection)

    def position(
        self, streams: Collection[str] | None = None, *, at: datetime | None = None
    ) -> dict[str, Head]:
        from lamina.stores.sqlite import feed

        with self._connections.reading() as connection:
            return feed.position(connection, streams, at)

    def changes(self, reach: Reach, after: Mapping[str, int], limit: int) -> Page:
        from lamina.stores.sqlite import feed

        check_count(limit, "limit")
        with self._connections.reading() as connection:
            return feed.changes(connection, reach, after, limit)

    def pulse(self) -> int:
        return self._connections.bell().pulse()

    def wait(self, pulse: int, seconds: float) -> bool:
        return self._connections.bell().wait(pulse, seconds)

    def note(self, notices: Sequence[Notice]) -> None:
        if self._notepad is None:
            from lamina.stores.sqlite.notepad import Notepad

            self._notepad = Notepad(self._last_erase, self._write_notices)
        self._notepad.add(notices)

    def noted(self, audience: Audience, after: int, limit: int) -> Noted:
        from lamina.stores.sqlite import telemetry

        check_count(limit, "limit")
        self._drain()
        with self._connections.reading(snapshot=False) as connection:
            return telemetry.noted(connection, audience, after, limit)

    def note_use(self, used: Mapping[RecordId, int], at: datetime, root: str = "") -> None:
        if self._tally is None:
            from lamina.stores.sqlite.tally import Tally

            self._tally = Tally(self._write_counts)
        self._tally.add(used, root, at)

    def usage(self, reach: Reach, ids: Sequence[RecordId]) -> dict[RecordId, Usage]:
        from lamina.stores.sqlite import usage

        # What waits is looked at first: what is written meanwhile is then counted, if twice.
        waiting = [] if self._tally is None else self._tally.of(ids)
        with self._connections.reading(snapshot=False) as connection:
            found = usage.read(connection, reach, ids)
        for record, root, use in waiting:
            if record in found and reach.knows(root):
                found[record] = use.plus(found[record])
        return {record: use for record, use in found.items() if use is not None}

    def newest_instant(self) -> datetime | None:
        with self._connections.reading(snapshot=False) as connection:
            return reads.newest_instant(connection)

    def sealed(self, record_id: RecordId) -> list[Sealed]:
        with self._connections.reading(snapshot=False) as connection:
            return reads.sealed(connection, record_id)

    def has_sealed(self) -> bool:
        with self._connections.reading(snapshot=False) as connection:
            return bool(one(connection, "select exists (select 1 from sealed)"))

    def settings(self) -> Mapping[str, str]:
        with self._connections.reading(snapshot=False) as connection:
            return reads.settings(connection)

    def configure(self, name: str, value: str | None) -> None:
        chosen = "insert or replace into setting values (?, ?)"
        sql = chosen if value is not None else "delete from setting where name = ?"
        values = (name,) if value is None else (name, value)
        self._connections.write(lambda connection: connection.execute(sql, values).fetchall())

    def tombstones(self, ids: Iterable[RecordId]) -> frozenset[RecordId]:
        noted = self._ledger.known(ids)
        # The line comes before the commit; where a crash came between, the record is still there.
        return noted - {record.id for record in self.get(EVERYTHING, sorted(noted))}

    def saying(self, reach: Reach, texts: Sequence[str]) -> list[RecordId]:
        with self._connections.reading(snapshot=False) as connection:
            return reads.saying(connection, reach, texts)

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

    def prunable(self, retention: Retention) -> Pruned:
        from lamina.stores.sqlite import pruning

        return pruning.prunable(self._connections, retention)

    def prune(self, retention: Retention) -> Pruned:
        from lamina.stores.sqlite import pruning

        return pruning.prune(self._connections, retention)

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

    def _run(self, connection: Connection, commit: Commit) -> Receipt:
        from lamina.core.changes import Erase
        from lamina.stores.sqlite import commits

        receipt = commits.run(connection, commit)
        erased = [change.id for change in commit.changes if isinstance(change, Erase)]
        if erased:
            # The tombstone comes before the commit: a crash in between leaves a record to erase
            # again, not one that an import could bring back. What was refused gets none.
            self._ledger.add(erased, commit.at)
        if erased or self._notepad is not None:
            self._write_along(connection, cleared=bool(erased))
        return receipt

    def _write_along(self, connection: Connection, *, cleared: bool) -> None:
        """Let the notices that wait share a commit, or go with what an erase takes away."""
        from lamina.stores.sqlite import telemetry

        notices, since = self._notepad.take() if self._notepad is not None else ([], 0)
        if cleared:
            telemetry.clear(connection)
        elif notices:
            telemetry.write_along(connection, notices, since)

    def _last_erase(self) -> int:
        from lamina.stores.sqlite import telemetry

        with self._connections.reading(snapshot=False) as connection:
            return telemetry.last_erase(connection)

    def _write_notices(self, notices: Sequence[Notice], since: int) -> None:
        from lamina.stores.sqlite import telemetry

        self._connections.write_if_quiet(
            lambda connection: telemetry.write(connection, notices, since)
        )

    def _write_counts(self, counts: Counts) -> None:
        from lamina.stores.sqlite import usage

        self._connections.write_if_quiet(lambda connection: usage.write(connection, counts))

    def _drain(self) -> None:
        if self._notepad is not None:
            self._notepad.drain()
        if self._tally is not None:
            self._tally.drain()


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
