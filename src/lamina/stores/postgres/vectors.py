"""Vectors in their table: what is pending, what was made, and of which version.

Nothing is written about a vector when a record is: in each stream, the versions behind a space's
mark are the ones to see to. A vector counts as long as the version that it was made of is the
newest.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lamina.core.access import Reach
from lamina.core.filters import Filter
from lamina.core.record import Record
from lamina.core.vectors import Embedded, Progress, check_dimensions, unpacked
from lamina.stores.sql.driver import ALL, Connection, one, rows
from lamina.stores.sql.predicates import everything
from lamina.stores.sql.rows import RECORD_COLUMNS, to_record

VALID: Final = "x.vid >= r.head and r.length > 0"
"""Whether a vector `x` is of the newest version of its record `r`, and wanted.

None is of a later one. Asked for by `=`, the server would expect a single such pair in the whole
table, and would rather compare all vectors than use a graph.
"""
_SPACE: Final = "select space, dimensions from space where fingerprint = ?"
_STREAMS: Final = "stream s left join space_mark m on m.space = ?1 and m.sid = s.sid"
# Not by `coalesce`: the server does not know that it tells nothing, and looks through all.
_MARKED: Final = "case when m.mark is null then 0 else m.mark end"
_WANTED: Final = (
    "version v join record r on r.rid = v.rid"
    # In the order of the index that has the stream before the number. Asked for by `v.sid = s.sid`,
    # the server would walk all numbers there are, as if each stream had some everywhere.
    f" where (v.sid, v.vid) > (s.sid, {_MARKED}) and (v.sid, v.vid) < (s.sid, {ALL})"
    " and v.vid >= r.head and r.length > 0"
    " and not exists (select 1 from vector x where x.rid = r.rid and x.space = ?1"
    " and x.vid = v.vid)"
)
"""What a stream `s` has behind its mark `m`. To ask each stream for the first few keeps the price
from growing with all that waits."""
_PENDING: Final = (
    f"select w.* from {_STREAMS}, lateral (select {RECORD_COLUMNS}, v.vid from {_WANTED}"
    " order by v.sid, v.vid limit ?2) w order by w.vid limit ?2"
)
_FEW: Final = 500
"""Of each stream so many of the newest that wait are looked at: enough to tell few from many."""
_NEWEST: Final = (
    f"select 1 from {_STREAMS}, lateral (select r.scope, r.layer from {_WANTED}"
    f" order by v.sid desc, v.vid desc limit {_FEW}) r"
)
_COUNT_FEW: Final = f"select count(*) from ({_NEWEST}) w"
_COUNT_PENDING: Final = f"select count(*) from {_STREAMS}, lateral (select 1 from {_WANTED}) w"
_COUNTING_SECONDS: Final = 60.0
"""For a look at every vector there is, or is to be."""
_COUNTED: Final = (
    "select count(x.body), count(*) - count(x.body) from vector x join record r on r.rid = x.rid"
    " join stream s on s.sid = x.sid and s.home = x.home"
    f" where x.space = ? and {VALID}"
)
_HEADS: Final = (
    "select r.id, v.rev, r.rid, r.sid, r.head, s.home, s.also from record r"
    " join stream s on s.sid = r.sid join version v on v.vid = r.head and v.sid = r.sid"
    " where r.id in (select value from json_each(?)) and r.length > 0"
    # Else a record could be erased meanwhile, and what was made of it would come in behind that.
    " order by r.rid for share of r"
)
_ADD: Final = (
    "insert into vector (space, rid, sid, vid, body, home)"
    " values (?, ?, ?, ?, cast(? as halfvec), ?)"
    " on conflict (rid, space, home) do update set vid = excluded.vid, body = excluded.body"
)
_BEGIN: Final = (
    "insert into space (fingerprint, dimensions) values (?, ?)"
    " on conflict (fingerprint) do update set dimensions = case when space.dimensions = 0"
    " then excluded.dimensions else space.dimensions end returning space, dimensions"
)
_SEEN_TO: Final = (
    "insert into space_mark (space, sid, mark) select ?1, s.sid, coalesce(w.vid - 1,"
    " (select x.vid from version x where (x.sid, x.vid) > (s.sid, 0)"
    f" and (x.sid, x.vid) < (s.sid, {ALL}) order by x.sid desc, x.vid desc limit 1), 0)"
    f" from {_STREAMS} left join lateral"
    f" (select v.vid from {_WANTED} order by v.sid, v.vid limit 1) w"
    " on true where s.sid in (select cast(value as bigint) from json_each(?2))"
    " on conflict (space, sid) do update set mark = greatest(space_mark.mark, excluded.mark)"
)


@dataclass(frozen=True, slots=True)
class Space:
    """The row of a space; the one that no row has is empty."""

    number: int = 0
    dimensions: int = 0


def known(connection: Connection, space: str) -> Space:
    """What is known of a space."""
    for row in rows(connection, _SPACE, (space,)):
        return Space(*row)
    return Space()


def unembedded(connection: Connection, space: str, limit: int) -> list[Record]:
    """The next records that have no vector of a space."""
    number = known(connection, space).number
    return [to_record(row) for row in rows(connection, _PENDING, (number, limit))]


def waits(connection: Connection, space: str, reach: Reach) -> bool:
    """Whether any of the newest records that have no vector of a space lies within reach."""
    number, within = known(connection, space).number, everything(reach, Filter(), None)
    sql = f"{_NEWEST} where {within.sql} limit 1"
    return bool(one(connection, sql, (number, *within.parameters)))


def embed(connection: Connection, space: str, made: Sequence[Embedded]) -> int:
    """Keep vectors of versions that are still the newest, and move the marks as far as they go."""
    dimensions = check_dimensions(known(connection, space).dimensions, made)
    [(number, agreed)] = rows(connection, _BEGIN, (space, dimensions))
    # Another process may have begun the space meanwhile.
    check_dimensions(agreed, made)
    values = {(one.id, one.rev): one.values for one in made}
    found = rows(connection, _HEADS, (json.dumps([one.id for one in made]),))
    newest = [row for row in found if row[:2] in values]
    added = [
        (number, rid, sid, head, _written(values[record, rev]), home)
        for record, rev, rid, sid, head, *homes in newest
        for home in homes
        if home is not None
    ]
    # In one order, whoever embeds.
    connection.executemany(_ADD, sorted(added))
    streams = json.dumps(sorted({row[3] for row in newest}))
    connection.execute(_SEEN_TO, (number, streams))
    return len(newest)


def progress(connection: Connection, space: str) -> Progress:
    """How many vectors of a space there are, are to come, and cannot be."""
    number = known(connection, space).number
    with connection.dialect.patiently(connection, _COUNTING_SECONDS):
        [(made, refused)] = rows(connection, _COUNTED, (number,))
        return Progress(made, _pending(connection, number), refused)


def _pending(connection: Connection, number: int) -> int:
    few = int(one(connection, _COUNT_FEW, (number,)))
    return few if few < _FEW else int(one(connection, _COUNT_PENDING, (number,)))


def spaces(connection: Connection) -> list[str]:
    """The fingerprints of all spaces that have vectors."""
    sql = "select fingerprint from space where dimensions > 0 order by fingerprint"
    return [str(row[0]) for row in rows(connection, sql)]


def leave(connection: Connection, space: str) -> None:
    """Drop all vectors of a space."""
    number = known(connection, space).number
    connection.execute("delete from vector where space = ?", (number,))
    connection.execute("delete from space_mark where space = ?", (number,))
    connection.execute("update space set dimensions = 0 where space = ?", (number,))


def look_again(connection: Connection) -> None:
    """Ask of every record anew whether it has its vectors, after the index was built anew.

    What was refused may have been so by mistake, and is tried again.
    """
    connection.execute("delete from vector where body is null")
    connection.execute("delete from space_mark")


def written(values: Sequence[float]) -> str:
    """A vector as the server reads it."""
    return f"[{','.join(map(repr, values))}]"


def _written(values: bytes | None) -> str | None:
    return None if values is None else written(unpacked(values))
