"""Vectors: each made of a version that there is, as long as its space says, and undamaged."""

import re
from collections.abc import Iterator
from typing import Any, Final

from lamina.stores.base import Finding
from lamina.stores.sql.care.looking import Look, derived
from lamina.stores.sql.driver import one, rows
from lamina.stores.sqlite.driver import Connection
from lamina.stores.sqlite.vectors import checksum

_BODIES: Final = (
    "select x.n, x.space, x.rid, x.vid, cast(x.body as blob), x.sum, s.dimensions, x.vid <= r.head"
    " from vector x not indexed left join space s on s.space = x.space"
    " left join record r not indexed on r.rid = x.rid"
)
_SKIPPED: Final = (
    "select count(*) from space s join record r not indexed on r.length > 0 and r.head <= s.mark"
    " where not exists (select 1 from vector x where x.rid = r.rid and x.space = s.space"
    " and x.vid = r.head)"
)
_SENSIBLE: Final = (
    "space > 0 and typeof(fingerprint) = 'text' and fingerprint <> ''"
    " and typeof(dimensions) = 'integer' and dimensions >= 0 and typeof(mark) = 'integer'"
    " and typeof(made) = 'integer' and made >= 0"
)
_AHEAD: Final = (
    "select count(*) from space where mark > (select ifnull(max(vid), 0) from version)"
    f" or not ({_SENSIBLE})"
)
_UNSIZED: Final = (
    "from space where dimensions > 0 and not exists (select 1 from vector x"
    " where x.space = space.space and x.body is not null)"
)
_LAST: Final = "select ifnull(max(n), 0) from vector"
_MADE: Final = "select ifnull(max(made), 0) from space where typeof(made) = 'integer'"
_NO_NUMBER: Final = re.compile(rb"[\x7c-\x7f\xfc-\xff]")
"""The upper half of a 16-bit float that is infinite, or none at all."""


def vectors(look: Look) -> Iterator[Finding]:
    """Vectors that are not what was made, and records that would never get one."""
    if wrong := sum(1 for _ in _wrong(look)):
        yield derived("vectors", f"vectors that are damaged or belong to nothing: {wrong}")
    if skipped := one(look.connection, _SKIPPED):
        yield derived("vectors", f"records that were taken to have a vector: {skipped}")
    if one(look.connection, _AHEAD):
        yield derived("vectors", "a space is further than the records are")
    if one(look.connection, _LAST) > one(look.connection, _MADE):
        yield derived("vectors", "vectors would be numbered twice")


def mend(connection: Connection, look: Look) -> Iterator[str]:
    """Drop what is wrong; it is pending then, and made again."""
    last = max(one(connection, _LAST), one(connection, _MADE))
    wrong = list(_wrong(look))
    for number in wrong:
        connection.execute("delete from vector where n = ?", (number,))
    if wrong:
        yield f"vectors that were damaged are made again: {len(wrong)}"
    senseless = f"from space where not ({_SENSIBLE})"
    connection.execute(f"delete from vector where space in (select space {senseless})")
    connection.execute(f"delete {senseless}")
    # No number is given out twice, whichever of the spaces had said so.
    connection.execute("update space set made = ?", (last,))
    connection.execute(f"update space set dimensions = 0 where space in (select space {_UNSIZED})")


def _wrong(look: Look) -> Iterator[int]:
    for n, space, rid, vid, body, checked, dimensions, is_past in rows(look.connection, _BODIES):
        is_whole = body is None or (isinstance(body, bytes) and _is_vector(body, dimensions))
        if not (is_whole and is_past and checksum((space, rid, vid), body) == checked):
            yield n


def _is_vector(body: bytes, dimensions: Any) -> bool:
    return len(body) == 2 * (dimensions or -1) and not _NO_NUMBER.search(body[1::2])
