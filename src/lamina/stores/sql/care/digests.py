"""Content: every version still says what its event recorded, and holds the slot that follows."""

import json
from collections.abc import Iterator
from typing import Any, Final

from lamina.core import chain
from lamina.core.instants import to_text
from lamina.core.layers import LAYERS, place_of
from lamina.core.record import Record
from lamina.errors import StoreDamagedError
from lamina.stores.base import Finding
from lamina.stores.sql.care.looking import LOG, Fix, Look, damaged, derived, unreadable
from lamina.stores.sql.driver import Value, rows
from lamina.stores.sql.rows import RECORD_COLUMNS, to_record, to_version_row

_PAGE: Final = 500
_BEFORE_ALL: Final = -(2**63)
IDS: Final = "select vid from version not indexed where vid > ? order by vid limit ?"
_IDS_WITHIN: Final = (
    "select v.vid from version v not indexed join record r not indexed on r.rid = v.rid"
    " where v.vid > ? and r.sid in (select cast(value as bigint) from json_each(?))"
    " order by v.vid limit ?"
)
CONTENT: Final = (
    f"select v.vid, r.head, v.place, v.salt, e.record, e.digest, {RECORD_COLUMNS}"
    " from version v not indexed join record r not indexed on r.rid = v.rid"
    " left join event e on e.sid = r.sid and e.seq = v.from_seq"
    " where v.vid between ? and ? order by v.vid"
)
_WITH_KIND: Final = ", ".join(f"'{one.name}'" for one in LAYERS.values() if one.key_includes_kind)
TWINS: Final = (
    "select r.key, string_agg(r.id, ', ') from record r not indexed"
    " join version v not indexed on v.vid = r.head where v.state = 'current' and r.key is not null"
    f" group by r.scope, r.layer, r.key, case when r.layer in ({_WITH_KIND}) then v.kind end"
    " having count(*) > 1"
)
_FREE: Final = "update version set place = null where vid = ?"
_PLACE: Final = (
    "update version set place = ?1 where vid = ?2"
    " and not exists (select 1 from version w where w.place = ?1)"
)


def digests(look: Look) -> Iterator[Finding]:
    """Every version that is not what was written, or does not hold the slot that is its own."""
    for vid, row in _content(look):
        try:
            record = to_record(row[6:])
            wrong = _wrong(record, row)
        except unreadable(look.connection):
            yield damaged("digests", f"version {vid} cannot be read")
            continue
        if wrong:
            yield damaged("digests", f"record {record.id} rev {record.rev} {wrong}", LOG)
        elif row[2] != _place(record, row):
            what = f"record {record.id} rev {record.rev} is noted in a wrong slot, or in none"
            yield derived("digests", what)


def twins(look: Look) -> Iterator[Finding]:
    """Keys that more than one current record holds, which no write lets happen."""
    for key, ids in look.each(TWINS):
        what = f"the key {key!r:.60} stands for more than one record: {ids:.200}"
        yield damaged("slots", what, "all of them", "Forget all but one: `lamina forget ID`")


def freed(look: Look) -> Iterator[Fix]:
    """Slots that are not held by whoever has noted them.

    They go before others are noted: in between, two versions would hold the same one.
    """
    for record, row in _readable(look):
        if row[2] not in (None, _place(record, row)):
            yield Fix(f"record {record.id}: its slot", _FREE, (row[0],))


def held(look: Look) -> Iterator[Fix]:
    """Slots that are held and not noted."""
    for record, row in _readable(look):
        place = _place(record, row)
        if row[2] != place:
            yield Fix(f"record {record.id}: its slot", _PLACE, (place, row[0]))


def _readable(look: Look) -> Iterator[tuple[Record, tuple[Any, ...]]]:
    return ((to_record(row[6:]), row) for _, row in _content(look))


def _place(record: Record, row: tuple[Any, ...]) -> str | None:
    """The slot that a version holds: only the newest has one."""
    return place_of(record) if row[0] == row[1] else None


def _wrong(record: Record, row: tuple[Any, ...]) -> str | None:
    _, _, _, salt, announced, recorded, *columns = row
    if announced != record.id or chain.digest(record, salt) != recorded.hex():
        return "is not what was written"
    form: tuple[Value, ...] = (to_text(record.created_at), *to_version_row(record)[1:])
    if form != (columns[4], *columns[6:]):
        return "is stored in another form than it was written in"
    return None


def _content(look: Look) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Each version with its content; with nothing where that cannot be read."""
    last = _BEFORE_ALL
    while page := list(_next_ids(look, last)):
        if [last, *page] != sorted({last, *page}):
            # To go on from here would come by the same rows for ever.
            raise StoreDamagedError("its rows are out of order")
        try:
            found = list(look.each(CONTENT, (page[0], page[-1])))
        except unreadable(look.connection):
            found = [row for vid in page for row in _alone(look, vid)]
        wanted = frozenset(page)
        yield from ((row[0], row) for row in found if row[0] in wanted)
        last = page[-1]


def _next_ids(look: Look, last: int) -> Iterator[int]:
    if look.sids is None:
        found = rows(look.connection, IDS, (last, _PAGE))
    else:
        within = json.dumps(sorted(look.sids))
        found = rows(look.connection, _IDS_WITHIN, (last, within, _PAGE))
    return (vid for (vid,) in found)


def _alone(look: Look, vid: int) -> list[tuple[Any, ...]]:
    try:
        return list(look.each(CONTENT, (vid, vid)))
    except unreadable(look.connection):
        return [(vid,)]
