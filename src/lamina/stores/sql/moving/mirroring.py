"""Tables that change without a word in the log: held against each other and made equal."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from lamina.core.ids import RecordId
from lamina.stores.sql.driver import Connection, Row, rows
from lamina.stores.sql.formats import MOVED_TO
from lamina.stores.sql.moving import marks
from lamina.stores.sql.moving.ends import End
from lamina.stores.sql.moving.tables import RECEIPT, Key, Table

_OWN: Final = frozenset(("format", "oldest_reader", "oldest_writer", "identity", MOVED_TO))
"""Settings that are about a store in its database, and stay there."""
_RECEIPTS_BY_TX: Final = (
    f"select {RECEIPT.columns} from receipt x where x.tx in (select value from json_each(?))"
)
_SPACES: Final = "select space, fingerprint, dimensions from space"
_PAGE: Final = 5_000
STREAMS: Final = Table(
    "stream",
    "x.sid, x.name, x.seq, x.hash, x.at, x.documents, x.tokens",
    "stream x",
    ("x.sid",),
    (0,),
)
_RECEIPT_KEYS: Final = Table(
    "receipt", "x.owner, x.key, x.tx", "receipt x", ("x.owner", "x.key"), (0, 1)
)
USAGE: Final = Table(
    "usage", "x.rid, x.root, x.hits, x.last", "usage x", ("x.rid", "x.root"), (0, 1)
)
TELEMETRY: Final = Table(
    "telemetry",
    "x.tid, x.at, x.kind, x.actor, x.scope, x.layer, x.body",
    "telemetry x",
    ("x.tid",),
    (0,),
)


@dataclass(frozen=True, slots=True)
class _Differing:
    """A stretch of a table that is not the same at both ends."""

    gone: list[Row]
    """What the source has not."""
    fresh: list[Row]
    """What only the source has."""


def mirror(connection: Connection, target: End, table: Table) -> None:
    """Make a table of the target equal to what a connection to the source sees."""
    for found in _differing(connection, target, table):
        target.write(partial(_change, table, found))


def receipts(connection: Connection, target: End) -> None:
    """The same for receipts, which are never changed, so that keys tell."""
    for found in _differing(connection, target, _RECEIPT_KEYS):
        wanted = set(map(_RECEIPT_KEYS.key_of, found.fresh))
        txs = sorted({tx for _, _, tx in found.fresh})
        every = rows(connection, _RECEIPTS_BY_TX, (json.dumps(txs),))
        fresh = [row for row in every if RECEIPT.key_of(row) in wanted]
        target.write(partial(_change, RECEIPT, _Differing(found.gone, fresh)))


def _differing(connection: Connection, target: End, table: Table) -> Iterator[_Differing]:
    """What is not the same, a stretch at a time: there may be millions of rows."""
    after: Key | None = None
    while True:
        here = table.page(connection, after, _PAGE)
        last = table.key_of(here[-1]) if len(here) == _PAGE else None
        with target.read() as reader:
            there = table.between(reader, after, last)
        if here != there:
            gone, fresh = set(there).difference(here), set(here).difference(there)
            yield _Differing(list(gone), sorted(fresh, key=table.key_of))
        if last is None:
            return
        after = last


def _change(table: Table, found: _Differing, there: Connection) -> None:
    names = table.columns.replace("x.", "").split(", ")
    keys = [table.key_of(row) for row in found.gone]
    test = " and ".join(f"{names[place]} = ?" for place in table.places)
    if keys:
        there.executemany(f"delete from {table.name} where {test}", keys)
    if found.fresh:
        sql = (
            f"insert into {table.name} ({', '.join(names)}) values ({', '.join('?' * len(names))})"
        )
        there.executemany(sql, found.fresh)


def spaces(connection: Connection, target: End) -> None:
    """The same for spaces of vectors; what still has to be embedded, the target finds out."""
    here = set(rows(connection, _SPACES))
    with target.read() as reader:
        there = set(rows(reader, _SPACES))

    def work(writer: Connection) -> None:
        writer.executemany("delete from space where space = ?", [row[:1] for row in there - here])
        target.add_spaces(writer, sorted(here - there))

    if here != there:
        target.write(work)


def settings(connection: Connection, target: End) -> None:
    """The same for settings, but for those of the move and of each database."""
    here: dict[str, str] = dict(rows(connection, "select name, value from setting"))
    there = target.store.settings()
    ours = {name: value for name, value in here.items() if _goes_along(name)}
    gone = [(name,) for name in there if _goes_along(name) and name not in ours]

    def work(writer: Connection) -> None:
        if gone:
            writer.executemany("delete from setting where name = ?", gone)
        for name, value in ours.items():
            marks.put(writer, name, value)

    target.write(work)


def tombstones(source: End, target: End) -> int:
    """The same for what was erased, of which nothing ever goes; how many there are."""
    here, there = source.tombstones(), target.tombstones()
    fresh = {RecordId(one): at for one, at in here.items() if one not in there}
    if fresh:
        target.write(lambda writer: target.bury(writer, fresh))
    return len(here)


def _goes_along(name: str) -> bool:
    return name not in _OWN and not name.startswith(marks.PREFIX)
