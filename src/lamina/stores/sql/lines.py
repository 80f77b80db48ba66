"""The line of a record's versions, from the newest back, and where it is cut off.

A version is always older than the one after it, and saying so ends the walk in a damaged file too.
"""

from typing import Final

from lamina.core.ids import RecordId
from lamina.stores.sql.driver import Connection

_LINE: Final = (
    "with recursive line (vid, age) as (select head, 0 from record where id = ?1 union all"
    " select v.prev, line.age + 1 from version v join line on v.vid = line.vid"
    " where v.prev < v.vid)"
)
_DROP: Final = f"{_LINE} delete from version where vid in (select vid from line where age > ?2)"
_END: Final = (
    f"{_LINE} update version set prev = null where vid = (select vid from line where age = ?2)"
)


def shorten(connection: Connection, record_id: RecordId, kept: int) -> int:
    """Drop all but so many versions before the newest, and return how many went."""
    connection.execute(_DROP, (record_id, kept))
    gone = connection.changes()
    if gone:
        connection.execute(_END, (record_id, kept))
    return gone


def drop(connection: Connection, record_id: RecordId) -> None:
    """Drop every version of a record."""
    connection.execute(_DROP, (record_id, -1))
