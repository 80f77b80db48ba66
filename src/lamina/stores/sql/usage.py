"""Counts of use in their table: outside the log, gone with the record that they are about."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from lamina.core import canonical
from lamina.core.access import Reach
from lamina.core.ids import RecordId
from lamina.core.instants import from_text, to_text
from lamina.core.usage import Usage
from lamina.stores.sql.driver import Connection
from lamina.stores.sql.formats import check_still_writable
from lamina.stores.sql.tally import Counts

# What is about a record that is gone finds no row to stand for, and is dropped.
_ADD: Final = (
    "insert into usage (rid, root, hits, last)"
    " select rid, ?2, cast(?3 as bigint), ?4 from record where id = ?1%s"
    " on conflict (rid, root) do update set hits = usage.hits + excluded.hits,"
    " last = case when usage.last > excluded.last then usage.last else excluded.last end"
)
_ASKED: Final = (
    "select r.id, r.scope, r.layer, u.root, u.hits, u.last from record r"
    " left join usage u on u.rid = r.rid where r.id in (select value from json_each(?))"
)


def write(connection: Connection, counts: Counts) -> None:
    """Add to the counts of the records that are there."""
    check_still_writable(connection)
    add = _ADD % connection.dialect.kept
    for root, known in counts.items():
        counted = [(record, root, use.hits, to_text(use.last)) for record, use in known.items()]
        connection.executemany(add, counted)


def drop(connection: Connection, rid: int) -> None:
    """Take away the counts of a record."""
    connection.execute("delete from usage where rid = ?", (rid,))


def read(
    connection: Connection, reach: Reach, ids: Sequence[RecordId]
) -> dict[RecordId, Usage | None]:
    """Those of the records that lie within reach, with the counts that are known there."""
    # Every recall asks, for records that are mostly alike: each sort is looked at once.
    sees, knows = cache(reach.covers), cache(reach.knows)
    found: dict[RecordId, Usage | None] = {}
    for record, scope, layer, root, hits, last in connection.execute(_ASKED, (_listed(ids),)):
        if sees(scope, layer):
            earlier = found.setdefault(record, None)
            if root is not None and knows(root) and (usage := _usage(hits, last)):
                found[record] = usage.plus(earlier)
    return found


def _listed(ids: Sequence[RecordId]) -> str:
    return canonical.dumps(list(ids))


def _usage(hits: object, last: str) -> Usage | None:
    """What a row says; what cannot be read is as good as not there."""
    try:
        at = from_text(last)
    except (ValueError, TypeError):
        return None
    return Usage(hits, at) if isinstance(hits, int) and at.tzinfo is not None else None
