"""Notices in their table: bounded, outside the log, emptied by every erase.

Row 0 is no notice. It says which erase was the last: what was collected before an erase must not
come in after it.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from lamina import clock
from lamina.core import canonical
from lamina.core.announcements import (
    MOST_NOTICES,
    Audience,
    Noted,
    Notice,
    from_body,
    micros,
    to_body,
)
from lamina.core.instants import check_instant, to_text
from lamina.errors import LaminaError
from lamina.stores.sql.driver import Connection, one, rows
from lamina.stores.sql.formats import check_still_writable

_BOUND: Final = 10**18
"""No notice has such a number: they are times in microseconds, and calendars end before it."""
_LAST: Final = f"select max(tid) from telemetry where tid < {_BOUND}"
_ERASED: Final = "select body from telemetry where tid = 0"
_ADD: Final = "insert into telemetry values (?, ?, ?, ?, ?, ?, ?)"
_THERE: Final = "select id from record where id in (select value from json_each(?))"
_TOO_OLD: Final = (
    "delete from telemetry where tid > 0 and tid <="
    f" (select tid from telemetry where tid > 0 and tid < {_BOUND}"
    " order by tid desc limit 1 offset ?)"
)
_NEXT: Final = (
    "select tid, at, kind, actor, scope, layer, body from telemetry"
    f" where tid > ? and tid < {_BOUND} order by tid limit ?"
)


def last_erase(connection: Connection) -> int:
    """A number that differs after every erase."""
    said = str(one(connection, _ERASED) or 0)
    return int(said) if said.isdecimal() and len(said) < len(str(_BOUND)) else 0


def clear(connection: Connection) -> None:
    """Take all notices away; the numbers go on where they were."""
    # In one transaction with the erase: a query may quote what is gone now.
    connection.dialect.meet_erases(connection, True)
    erase = max(one(connection, _LAST) or 0, last_erase(connection)) + 1
    connection.execute("delete from telemetry")
    connection.execute(_ADD, (0, "", "erase", "", "", "", str(erase)))


def write(connection: Connection, notices: Sequence[Notice], since: int) -> None:
    """Add what was collected since an erase, unless there was another one meanwhile."""
    check_still_writable(connection)
    connection.dialect.meet_erases(connection, False)
    erase = last_erase(connection)
    if erase != since:
        return
    first = max((one(connection, _LAST) or 0) + 1, erase, micros(clock.now()))
    for number, notice in enumerate(_of_what_is_there(connection, notices), start=first):
        connection.execute(_ADD, (number, *_to_row(notice)))
    connection.execute(_TOO_OLD, (MOST_NOTICES,))


def write_along(connection: Connection, notices: Sequence[Notice], since: int) -> None:
    """Add notices to the transaction of a commit, which does not fail because they cannot be."""
    connection.execute("savepoint notices")
    try:
        write(connection, notices, since)
    except connection.dialect.error:
        if not connection.in_transaction:
            raise
        connection.execute("rollback to notices")
    connection.execute("release notices")


def noted(connection: Connection, audience: Audience, after: int, limit: int) -> Noted:
    """The next notices, as far as the audience hears them."""
    found = list(rows(connection, _NEXT, (after, limit)))
    notices = (_heard(audience, *row) for row in found)
    heard = tuple(notice for notice in notices if notice is not None)
    return Noted(heard, found[-1][0] if found else after)


def _of_what_is_there(connection: Connection, notices: Sequence[Notice]) -> Iterator[Notice]:
    """Whoever read just before an erase may tell of it just after; such notices are dropped."""
    wanted = canonical.dumps([one for notice in notices for one in notice.records])
    there = {found for (found,) in rows(connection, _THERE, (wanted,))}
    return (notice for notice in notices if there.issuperset(notice.records))


def _to_row(notice: Notice) -> tuple[str, ...]:
    said = notice.said
    return to_text(said.at), said.name, said.actor, notice.scope, notice.layer, to_body(notice)


def _heard(audience: Audience, number: int, *row: str) -> Notice | None:
    """What a row says to the audience; what cannot be read is as good as not there."""
    try:
        notice = _to_notice(number, *row)
        return notice if audience.hears(notice) else None
    except (ValueError, TypeError, KeyError, AttributeError, LaminaError):
        return None


def _to_notice(number: int, *row: str) -> Notice:
    at, name, actor, scope, layer, body = row
    said, (by, root, records) = from_body(name, check_instant(at, "at"), actor, body)
    return Notice(
        said=said, by=by, root=root, scope=scope, layer=layer, records=records, number=number
    )
