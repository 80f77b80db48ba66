"""Vectors: each made of a version that there is, as long as its space says, and undamaged."""

from collections.abc import Iterator
from typing import Final

from lamina.stores.base import Finding
from lamina.stores.sqlite.care.looking import Look, derived
from lamina.stores.sqlite.driver import Connection, one, rows
from lamina.stores.sqlite.vectors import checksum

_BODIES: Final = (
    "select x.n, x.body, x.sum, s.dimensions, r.rid, x.vid <= r.head"
    " from vector x not indexed left join space s on s.space = x.space"
    " left join record r not indexed on r.rid = x.rid"
)
_SKIPPED: Final = (
    "select count(*) from space s join record r not indexed on r.length > 0 and r.head <= s.mark"
    " where not exists (select 1 from vector x where x.rid = r.rid and x.space = s.space"
    " and x.vid = r.head)"
)
_AHEAD: Final = (
    "select count(*) from space where mark > (select ifnull(max(vid), 0) from version)"
    " or dimensions < 0"
)
_LAST: Final = "select ifnull(max(n), 0) from vector"


def vectors(look: Look) -> Iterator[Finding]:
    """Vectors that are not what was made, and records that would never get one."""
    if wrong := list(_wrong(look)):
        yield derived("vectors", f"vectors that are damaged or belong to nothing: {len(wrong)}")
    if skipped := one(look.connection, _SKIPPED):
        yield derived("vectors", f"records that were taken to have a vector: {skipped}")
    if one(look.connection, _AHEAD):
        yield derived("vectors", "a space is further than the records are")
    made = one(look.connection, "select max(made) from space") or 0
    if one(look.connection, _LAST) > made:
        yield derived("vectors", "vectors would be numbered twice")


def mend(connection: Connection, look: Look) -> Iterator[str]:
    """Drop what is wrong; it is pending then, and made again."""
    wrong = list(_wrong(look))
    for number in wrong:
        connection.execute("delete from vector where n = ?", (number,))
    if wrong:
        yield f"vectors that were damaged are made again: {len(wrong)}"
    last = one(connection, _LAST)
    connection.execute("delete from space where typeof(fingerprint) <> 'text' or fingerprint = ''")
    connection.execute("update space set made = max(made, ?)", (last,))


def _wrong(look: Look) -> Iterator[int]:
    for n, body, checked, dimensions, rid, is_past in rows(look.connection, _BODIES):
        fits = body is None or (isinstance(body, bytes) and len(body) == 2 * (dimensions or -1))
        if not (fits and rid is not None and is_past and checksum(body) == checked):
            yield n
