"""Counts of use in their table: outside the log, gone with the record that they are about."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from lamina.core import canonical
from lamina.core.access import Reach
from lamina.core.filters import Filter
from lamina.core.ids import RecordId
from lamina.core.instants import check_instant, to_text
from lamina.core.usage import Usage
from lamina.errors import InvalidInputError
from lamina.stores.sqlite import migrations
from lamina.stores.sqlite.driver import Connection, one, rows
from lamina.stores.sqlite.predicates import everything
from lamina.stores.sqlite.tally import Counts

_FORMAT: Final = "select value from setting where name = 'format'"
# What is about a record that is gone finds no row to stand for, and is dropped.
_ADD: Final = (
    "insert into usage (rid, root, hits, last) select rid, ?2, ?3, ?4 from record where id = ?1"
    " on conflict (rid, root) do update set hits = hits + excluded.hits,"
    " last = max(last, excluded.last)"
)
_ASKED: Final = (
    "select r.id, u.root, u.hits, u.last from record r left join usage u on u.rid = r.rid"
    " where r.id in (select value from json_each(?))"
)


def write(connection: Connection, counts: Counts) -> None:
    """Add to the counts of the records that are there."""
    migrations.check_format(int(one(connection, _FORMAT)))
    for root, known in counts.items():
        for record, usage in known.items():
            connection.execute(_ADD, (record, root, usage.hits, to_text(usage.last)))


def drop(connection: Connection, rid: int) -> None:
    """Take away the counts of a record."""
    connection.execute("delete from usage where rid = ?", (rid,))


def read(
    connection: Connection, reach: Reach, ids: Sequence[RecordId]
) -> dict[RecordId, list[Usage]]:
    """Those of the records that lie within reach, with the counts that are known there."""
    within = everything(reach, Filter(), None)
    asked = (canonical.dumps(list(ids)), *within.parameters)
    found: defaultdict[RecordId, list[Usage]] = defaultdict(list)
    for record, root, hits, last in rows(connection, f"{_ASKED} and {within.sql}", asked):
        known = found[record]
        if root is not None and reach.knows(str(root)) and (usage := _usage(hits, last)):
            known.append(usage)
    return found


def _usage(hits: object, last: object) -> Usage | None:
    """What a row says; what cannot be read is as good as not there."""
    try:
        return Usage(hits, check_instant(last, "last")) if isinstance(hits, int) else None
    except InvalidInputError:
        return None
