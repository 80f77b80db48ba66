"""Vectors in their table: what is pending, what was made, and of which version.

Nothing is written about a vector when a record is: the versions behind a space's mark are the ones
to see to. A vector counts as long as the version that it was made of is the newest.
"""

import json
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from lamina.core.access import Reach
from lamina.core.filters import Filter
from lamina.core.record import Record
from lamina.core.vectors import Embedded, Progress, check_dimensions, unpacked
from lamina.stores.sql.driver import Connection, one, rows
from lamina.stores.sql.predicates import everything
from lamina.stores.sql.rows import RECORD_COLUMNS, to_record

_SPACE: Final = "select space, dimensions, mark from space where fingerprint = ?"
_MADE: Final = "select ifnull(max(cast(made as integer)), 0) from space"
_WANTED: Final = (
    "version v join record r on r.rid = v.rid where v.vid > ?2 and r.head = v.vid and r.length > 0"
    " and not exists (select 1 from vector x where x.rid = r.rid and x.space = ?1"
    " and x.vid = v.vid)"
)
_PENDING: Final = f"select v.vid, {RECORD_COLUMNS} from {_WANTED} order by v.vid limit ?3"
_NEWEST: Final = (
    f"select 1 from (select r.scope, r.layer from {_WANTED} order by v.vid desc limit 2000) r"
)
_VALID: Final = (
    "vector x join record r on r.rid = x.rid where x.space = ? and x.vid = r.head and r.length > 0"
)
_HEADS: Final = (
    "select j.key, r.rid, r.head from json_each(?) j join record r on r.id = j.value ->> 0"
    " join version v on v.vid = r.head where v.rev = j.value ->> 1 and r.length > 0 order by j.key"
)
_ADD: Final = (
    "insert or replace into vector (n, space, rid, vid, body, sum) values (?, ?, ?, ?, ?, ?)"
)
_BEGIN: Final = "insert into space (fingerprint, dimensions, mark, made) values (?, 0, 0, 0)"
_LEAVE: Final = (
    "update space set space = (select max(space) + 1 from space), dimensions = 0, mark = 0"
    " where space = ?"
)


@dataclass(frozen=True, slots=True)
class _Space:
    """The row of a space; the one that no row has is empty."""

    number: int = 0
    dimensions: int = 0
    mark: int = 0


def unembedded(connection: Connection, space: str, limit: int) -> list[Record]:
    """The next records that have no vector of a space."""
    known = _known(connection, space)
    found = rows(connection, _PENDING, (known.number, known.mark, limit))
    return [to_record(row[1:]) for row in found]


def waits(connection: Connection, space: str, reach: Reach) -> bool:
    """Whether any of the newest records that have no vector of a space lies within reach."""
    known, within = _known(connection, space), everything(reach, Filter(), None)
    every = (known.number, known.mark, *within.parameters)
    return bool(one(connection, f"{_NEWEST} where {within.sql} limit 1", every))


def embed(connection: Connection, space: str, made: Sequence[Embedded]) -> int:
    """Keep vectors of versions that are still the newest, and move the mark as far as it goes."""
    known = _known(connection, space)
    dimensions = check_dimensions(known.dimensions, made)
    if not known.number:
        connection.execute(_BEGIN, (space,))
        known = _known(connection, space)
    last = int(one(connection, _MADE))
    versions = json.dumps([(one.id, one.rev) for one in made])
    newest = list(rows(connection, _HEADS, (versions,)))
    added = []
    for number, (at, rid, head) in enumerate(newest, last + 1):
        place, body = (known.number, rid, head), _narrowed(made[at].values)
        added.append((number, *place, body, checksum(place, body)))
    connection.executemany(_ADD, added)
    now = (dimensions, _seen_to(connection, known), last + len(added), known.number)
    connection.execute("update space set dimensions = ?, mark = ?, made = ? where space = ?", now)
    return len(added)


def progress(connection: Connection, space: str) -> Progress:
    """How many vectors of a space there are, are to come, and cannot be."""
    known = _known(connection, space)
    counted = f"select count(x.body), count(*) - count(x.body) from {_VALID}"
    [(made, refused)] = rows(connection, counted, (known.number,))
    pending = one(connection, f"select count(*) from {_WANTED}", (known.number, known.mark))
    return Progress(made, pending, refused)


def spaces(connection: Connection) -> list[str]:
    """The fingerprints of all spaces that have vectors."""
    sql = "select fingerprint from space where dimensions > 0 order by fingerprint"
    return [str(row[0]) for row in rows(connection, sql)]


def dimensions(connection: Connection, space: str) -> int:
    """How long the vectors of a space are; 0 where there are none."""
    return _known(connection, space).dimensions


def leave(connection: Connection, space: str) -> None:
    """Drop all vectors of a space; its row stays, so that no number is given out twice.

    It gets another number itself: what was copied from the table under the old one is nobody's.
    """
    number = _known(connection, space).number
    connection.execute("delete from vector where space = ?", (number,))
    connection.execute(_LEAVE, (number,))


def drop(connection: Connection, rid: int) -> None:
    """Drop the vectors of a record that is being erased, and whose versions are gone.

    Its versions may have had the highest number, which the next one written is then given again.
    """
    connection.execute("delete from vector where rid = ?", (rid,))
    # No version to come may lie before a mark.
    connection.execute(
        "update space set mark = min(mark, (select ifnull(max(vid), 0) from version))"
    )


def look_again(connection: Connection) -> None:
    """Ask of every record anew whether it has its vectors, after the index was built anew.

    What was refused may have been so by mistake, and is tried again.
    """
    connection.execute("delete from vector where body is null")
    connection.execute("update space set mark = 0")


def checksum(place: tuple[int, int, int], body: bytes | None) -> int:
    """What tells a vector from one that was damaged since, or put elsewhere.

    The place is the space, the record and the version, by their numbers.
    """
    return zlib.crc32(body or b"", zlib.crc32(repr(place).encode()))


def _known(connection: Connection, space: str) -> _Space:
    for row in rows(connection, _SPACE, (space,)):
        return _Space(*row)
    return _Space()


def _narrowed(values: bytes | None) -> bytes | None:
    """Half the bytes; what is lost is a tenth of a percent of a cosine."""
    if values is None:
        return None
    numbers = unpacked(values)
    return _halves(len(numbers)).pack(*numbers)


@cache
def _halves(number: int) -> struct.Struct:
    return struct.Struct(f"<{number}e")


def _seen_to(connection: Connection, known: _Space) -> int:
    """The last version before which no record waits for its vector."""
    left = one(connection, f"select min(v.vid) from {_WANTED}", (known.number, known.mark))
    if left is None:
        return int(one(connection, "select ifnull(max(vid), 0) from version"))
    return int(left) - 1
