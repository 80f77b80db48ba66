"""The tables that are copied page by page, and how their rows are read in any database."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from lamina.stores.sql.driver import Connection, Row, Value, rows
from lamina.stores.sql.writing import VERSION_COLUMNS

Key: TypeAlias = tuple[Value, ...]
_VERSION: Final = ", ".join(f"v.{name.strip()}" for name in VERSION_COLUMNS.split(","))
FROM_SEQ: Final = [name.strip() for name in VERSION_COLUMNS.split(",")].index("from_seq")


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its columns in the order that both sides agree on, and its key before them."""

    name: str
    columns: str
    source: str
    key: tuple[str, ...]
    places: tuple[int, ...]
    """Where the columns of the key stand."""
    record: str = ""
    """The column that names the record, for tables whose rows belong to one."""

    def key_of(self, row: Row) -> Key:
        """The key of a row."""
        return tuple(row[place] for place in self.places)

    def page(self, connection: Connection, after: Key | None, limit: int) -> list[Row]:
        """The next rows behind a key."""
        where, given = self._bound(">", after)
        sql = f"{self._select(connection)}{where} order by {self._order()} limit ?"
        return list(rows(connection, sql, (*given, limit)))

    def between(
        self, connection: Connection, after: Key | None = None, last: Key | None = None
    ) -> list[Row]:
        """The rows behind a key, or from the first one, up to another or to the end."""
        where, given = self._bound(">", after)
        until, more = self._bound("<=", last)
        both = where + (until.replace(" where", " and") if where else until)
        sql = f"{self._select(connection)}{both} order by {self._order()}"
        return list(rows(connection, sql, (*given, *more)))

    def of(self, connection: Connection, rids: Iterable[int]) -> list[Row]:
        """The rows of some records."""
        where = f" where {self.record} in (select cast(value as bigint) from json_each(?))"
        sql = f"{self._select(connection)}{where}"
        return list(rows(connection, sql, (json.dumps(list(rids)),)))

    def _select(self, connection: Connection) -> str:
        columns = self.columns.format(vector=connection.dialect.vector_body)
        return f"select {columns} from {self.source.format(vectors=connection.dialect.vectors)}"

    def _bound(self, sign: str, key: Key | None) -> tuple[str, Key]:
        if key is None:
            return "", ()
        marks = ", ".join("?" * len(key))
        return f" where ({self._order()}) {sign} ({marks})", key

    def _order(self) -> str:
        return ", ".join(self.key)


RECORD: Final = Table(
    "record",
    "r.rid, r.id, r.sid, r.scope, r.layer, r.key, r.created_at, r.head, r.length",
    "record r",
    ("r.rid",),
    (0,),
    "r.rid",
)
VERSION: Final = Table(
    "version",
    f"{_VERSION}, v.to_seq, r.sid",
    "version v join record r on r.rid = v.rid",
    ("v.vid",),
    (0,),
)
SEALED: Final = Table(
    "sealed",
    "z.rid, z.ref, z.kind, z.nonce, z.box",
    "sealed z",
    ("z.rid", "z.ref"),
    (0, 1),
    "z.rid",
)
WORD: Final = Table("word", "w.rowid, w.body", "word w", ("w.rowid",), (0,), "w.rowid")
VECTOR: Final = Table(
    "vector",
    "x.rid, x.space, r.sid, x.vid, {vector}",
    "{vectors}",
    ("x.rid", "x.space"),
    (0, 1),
    "x.rid",
)
RECEIPT: Final = Table(
    "receipt",
    "x.owner, x.key, x.request, x.tx, x.body",
    "receipt x",
    ("x.owner", "x.key"),
    (0, 1),
)
OF_RECORDS: Final = (RECORD, VERSION, SEALED, WORD, VECTOR)
"""What belongs to a record, the record itself first."""
PAGED: Final = (*OF_RECORDS, RECEIPT)

_LINE: Final = (
    "with recursive line (vid, prev) as (select v.vid, v.prev from record r"
    " join version v on v.vid = r.head where r.id in (select value from json_each(?)) union all"
    " select v.vid, v.prev from line join version v on v.vid = line.prev"
    " where line.prev < line.vid)"
)
_VERSIONS: Final = (
    f"{_LINE} select {_VERSION}, v.to_seq, r.sid from version v join record r on r.rid = v.rid"
    " where v.vid in (select vid from line)"
)
DROP_VERSIONS: Final = f"{_LINE} delete from version where vid in (select vid from line)"


def versions_of(connection: Connection, ids: Iterable[str]) -> list[Row]:
    """The kept versions of some records, as rows of `VERSION`."""
    return list(rows(connection, _VERSIONS, (json.dumps(list(ids)),)))


def rid_of(table: Table, row: Row) -> int:
    """The number of the record that a row belongs to."""
    return int(row[1 if table is VERSION else 0])
