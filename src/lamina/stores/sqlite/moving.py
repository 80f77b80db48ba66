"""A store in SQLite as one end of a move."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final, TypeVar

from lamina.core.ids import RecordId
from lamina.stores.ledger import Ledger
from lamina.stores.sql.driver import Connection, Row, one
from lamina.stores.sql.moving.tables import VERSION, Table
from lamina.stores.sql.writing import VERSION_COLUMNS
from lamina.stores.sqlite.connections import Connections
from lamina.stores.sqlite.vectors import checksum

if TYPE_CHECKING:
    from lamina.stores.sqlite.store import SqliteStore

T = TypeVar("T")
_COLUMNS: Final = {
    "record": "rid, id, sid, scope, layer, key, created_at, head, length",
    "version": f"{VERSION_COLUMNS}, to_seq",
    "event": "sid, seq, tx, record, rev, action, actor, surface, at, digest, hash",
    "sealed": "rid, ref, kind, nonce, box",
    "word": "rowid, body",
    "vector": "n, space, rid, vid, body, sum",
    "receipt": "owner, key, request, tx, body",
}
_LAST_MADE: Final = "select ifnull(max(n), 0) from vector"
_SPACE: Final = (
    "insert into space (space, fingerprint, dimensions, mark, made) values (?, ?, ?, 0, 0)"
)


class SqliteEnd:
    """A store in a directory."""

    def __init__(self, store: "SqliteStore", connections: Connections, ledger: Ledger) -> None:
        self.store = store
        self._connections = connections
        self._ledger = ledger

    def read(self) -> AbstractContextManager[Connection]:
        return self._connections.reading()

    def hold(self, work: Callable[[Connection], T]) -> T:
        # Whoever writes has the file to itself.
        return self._connections.write(work)

    def write(self, work: Callable[[Connection], T]) -> T:
        return self._connections.write(work)

    def begin(self) -> None:
        self._connections.alone(lambda connection: one(connection, "pragma foreign_keys = off"))

    def neutral(self, table: Table, found: Sequence[Row]) -> list[Row]:
        return list(found)

    def add(self, connection: Connection, table: Table, found: Sequence[Row]) -> None:
        columns = _COLUMNS[table.name]
        marks = ", ".join("?" * (columns.count(",") + 1))
        given: Iterable[Row] = found
        if table is VERSION:
            given = (row[:-1] for row in found)
        elif table.name == "vector":
            given = _numbered(found, int(one(connection, _LAST_MADE)))
        connection.executemany(f"insert into {table.name} ({columns}) values ({marks})", given)

    def add_spaces(self, connection: Connection, found: Iterable[Row]) -> None:
        connection.executemany(_SPACE, found)

    def settle(self, connection: Connection) -> None:
        """Nothing is kept besides the rows."""

    def go_on(self, connection: Connection) -> None:
        """Numbers of records follow from the rows; those of vectors are noted."""
        connection.execute("update space set made = ?", (one(connection, _LAST_MADE),))

    def tombstones(self) -> dict[RecordId, str]:
        return self._ledger.tombstones()

    def bury(self, connection: Connection, tombstones: Mapping[RecordId, str]) -> None:
        self._ledger.take(tombstones)


def _numbered(found: Sequence[Row], last: int) -> Iterable[Row]:
    """Vectors in the order of making, with the sum that shows damage."""
    for number, (rid, space, _, vid, body) in enumerate(found, last + 1):
        yield number, space, rid, vid, body, checksum((space, rid, vid), body)
