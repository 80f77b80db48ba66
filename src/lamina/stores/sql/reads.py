"""Questions put to one connection: records by id, slot or filter."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from lamina.core import canonical
from lamina.core.access import Reach
from lamina.core.filters import Filter
from lamina.core.ids import RecordId
from lamina.core.instants import from_text
from lamina.core.record import Record
from lamina.core.sealed import Sealed
from lamina.stores.questions import Lot, Query
from lamina.stores.sql.driver import ALL, Asked, Connection, Row, Value, each, one, rows
from lamina.stores.sql.past import NEWEST, source
from lamina.stores.sql.predicates import column, everything
from lamina.stores.sql.rows import RECORD_COLUMNS, to_record

SETTINGS: Final[Asked] = ("select * from setting", ())
_PAGE: Final = 500
_BY_ID: Final = f"select {RECORD_COLUMNS} from {NEWEST} where r.id = ?"
_BY_IDS: Final = (
    f"select {RECORD_COLUMNS} from {NEWEST} where r.id in (select value from json_each(?))"
)
_BY_PLACE: Final = (
    f"select {RECORD_COLUMNS} from version v join record r on r.rid = v.rid where v.place"
)

_IN_TABLE_ORDER: Final = "record r not indexed cross join version v on v.vid = r.head"
"""For who wants to know of most records: led by the index on scopes, each of them is looked up in
another place of the file, and that takes five times as long."""
_SHARE: Final = (
    "select sum(documents), sum(case when name in (select value from json_each(?))"
    " then documents end) from stream"
)
_MUCH: Final = 8
"""From one in so many on, it is faster to read them all."""
_WALKED: Final = {
    None: _IN_TABLE_ORDER,
    "id": "record r indexed by sqlite_autoindex_record_1 cross join version v on v.vid = r.head",
}
"""For who wants the newest of many: by the index on scopes all of them are looked up and sorted,
and here the walk ends with the last that is wanted."""
_NULLABLE: Final = ("key", "valid_from", "expires_at", "supersedes")
_NULLS: Final = {True: "desc nulls last", False: "asc nulls first"}
"""What is absent is less than anything."""
_COMMON: Final = 32
"""From one in so many on, the next one is met soon enough."""
_SMALL: Final = 2_000
"""Among so few no way is long."""
_SAID: Final = "old.text || '\n' || coalesce(r.key, '') || '\n' || old.data || '\n' || old.tags"
_FEW_TEXTS: Final = 4
_LONG_SECONDS: Final = 3600.0
"""For a look at every version there is."""
_COUNTING_SECONDS: Final = 30.0
"""For a look at every record there is, which millions take longer than somebody else's turn."""
_FEW: Final = 200
"""Who wants so few asks often, and is better off without a question before the question."""


def record(connection: Connection, record_id: RecordId) -> Record | None:
    """The newest version of a record, whoever may see it."""
    return _first(connection, _BY_ID, (record_id,))


def by_ids(ids: Sequence[RecordId]) -> Asked:
    """Asks for the newest versions of some records, whoever may see them, in any order."""
    if len(ids) == 1:
        return _BY_ID, (ids[0],)
    return _BY_IDS, (canonical.dumps(list(ids)),)


def by_places(places: Sequence[str]) -> Asked:
    """Asks for the current records in some slots, whoever may see them, in any order."""
    if len(places) == 1:
        return f"{_BY_PLACE} = ?", (places[0],)
    return f"{_BY_PLACE} in (select value from json_each(?))", (canonical.dumps(list(places)),)


def get(
    connection: Connection,
    reach: Reach,
    ids: Sequence[RecordId],
    as_of: Mapping[str, int] | None = None,
) -> list[Record]:
    """The records found within reach, in the order asked for."""
    within = everything(reach, Filter(), None)
    moment, records = source(connection.dialect, as_of)
    sql = f"{moment.sql}select {RECORD_COLUMNS} from {records} where r.id = ? and {within.sql}"
    found = (
        _first(connection, sql, (*moment.parameters, record_id, *within.parameters))
        for record_id in ids
    )
    return [one_record for one_record in found if one_record is not None]


def find(connection: Connection, reach: Reach, place: str) -> Record | None:
    """The current record in a slot, within reach."""
    within = everything(reach, Filter(), None)
    return _first(connection, f"{_BY_PLACE} = ? and {within.sql}", (place, *within.parameters))


def query(connection: Connection, wanted: Query) -> list[Record]:
    """The records that match, in order."""
    field, descending = wanted.order_by
    where = everything(wanted.reach, wanted.where, wanted.live_at)
    direction = "desc" if descending else "asc"
    order = f"r.rid {direction}" if field is None else f"{column(field)} {direction}, r.rid desc"
    if field in _NULLABLE:
        order = order.replace(direction, _NULLS[descending], 1)
    moment, records = source(connection.dialect, wanted.as_of, wanted.where)
    is_page = records == NEWEST and field in _WALKED and (wanted.limit or 0) > _FEW
    if is_page and _is_common(connection, wanted):
        records = _WALKED[field]
    sql = (
        f"{moment.sql}select {RECORD_COLUMNS} from {records} where {where.sql}"
        f" order by {order} limit ?"
    )
    limit = ALL if wanted.limit is None else wanted.limit
    every = (*moment.parameters, *where.parameters, limit)
    return [to_record(row) for row in rows(connection, sql, every)]


def page(connection: Connection, reach: Reach, stream: str, after: int) -> list[tuple[int, Record]]:
    """The next records of a stream in the order of creation, each with its place in it."""
    where = everything(reach, Filter(), None)
    sql = (
        f"select r.rid, {RECORD_COLUMNS} from {NEWEST}"
        " where r.sid = (select sid from stream where name = ?)"
        f" and r.rid > ? and {where.sql} order by r.rid limit ?"
    )
    found = rows(connection, sql, (stream, after, *where.parameters, _PAGE))
    return [(row[0], to_record(row[1:])) for row in found]


def saying(connection: Connection, reach: Reach, texts: Sequence[str]) -> list[RecordId]:
    """Records of which any kept version holds one of these texts."""
    where = everything(reach, Filter(), None)
    needles = sorted({*texts, *map(canonical.inner, texts)})
    if not needles:
        return []
    # The database looks for a few by itself; for many it would take longer than we do.
    few = needles if len(needles) <= _FEW_TEXTS else []
    holds = " or ".join([f"instr({_SAID}, ?) > 0"] * len(few)) or "true"
    sql = (
        f"select r.id, {_SAID} from version old join record r on r.rid = old.rid"
        f" join version v on v.vid = r.head where {where.sql} and ({holds}) order by r.rid"
    )
    with connection.dialect.patiently(connection, _LONG_SECONDS):
        found = each(connection, sql, (*where.parameters, *few))
        held = (record_id for record_id, said in found if any(one in said for one in needles))
        return list(dict.fromkeys(held))


def count(connection: Connection, wanted: Query) -> int:
    """How many records match."""
    where = everything(wanted.reach, wanted.where, wanted.live_at)
    moment, records = source(connection.dialect, wanted.as_of, wanted.where)
    if records == NEWEST and _is_common(connection, wanted):
        records = _IN_TABLE_ORDER
    sql = f"{moment.sql}select count(*) from {records} where {where.sql}"
    with connection.dialect.patiently(connection, _COUNTING_SECONDS):
        return int(one(connection, sql, (*moment.parameters, *where.parameters)) or 0)


def census(connection: Connection, wanted: Query) -> list[Lot]:
    """How many records match, and their tokens, by scope, layer and state."""
    where = everything(wanted.reach, wanted.where, wanted.live_at)
    moment, records = source(connection.dialect, wanted.as_of, wanted.where)
    if records == NEWEST and _is_much(connection, wanted.reach):
        records = _IN_TABLE_ORDER
    sql = (
        f"{moment.sql}select r.scope, r.layer, v.state, count(*), sum(v.tokens) from {records}"
        f" where {where.sql} group by 1, 2, 3 order by 1, 2, 3"
    )
    every = (*moment.parameters, *where.parameters)
    with connection.dialect.patiently(connection, _COUNTING_SECONDS):
        return [Lot(*row) for row in rows(connection, sql, every)]


def _is_much(connection: Connection, reach: Reach) -> bool:
    """Whether a good part of all records may lie within reach, by what was counted already."""
    streams = reach.streams()
    if streams is None or not connection.dialect.takes_hints:
        return True
    [(everywhere, here)] = rows(connection, _SHARE, (canonical.dumps(sorted(streams)),))
    return _MUCH * (here or 0) >= (everywhere or 0)


def _is_common(connection: Connection, wanted: Query) -> bool:
    """Whether a reach holds a good part of all records, by scope and layer alone."""
    if wanted.reach.streams() is None or not connection.dialect.takes_hints:
        return False
    newest = int(one(connection, "select max(rid) from record") or 0)
    if newest < _SMALL:
        return False
    of_place = tuple(it for it in wanted.where.conditions if it.field in ("layer", "scope"))
    where = everything(wanted.reach, Filter(of_place), None)
    enough = newest // _COMMON
    sql = f"select count(*) from (select 1 from record r where {where.sql} limit ?)"
    return int(one(connection, sql, (*where.parameters, enough)) or 0) >= enough


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
    return chosen(rows(connection, *SETTINGS))


def chosen(found: Iterable[Row]) -> dict[str, str]:
    """Settings by name."""
    return {str(name): str(value) for name, value in found}


def _first(connection: Connection, sql: str, parameters: tuple[Value, ...]) -> Record | None:
    for row in rows(connection, sql, parameters):
        return to_record(row)
    return None
