"""Catching up: the log says which records were touched, and each is copied again, whole.

All of it is read from one snapshot. Where this is interrupted, the position that it started from
still stands, and it is done once more.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

from lamina.stores.sql.driver import Connection, Indexed, Row, rows
from lamina.stores.sql.moving import marks
from lamina.stores.sql.moving.ends import End
from lamina.stores.sql.moving.filling import events
from lamina.stores.sql.moving.marks import Position
from lamina.stores.sql.moving.mirroring import STREAMS, mirror
from lamina.stores.sql.moving.tables import (
    DROP_VERSIONS,
    OF_RECORDS,
    VERSION,
    WORD,
    Table,
    versions_of,
)

_AT_ONCE: Final = 1000
_LISTED: Final = "(select cast(value as bigint) from json_each(?))"
_TOUCHED: Final = (
    "select distinct record from event where sid = ? and seq > ? and seq <= ? order by record"
)
_RIDS: Final = "select rid from record where id in (select value from json_each(?))"
_INDEXED: Final = f"select rowid from word where rowid in {_LISTED}"
_LOST_WORDS: Final = (
    "select rowid from word where not exists (select 1 from record where rid = word.rowid)"
)
_LOST: Final = tuple(
    f"delete from {name} where not exists (select 1 from record where record.rid = {name}.rid)"
    for name in ("version", "sealed", "vector")
)


def catch_up(connection: Connection, target: End, source: End, more: Collection[str] = ()) -> int:
    """Bring the target to the state that a connection to the source sees; how many were touched.

    `more` are records that are to be copied again, whatever the log says of them.
    """
    settings = target.store.settings()
    before, now = marks.position(settings), marks.heads(connection)
    touched = sorted({*_touched(connection, before, now), *more})
    is_first = marks.SWEPT not in settings
    # All go before the first comes: a slot, or a number, may have passed from one to another.
    for ids in _lots(touched):
        rids = [rid for (rid,) in rows(connection, _RIDS, (json.dumps(ids),))]
        target.write(partial(_drop, ids=ids, rids=rids, is_first=is_first))
    if is_first:
        target.write(_sweep)
    for ids in _lots(touched):
        found = [(table, source.neutral(table, rows)) for table, rows in _whole(connection, ids)]
        target.write(partial(_add, target, found))
    events(connection, target, now)
    mirror(connection, target, STREAMS)
    target.write(partial(marks.put_position, position=now))
    return len(touched)


def ids_of(source: End, target: End, rids: Collection[int]) -> set[str]:
    """The records that have these numbers at either end."""
    sql = f"select id from record where rid in {_LISTED}"
    found: set[str] = set()
    for end in (source, target):
        with end.read() as connection:
            found |= {str(one) for (one,) in rows(connection, sql, (json.dumps(sorted(rids)),))}
    return found


def _touched(connection: Connection, before: Position, now: Position) -> Iterator[str]:
    for sid, last in now.items():
        after = before.get(sid, 0)
        if last > after:
            yield from (str(one) for (one,) in rows(connection, _TOUCHED, (sid, after, last)))


def _drop(there: Connection, *, ids: Sequence[str], rids: Sequence[int], is_first: bool) -> None:
    """Take away what is there of some records, and of any that have their numbers."""
    named = json.dumps(ids)
    every = {*rids, *(rid for (rid,) in rows(there, _RIDS, (named,)))}
    listed = json.dumps(sorted(every))
    for (rid,) in list(rows(there, _INDEXED, (listed,))):
        there.dialect.drop_words(there, rid)
    if is_first:
        # Pages were read at different moments, so the line of versions may have gaps.
        there.execute(f"delete from version where rid in {_LISTED}", (listed,))
    else:
        there.execute(DROP_VERSIONS, (named,))
    for name in ("sealed", "vector", "record"):
        there.execute(f"delete from {name} where rid in {_LISTED}", (listed,))


def _sweep(there: Connection) -> None:
    """Take away what pages had brought of records that are gone, and note it."""
    for (rid,) in list(rows(there, _LOST_WORDS)):
        there.dialect.drop_words(there, rid)
    for sql in _LOST:
        there.execute(sql)
    marks.put(there, marks.SWEPT, "1")


def _whole(connection: Connection, ids: Sequence[str]) -> Iterator[tuple[Table, list[Row]]]:
    """What there is of some records, table by table."""
    rids = [rid for (rid,) in rows(connection, _RIDS, (json.dumps(ids),))]
    for table in OF_RECORDS:
        yield (
            table,
            versions_of(connection, ids) if table is VERSION else table.of(connection, rids),
        )


def _add(target: End, found: Sequence[tuple[Table, list[Row]]], there: Connection) -> None:
    for table, some in found:
        if table is WORD and some:
            # Not in bulk: these are counted one by one, as every write is.
            there.dialect.add_words(there, [_terms(*row) for row in some])
        elif some:
            target.add(there, table, some)


def _terms(rid: int, body: str) -> Indexed:
    sid = int(body.partition(":")[0])
    return sid, rid, [word.partition(":")[2] for word in body.split(" ")]


def _lots(ids: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(ids)
    while lot := list(islice(rest, _AT_ONCE)):
        yield lot
