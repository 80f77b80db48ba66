"""What every store in a SQL database is asked alike: reads, the feed, notices and counts of use.

Agents' hooks read one record at every prompt, in a process of its own. What only writing or
searching needs is therefore imported where it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.errors import StoreDamagedError
from lamina.stores.questions import check_count
from lamina.stores.sql import reads
from lamina.stores.sql.driver import one
from lamina.stores.sql.formats import check_still_writable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from lamina.core.access import Reach
    from lamina.core.announcements import Audience, Noted, Notice
    from lamina.core.arranging import Arranged
    from lamina.core.chain import Head
    from lamina.core.changes import Event, Version
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.core.retention import Pruned, Retention
    from lamina.core.sealed import Sealed
    from lamina.core.usage import Usage
    from lamina.stores.base import Page
    from lamina.stores.questions import Lot, Query
    from lamina.stores.sql.connections import Connections
    from lamina.stores.sql.driver import Connection
    from lamina.stores.sql.notepad import Notepad
    from lamina.stores.sql.tally import Counts, Tally

_CHOOSE: Final = (
    "insert into setting values (?, ?) on conflict (name) do update set value = excluded.value"
)


class SqlStore:
    """Records in a database."""

    _connections: Connections
    _notepad: Notepad | None = None
    _tally: Tally | None = None

    @property
    def identity(self) -> str:
        return self.settings()["identity"]

    def get(
        self, reach: Reach, ids: Sequence[RecordId], *, as_of: Mapping[str, int] | None = None
    ) -> list[Record]:
        with self._connections.reading(reach) as connection:
            return reads.get(connection, reach, ids, as_of)

    def find(self, reach: Reach, place: str) -> Record | None:
        with self._connections.reading(reach, snapshot=False) as connection:
            return reads.find(connection, reach, place)

    def query(self, query: Query) -> list[Record]:
        with self._connections.reading(query.reach, snapshot=False) as connection:
            return reads.query(connection, query)

    def walk(self, reach: Reach, stream: str) -> Iterator[Record]:
        last = 0
        while True:
            with self._connections.reading(reach, snapshot=False) as connection:
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
        with self._connections.reading(query.reach) as connection:
            return reads.count(connection, query)

    def census(self, query: Query) -> list[Lot]:
        with self._connections.reading(query.reach) as connection:
            return reads.census(connection, query)

    def versions(self, reach: Reach, record_id: RecordId) -> list[Version]:
        from lamina.stores.sql import log

        with self._connections.reading() as connection:
            return log.versions(connection, reach, record_id)

    def events(self, stream: str, *, after: int = 0, limit: int | None = 1000) -> list[Event]:
        from lamina.stores.sql import log

        check_count(after, "after")
        check_count(limit, "limit")
        with self._connections.reading(snapshot=False) as connection:
            return log.events(connection, stream, after, limit)

    def transaction(self, tx: RecordId) -> list[Event]:
        from lamina.stores.sql import log

        with self._connections.reading(snapshot=False) as connection:
            return log.transaction(connection, tx)

    def streams(self) -> list[str]:
        with self._connections.reading(snapshot=False) as connection:
            return reads.streams(connection)

    def position(
        self, streams: Collection[str] | None = None, *, at: datetime | None = None
    ) -> dict[str, Head]:
        from lamina.stores.sql import feed

        with self._connections.reading() as connection:
            return feed.position(connection, streams, at)

    def changes(self, reach: Reach, after: Mapping[str, int], limit: int) -> Page:
        from lamina.stores.sql import feed

        check_count(limit, "limit")
        with self._connections.reading(reach) as connection:
            return feed.changes(connection, reach, after, limit)

    def pulse(self) -> int:
        return self._connections.bell().pulse()

    def wait(self, pulse: int, seconds: float) -> bool:
        return self._connections.bell().wait(pulse, seconds)

    def note(self, notices: Sequence[Notice]) -> None:
        if self._notepad is None:
            from lamina.stores.sql.notepad import Notepad

            self._notepad = Notepad(self._last_erase, self._write_notices)
        self._notepad.add(notices)

    def noted(self, audience: Audience, after: int, limit: int) -> Noted:
        from lamina.stores.sql import telemetry

        check_count(limit, "limit")
        self._drain()
        with self._connections.reading(snapshot=False) as connection:
            return telemetry.noted(connection, audience, after, limit)

    def note_use(self, used: Mapping[RecordId, int], at: datetime, root: str = "") -> None:
        if self._tally is None:
            from lamina.stores.sql.tally import Tally

            self._tally = Tally(self._write_counts)
        self._tally.add(used, root, at)

    def usage(self, reach: Reach, ids: Sequence[RecordId]) -> dict[RecordId, Usage]:
        from lamina.stores.sql import usage

        # What waits is looked at first: what is written meanwhile is then counted, if twice.
        waiting = [] if self._tally is None else self._tally.of(ids)
        with self._connections.reading(reach, snapshot=False) as connection:
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

    def configure(self, name: str, value: str | None, *, wait: bool = True) -> None:
        sql = _CHOOSE if value is not None else "delete from setting where name = ?"
        values = (name,) if value is None else (name, value)

        def work(connection: Connection) -> None:
            one(connection, sql, values)
            # Behind it: where a move held it up, the store was handed over meanwhile.
            check_still_writable(connection)

        write = self._connections.write if wait else self._connections.write_if_quiet
        write(work)

    def saying(self, reach: Reach, texts: Sequence[str]) -> list[RecordId]:
        with self._connections.reading(reach) as connection:
            return reads.saying(connection, reach, texts)

    def prunable(self, retention: Retention) -> Pruned:
        from lamina.stores.sql import pruning

        return pruning.prunable(self._connections, retention)

    def prune(self, retention: Retention) -> Pruned:
        from lamina.stores.sql import pruning

        return pruning.prune(self._connections, retention)

    def arrange(self, *, dry_run: bool = False) -> list[Arranged]:
        """Where all lies in one file there is one place."""
        del dry_run
        return []

    def _write_along(self, connection: Connection, *, cleared: bool) -> None:
        """Let the notices that wait share a commit, or go with what an erase takes away."""
        from lamina.stores.sql import telemetry

        notices, since = self._notepad.take() if self._notepad is not None else ([], 0)
        if cleared:
            telemetry.clear(connection)
        elif notices:
            telemetry.write_along(connection, notices, since)

    def _last_erase(self) -> int:
        from lamina.stores.sql import telemetry

        with self._connections.reading(snapshot=False) as connection:
            return telemetry.last_erase(connection)

    def _write_notices(self, notices: Sequence[Notice], since: int) -> None:
        from lamina.stores.sql import telemetry

        self._connections.write_if_quiet(
            lambda connection: telemetry.write(connection, notices, since)
        )

    def _write_counts(self, counts: Counts) -> None:
        from lamina.stores.sql import usage

        self._connections.write_if_quiet(lambda connection: usage.write(connection, counts))

    def _drain(self) -> None:
        if self._notepad is not None:
            self._notepad.drain()
        if self._tally is not None:
            self._tally.drain()
