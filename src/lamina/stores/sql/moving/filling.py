"""The long part of a move: everything as it was when it began, page by page.

A page and the mark behind it are one commit, so whoever was killed goes on where the mark is.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from lamina.stores.sql.driver import Connection, Row, one, rows
from lamina.stores.sql.moving import marks
from lamina.stores.sql.moving.ends import End
from lamina.stores.sql.moving.marks import Position
from lamina.stores.sql.moving.tables import FROM_SEQ, PAGED, VERSION, Key, Table

_PAGE: Final = 1000
_EVENT_PAGE: Final = 4000
_EVENTS: Final = (
    "select sid, seq, tx, record, rev, action, actor, surface, at, digest, hash from event"
    " where sid = ? and seq > ? and seq <= ? order by seq limit ?"
)
_ADD_EVENT: Final = "insert into event values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_HAVE: Final = "select sid, max(seq) from event group by sid"
EVENT: Final = Table("event", "", "event", ("sid", "seq"), (0, 1))
Tell = Callable[[int], None]


def fill(source: End, target: End, tell: Tell) -> None:
    """Copy what is not there yet of everything up to the noted position; tell of rows."""
    begun = marks.position(target.store.settings())
    for table in PAGED:
        _fill_table(source, target, table, begun, tell)
    # Nothing ever changes an event, so it needs no mark: what is there is the mark.
    for sid, last in begun.items():
        _fill_events(source, target, (sid, last), tell)


def events(connection: Connection, target: End, upto: Position) -> int:
    """Copy the events that are missing up to a position, and return how many."""
    with target.read() as there:
        have: dict[int, int] = dict(rows(there, _HAVE))
    copied = 0
    for sid, last in upto.items():
        after = have.get(sid, 0)
        while found := list(rows(connection, _EVENTS, (sid, after, last, _EVENT_PAGE))):
            _add_events(target, found)
            after = found[-1][1]
            copied += len(found)
    return copied


def _fill_table(source: End, target: End, table: Table, begun: Position, tell: Tell) -> None:
    mark = marks.page(target.store.settings(), table.name)
    if mark == marks.DONE:
        tell(_number(source, table.name))
        return
    last = mark if isinstance(mark, tuple) else None
    while True:
        with source.read() as connection:
            page = table.page(connection, last, _PAGE)
        # What is newer belongs to records that are copied again, whole. To leave it out keeps two
        # versions from claiming one slot.
        wanted = [row for row in page if table is not VERSION or not _is_newer(row, begun)]
        last = table.key_of(page[-1]) if page else None
        page_of = partial(_add_page, target, table, source.neutral(table, wanted), last)
        target.write(page_of)
        tell(len(page))
        if last is None:
            return


def _add_page(
    target: End, table: Table, found: list[Row], last: Key | None, connection: Connection
) -> None:
    if found:
        target.add(connection, table, found)
    marks.put_page(connection, table.name, last)


def _is_newer(row: Row, begun: Position) -> bool:
    return bool(row[FROM_SEQ] > begun.get(row[-1], 0))


def _number(source: End, table: str) -> int:
    with source.read() as connection:
        return int(one(connection, f"select count(*) from {table}"))


def _fill_events(source: End, target: End, span: tuple[int, int], tell: Tell) -> None:
    sid, last = span
    with target.read() as there:
        after = one(there, "select max(seq) from event where sid = ?", (sid,)) or 0
    tell(after)
    while True:
        with source.read() as connection:
            found = list(rows(connection, _EVENTS, (sid, after, last, _EVENT_PAGE)))
        if not found:
            return
        _add_events(target, found)
        after = found[-1][1]
        tell(len(found))


def _add_events(target: End, found: list[Row]) -> None:
    target.write(lambda connection: target.add(connection, EVENT, found))
