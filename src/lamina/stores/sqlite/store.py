"""The SQLite store: one file in a directory, shared by any number of processes and threads.

Agents' hooks read one record at every prompt, in a process of its own. What only writing, searching
or repairing needs is therefore imported where it is used.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Final

from lamina.core.layers import Durability
from lamina.errors import InvalidInputError
from lamina.stores.base import Capability, check_count
from lamina.stores.ledger import Ledger
from lamina.stores.sqlite import DATABASE, migrations, reads
from lamina.stores.sqlite.connections import Connections
from lamina.stores.sqlite.driver import one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from lamina.core.access import Reach
    from lamina.core.changes import Commit, Event, Receipt, Version
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.core.sealed import Sealed
    from lamina.stores.base import Finding, Match, Query, ScrubReport, Search
    from lamina.stores.sqlite.driver import Connection

_TOUCH: Final = "update setting set value = value where name = 'index_version'"


class SqliteStore:
    """Records in `lamina.db` inside a directory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / DATABASE
        self._ledger = Ledger(folder / "erased.jsonl")
        _refuse_link(self._path)
        _create_private(self._path)
        self._connections = Connections(self._path)
        self._connections.open(migrations.migrate)

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset(Capability)

    @property
    def location(self) -> str:
        return str(self._path)

    def commit(self, commit: Commit) -> Receipt:
        from lamina.core.planning import durability_of

        synced = durability_of(commit) is Durability.SYNCED
        return self._connections.write(lambda c: self._run(c, commit), synced=synced)

    def get(self, reach: Reach, ids: Sequence[RecordId]) -> list[Record]:
        with self._connections.reading() as connection:
            return reads.get(connection, reach, ids)

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
            last = page[-1][0]

    def count(self, query: Query) -> int:
        with self._connections.reading(snapshot=False) as connection:
            return reads.count(connection, query)

    def search(self, search: Search) -> list[Match]:
        from lamina.stores.sqlite import index

        with self._connections.reading() as connection:
            return index.search(connection, search)

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

    def sealed(self, record_id: RecordId) -> list[Sealed]:
        with self._connections.reading(snapshot=False) as connection:
            return reads.sealed(connection, record_id)

    def has_sealed(self) -> bool:
        with self._connections.reading(snapshot=False) as connection:
            return bool(one(connection, "select exists (select 1 from sealed)"))

    def settings(self) -> Mapping[str, str]:
        with self._connections.reading(snapshot=False) as connection:
            return reads.settings(connection)

    def configure(self, name: str, value: str) -> None:
        sql = "insert or replace into setting values (?, ?)"
        self._connections.write(
            lambda connection: connection.execute(sql, (name, value)).fetchall()
        )

    def tombstones(self, ids: Iterable[RecordId]) -> frozenset[RecordId]:
        return self._ledger.known(ids)

    def saying(self, reach: Reach, texts: Sequence[str]) -> list[RecordId]:
        with self._connections.reading(snapshot=False) as connection:
            return reads.saying(connection, reach, texts)

    def scrub(self, erased: Sequence[bytes]) -> ScrubReport:
        from lamina.stores.sqlite.scrub import scrub

        return scrub(self._connections, self._folder, erased)

    def check(self) -> list[Finding]:
        from lamina.stores.sqlite import care

        return care.check(self._connections)

    def reindex(self, analyse: Callable[[Record], tuple[str, ...]]) -> int:
        from lamina.stores.sqlite import care

        return self._connections.write(lambda connection: care.reindex(connection, analyse))

    def flush(self) -> None:
        """Every synced commit is on the disk already; this brings along the relaxed ones."""
        self._connections.write(lambda connection: connection.execute(_TOUCH).fetchall())

    def close(self) -> None:
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
