"""The Postgres store: records in a schema of a database, shared by any number of machines."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from lamina.core.layers import Durability
from lamina.errors import InvalidInputError
from lamina.stores.base import WHOLE, Capability, Repair, ScrubReport
from lamina.stores.loadable import Loadable
from lamina.stores.postgres import holding, migrations, searched
from lamina.stores.postgres.address import parse
from lamina.stores.postgres.connections import Connections
from lamina.stores.postgres.dialect import DIALECT
from lamina.stores.sql.formats import check_still_writable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from lamina.core.arranging import Arranged
    from lamina.core.changes import Commit, Receipt
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.results import BackupReport
    from lamina.stores.base import Aids, Finding
    from lamina.stores.postgres.driver import Connection as Session
    from lamina.stores.postgres.loading import Loader
    from lamina.stores.postgres.moving import PostgresEnd
    from lamina.stores.sql.driver import Connection

T = TypeVar("T")
_LOADING_SECONDS: Final = 6 * 3600.0
_UNLOOKED: Final = (
    "the server's write-ahead log", "free space inside the server's files",
    "backups and replicas of the server",
)  # fmt: skip
"""Where the server may keep bytes that are gone from every table."""
_TOMBSTONES: Final = (
    "insert into tombstone (id, at) select value, ? from json_each(?) on conflict do nothing"
)
_MARK: Final = "select pg_logical_emit_message(true, 'lamina', '')"
"""Changes nothing and is in the server's log: a commit without anything there syncs nothing."""
_KEY_MARK: Final = "key_mark"
"""The setting that tells which key all servers seal and sign with."""
_FIRST_MARK: Final = "insert into setting values (?, ?) on conflict do nothing"
_KNOWN: Final = (
    "select t.id from tombstone t where t.id in (select value from json_each(?))"
    " and not exists (select 1 from record r where r.id = t.id)"
)


class PostgresStore(searched.Searched, Loadable):
    """Records in one schema of a database."""

    def __init__(self, address: str, *, filling: bool = False) -> None:
        """Open or make the store; `filling` also one that a move has begun to fill."""
        self._address = parse(address)
        self._connections = Connections(self._address, DIALECT)
        self._connections.open(migrations.migrate if filling else migrations.migrate_whole)
        self._loader: tuple[int, Loader] | None = None
        """What takes the commits of one thread, while the store is filled at once."""

    @property
    def capabilities(self) -> frozenset[Capability]:
        return WHOLE | {Capability.MANY_PROCESSES, Capability.DURABLE, Capability.SYNCED}

    @property
    def location(self) -> str:
        return self._address.location

    def commit(self, commit: Commit) -> Receipt:
        from lamina.core.planning import durability_of

        if self._loader is not None and self._loader[0] == threading.get_ident():
            return self._loader[1].commit(commit)
        synced = durability_of(commit) is Durability.SYNCED
        return self._connections.write(
            lambda connection: self._run(connection, commit),
            synced=synced,
            needs=holding.of(commit),
        )

    def load(self, fill: Callable[[], T]) -> T:
        from lamina.stores.postgres.loading import loading

        def work(connection: Session) -> T:
            with loading(connection, self._connections.schema) as loader:
                self._loader = threading.get_ident(), loader
                try:
                    return fill()
                finally:
                    self._loader = None

        return self._connections.apart(work, _LOADING_SECONDS)

    def duty(self, name: str) -> AbstractContextManager[bool]:
        return self._connections.duties.one(name)

    def has_key(self) -> bool:
        """Whether a key has been used with this store, on whichever machine."""
        return _KEY_MARK in self.settings() or self.has_sealed()

    def agree_on_key(self, mark: str) -> str:
        """The mark of the key that all machines use: that of the first who used one."""
        found = self.settings().get(_KEY_MARK)
        if found is None:
            self._connections.write(partial(_mark, mark=mark))
            found = self.settings()[_KEY_MARK]
        return found

    def tombstones(self, ids: Iterable[RecordId]) -> frozenset[RecordId]:
        from lamina.core import canonical
        from lamina.core.ids import RecordId

        with self._connections.reading(snapshot=False) as connection:
            found = connection.execute(_KNOWN, (canonical.dumps(sorted(ids)),))
            return frozenset(RecordId(gone) for (gone,) in found)

    def scrub(self, erased: Sequence[bytes]) -> ScrubReport:
        """Nothing but the tables can be looked at from here, and there nothing is left."""
        self.flush()
        return ScrubReport(unlooked=_UNLOOKED)

    def check(self, aids: Aids | None = None) -> list[Finding]:
        from lamina.stores.postgres import care

        return care.check(self._connections, aids)

    def repair(
        self,
        analyse: Callable[[Record], tuple[str, ...]],
        tell: Callable[[float], None] = lambda share: None,
    ) -> Repair:
        from lamina.stores.postgres import care

        return care.repair(self._connections, analyse, tell)

    def audit(self, streams: Collection[str] | None = None) -> list[Finding]:
        from lamina.stores.postgres import care

        return care.audit(self._connections, streams)

    def reindex(self, analyse: Callable[[Record], tuple[str, ...]]) -> int:
        from lamina.stores.postgres import care

        return care.reindex(self._connections, analyse)

    def arrange(self, *, dry_run: bool = False) -> list[Arranged]:
        """Large projects get partitions of their own; see `partitions.py`."""
        from lamina.core.settings import OFF, PARTITION_AT, in_force
        from lamina.stores.postgres import partitions
        from lamina.stores.sql.driver import ALL

        chosen = in_force(self.settings(), PARTITION_AT)
        at = ALL if chosen == OFF else int(chosen)
        with self.duty(partitions.DUTY) as is_ours:
            if not is_ours and not dry_run:
                return []
            return partitions.arrange(self._connections, at, dry_run=dry_run)

    def tidy(self) -> bool:
        """The server sees to its own files."""
        self._drain()
        return True

    def backup(self, path: Path, tell: Callable[[float], None]) -> BackupReport:
        raise InvalidInputError(
            "a store in Postgres cannot be copied into a file from here",
            remedy="Use pg_dump or a base backup of the server, or `lamina export`",
        )

    def flush(self) -> None:
        """Every synced commit is durable already; this brings along the relaxed ones."""
        self._drain()
        self._connections.write(lambda connection: connection.execute(_MARK))

    def close(self) -> None:
        self._drain()
        if self._tally is not None:
            self._tally.end()
        self._connections.close()

    def end(self) -> PostgresEnd:
        """The store as one end of a move."""
        from lamina.stores.postgres.moving import PostgresEnd

        return PostgresEnd(self, self._connections)

    def _run(self, connection: Connection, commit: Commit) -> Receipt:
        from lamina.core import canonical
        from lamina.core.changes import Erase
        from lamina.core.instants import to_text
        from lamina.stores.sql import commits

        receipt = commits.run(connection, commit)
        erased = [change.id for change in commit.changes if isinstance(change, Erase)]
        if erased:
            listed = canonical.dumps(list(erased))
            connection.execute(_TOMBSTONES, (to_text(commit.at), listed))
        if erased or self._notepad is not None:
            self._write_along(connection, cleared=bool(erased))
        return receipt


def _mark(connection: Session, mark: str) -> None:
    connection.execute(_FIRST_MARK, (_KEY_MARK, mark))
    check_still_writable(connection)
