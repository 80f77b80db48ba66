"""A store in Postgres as one end of a move."""

import json
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar, cast

from lamina.core.ids import RecordId
from lamina.stores.postgres import holding, words
from lamina.stores.postgres.connections import Connections
from lamina.stores.postgres.driver import Connection as Session
from lamina.stores.postgres.vectors import written
from lamina.stores.sql.driver import Connection, Row, Value, rows
from lamina.stores.sql.moving.tables import Table
from lamina.stores.sql.writing import VERSION_COLUMNS

if TYPE_CHECKING:
    from lamina.stores.postgres.store import PostgresStore

T = TypeVar("T")
_PATIENCE_SECONDS: Final = 3600.0
_COLUMNS: Final = {
    "record": "rid, id, sid, scope, layer, key, created_at, head, length",
    "version": f"{VERSION_COLUMNS}, to_seq, sid",
    "event": "sid, seq, tx, record, rev, action, actor, surface, at, digest, hash",
    "sealed": "rid, ref, kind, nonce, box",
    "word": "rowid, sid, body",
    "vector": "rid, space, sid, vid, body",
    "receipt": "owner, key, request, tx, body",
}
_WRITTEN: Final = (
    "record, version, event, receipt, sealed, setting, telemetry, usage, vector, space, word,"
    " place, stream, tombstone"
)
_HOLD: Final = (
    f"set local idle_in_transaction_session_timeout = 0; lock table {_WRITTEN} in share mode"
)
"""Writers wait, readers do not. The session is idle while the other end is written to."""
_COUNTS: Final = (
    "delete from word_count;"
    " insert into word_count (term, sid, doc)"
    " select term, min(sid), count(*) from word_posting group by term;"
    " analyze record, version, event, word, place, word_posting, word_count, vector, receipt"
)
_GO_ON: Final = (
    "select setval('number', greatest((select max(vid) from version),"
    " (select last_value from number), 1));"
    " select setval(pg_get_serial_sequence('stream', 'sid'),"
    " greatest((select max(sid) from stream), 1));"
    " select setval(pg_get_serial_sequence('space', 'space'),"
    " greatest((select max(space) from space), 1))"
)
_BURY: Final = (
    "insert into tombstone (id, at) select key, value from json_each(?) on conflict do nothing"
)


class PostgresEnd:
    """A store in a schema of a database."""

    def __init__(self, store: "PostgresStore", connections: Connections) -> None:
        self.store = store
        self._connections = connections

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with self._connections.reading() as reader, reader.patiently(_PATIENCE_SECONDS):
            yield reader

    def hold(self, work: Callable[[Connection], T]) -> T:
        def alone(connection: Session) -> T:
            with connection.patiently(_PATIENCE_SECONDS):
                connection.run(_HOLD)
                return work(connection)

        return self._connections.write(alone, needs=holding.EVERYTHING)

    def write(self, work: Callable[[Connection], T]) -> T:
        def patient(connection: Session) -> T:
            with connection.patiently(_PATIENCE_SECONDS):
                return work(connection)

        return self._connections.write(patient)

    def begin(self) -> None:
        """Nothing here points to rows that must be there."""

    def neutral(self, table: Table, found: Sequence[Row]) -> list[Row]:
        if table.name != "vector":
            return list(found)
        return [(*row[:4], _packed(row[4])) for row in found]

    def add(self, connection: Connection, table: Table, found: Sequence[Row]) -> None:
        given: Sequence[Row] = found
        if table.name == "word":
            given = [(rowid, int(body.partition(":")[0]), body) for rowid, body in found]
        elif table.name == "vector":
            given = [(*row[:4], _text(row[4])) for row in found]
        _copy(cast("Session", connection), table.name, given)
        if table.name == "word":
            listed = (json.dumps([row[0] for row in found]),)
            connection.execute(words.PLACE, listed)
            connection.execute(words.POST + words.OF_SOME, listed)

    def add_spaces(self, connection: Connection, found: Iterable[Row]) -> None:
        sql = "insert into space (space, fingerprint, dimensions) values (?, ?, ?)"
        connection.executemany(sql, found)

    def settle(self, connection: Connection) -> None:
        """Count the words, and let the planner know what is there."""
        cast("Session", connection).run(_COUNTS)

    def go_on(self, connection: Connection) -> None:
        cast("Session", connection).run(_GO_ON)

    def tombstones(self) -> dict[RecordId, str]:
        with self._connections.reading(snapshot=False) as connection:
            return {RecordId(gone): at for gone, at in rows(connection, "select * from tombstone")}

    def bury(self, connection: Connection, tombstones: Mapping[RecordId, str]) -> None:
        connection.execute(_BURY, (json.dumps(dict(tombstones)),))


def _copy(session: Session, table: str, found: Sequence[Row]) -> None:
    """Add rows in bulk; by way of a table without policies, which the server's `copy` refuses."""
    columns = _COLUMNS[table]
    between = f"incoming_{table}"
    session.run(
        f"create temporary table if not exists {between} on commit delete rows"
        f" as select {columns} from {table} limit 0"
    )
    session.copy_in(between, columns.split(", "), cast("Sequence[Sequence[Value]]", found))
    session.run(
        f"insert into {table} ({columns}) select {columns} from {between}; truncate {between}"
    )


def _packed(body: str | None) -> bytes | None:
    if body is None:
        return None
    values = json.loads(body)
    return struct.pack(f"<{len(values)}e", *values)


def _text(body: bytes | None) -> str | None:
    return None if body is None else written(struct.unpack(f"<{len(body) // 2}e", body))
