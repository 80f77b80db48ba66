"""Questions put to one connection: records by id, slot or filter."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from lamina.core import canonical
from lamina.core.access import Reach
from lamina.core.filters import Filter
from lamina.core.ids import RecordId
from lamina.core.instants import from_text
from lamina.core.record import Record
from lamina.core.sealed import Sealed
from lamina.stores.questions import Query
from lamina.stores.sqlite.driver import Connection, Value, one, rows
from lamina.stores.sqlite.past import NEWEST, source
from lamina.stores.sqlite.predicates import column, everything
from lamina.stores.sqlite.rows import RECORD_COLUMNS, to_record

_PAGE: Final = 500
_BY_ID: Final = f"select {RECORD_COLUMNS} from {NEWEST} where r.id = ?"
_BY_PLACE: Final = (
    f"select {RECORD_COLUMNS} from version v join record r on r.rid = v.rid where v.place = ?"
)


def record(connection: Connection, record_id: RecordId) -> Record | None:
    """The newest version of a record, whoever may see it."""
    return _first(connection, _BY_ID, (record_id,))


def holder(connection: Connection, place: str) -> Record | None:
    """The current record in a slot, whoever may see it."""
    return _first(connection, _BY_PLACE, (place,))


def get(
    connection: Connection,
    reach: Reach,
    ids: Sequence[RecordId],
    as_of: Mapping[str, int] | None = None,
) -> list[Record]:
    """The records found within reach, in the order asked for."""
    within = everything(reach, Filter(), None)
    moment, records = source(as_of)
    sql = f"{moment.sql}select {RECORD_COLUMNS} from {records} where r.id = ? and {within.sql}"
    found = (
        _first(connection, sql, (*moment.parameters, record_id, *within.parameters))
        for record_id in ids
    )
    return [one_record for one_record in found if one_record is not None]


def find(connection: Connection, reach: Reach, place: str) -> Record | None:
    """The current record in a slot, within reach."""
    within = everything(reach, Filter(), None)
    return _first(connection, f"{_BY_PLACE} and {within.sql}", (place, *within.parameters))


def query(connection: Connection, wanted: Query) -> list[Record]:
    """The records that match, in order."""
    field, descending = wanted.order_by
    where = everything(wanted.reach, wanted.where, wanted.live_at)
    direction = "desc" if descending else "asc"
    order = f"r.rid {direction}" if field is None else f"{column(field)} {direction}, r.rid desc"
    moment, records = source(wanted.as_of, wanted.where)
    sql = (
        f"{moment.sql}select {RECORD_COLUMNS} from {records} where {where.sql}"
        f" order by {order} limit ?"
    )
    limit = -1 if wanted.limit is None else wanted.limit
    every = (*moment.parameters, *where.parameters, limit)
    return [to_record(row) for row in rows(connection, sql, every)]


def page(connection: Connection, reach: Reach, stream: str, after: int) -> list[tuple[int, Record]]:
    """The next records of a stream in the order of creation, each with its place in it."""
    where = everything(reach, Filter(), None)
    sql = (
        f"select r.rid, {RECORD_COLUMNS} from {NEWEST} join stream s on s.sid = r.sid"
        f" where s.name = ? and r.rid > ? and {where.sql} order by r.rid limit ?"
    )
    found = rows(connection, sql, (stream, after, *where.parameters, _PAGE))
    return [(row[0], to_record(row[1:])) for row in found]


def saying(connection: Connection, reach: Reach, texts: Sequence[str]) -> list[RecordId]:
    """Records of which any kept version holds one of these texts."""
    where = everything(reach, Filter(), None)
    sql = (
        "select r.id, old.text || char(10) || ifnull(r.key, '') || char(10) || old.data"
        " || char(10) || old.tags from version old join record r on r.rid = old.rid"
        f" join version v on v.vid = r.head where {where.sql} order by r.rid"
    )
    needles = {*texts, *map(canonical.inner, texts)}
    found = rows(connection, sql, where.parameters)
    held = (record_id for record_id, said in found if any(needle in said for needle in needles))
    return list(dict.fromkeys(held))


def count(connection: Connection, wanted: Query) -> int:
    """How many records match."""
    where = everything(wanted.reach, wanted.where, wanted.live_at)
    moment, records = source(wanted.as_of, wanted.where)
    sql = f"{moment.sql}select count(*) from {records} where {where.sql}"
    return int(one(connection, sql, (*moment.parameters, *where.parameters)) or 0)


def streams(connection: Connection) -> list[str]:
    """The names of all streams."""
    return [str(row[0]) for row in rows(connection, "select name from stream order by name")]


def newest_instant(connection: Connection) -> datetime | None:
    """When the newest event of any stream happened."""
    at = one(connection, "select max(at) from stream")
    return None if at is None else from_text(at)


def sealed(connection: Connection, record_id: RecordId) -> list[Sealed]:
    """The sealed values of a record."""
    sql = (
        "select z.ref, z.kind, z.nonce, z.box from sealed z join record r on r.rid = z.rid"
        " where r.id = ? order by z.ref"
    )
    return [Sealed(*row) for row in rows(connection, sql, (record_id,))]


def settings(connection: Connection) -> dict[str, str]:
    """The settings chosen for this store."""
    return {str(name): str(value) for name, value in rows(connection, "select * from setting")}


def _first(connection: Connection, sql: str, parameters: tuple[Value, ...]) -> Record | None:
    for row in rows(connection, sql, parameters):
        return to_record(row)
    return None
