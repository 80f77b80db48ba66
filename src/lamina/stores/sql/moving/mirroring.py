"""Small tables that change without a word in the log: held against each other and made equal."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from lamina.core.ids import RecordId
from lamina.stores.sql.driver import Connection, Row, rows
from lamina.stores.sql.formats import MOVED_TO
from lamina.stores.sql.moving import marks
from lamina.stores.sql.moving.ends import End
from lamina.stores.sql.moving.tables import RECEIPT

_OWN: Final = frozenset(("format", "oldest_reader", "oldest_writer", "identity", MOVED_TO))
"""Settings that are about a store in its database, and stay there."""
_RECEIPT_KEYS: Final = "select owner, key, tx from receipt"
_RECEIPTS_BY_TX: Final = (
    f"select {RECEIPT.columns} from receipt x where x.tx in (select value from json_each(?))"
)
_SPACES: Final = "select space, fingerprint, dimensions from space"


@dataclass(frozen=True, slots=True)
class Mirrored:
    """A table of which every row is compared."""

    name: str
    columns: tuple[str, ...]
    key: int
    """How many of the columns are the key."""

    def read(self, connection: Connection) -> set[Row]:
        """Every row."""
        return set(rows(connection, f"select {', '.join(self.columns)} from {self.name}"))

    def write(self, connection: Connection, gone: Collection[Row], fresh: Collection[Row]) -> None:
        """Take rows away and add others."""
        test = " and ".join(f"{name} = ?" for name in self.columns[: self.key])
        if gone:
            keys = [row[: self.key] for row in gone]
            connection.executemany(f"delete from {self.name} where {test}", keys)
        if fresh:
            marks_ = ", ".join("?" * len(self.columns))
            sql = f"insert into {self.name} ({', '.join(self.columns)}) values ({marks_})"
            connection.executemany(sql, sorted(fresh, key=repr))


STREAMS: Final = Mirrored("stream", ("sid", "name", "seq", "hash", "at", "documents", "tokens"), 1)
USAGE: Final = Mirrored("usage", ("rid", "root", "hits", "last"), 2)
TELEMETRY: Final = Mirrored(
    "telemetry", ("tid", "at", "kind", "actor", "scope", "layer", "body"), 1
)


def mirror(connection: Connection, target: End, table: Mirrored) -> None:
    """Make a table of the target equal to what a connection to the source sees."""
    here = table.read(connection)
    with target.read() as reader:
        there = table.read(reader)
    if here != there:
        target.write(lambda writer: table.write(writer, there - here, here - there))


def receipts(connection: Connection, target: End) -> None:
    """The same for receipts, which are never changed, so that keys tell."""
    here = set(rows(connection, _RECEIPT_KEYS))
    with target.read() as reader:
        there = set(rows(reader, _RECEIPT_KEYS))
    if here == there:
        return
    wanted = {row[:2] for row in here - there}
    txs = sorted({row[2] for row in here - there})
    found = rows(connection, _RECEIPTS_BY_TX, (json.dumps(txs),))
    fresh = [row for row in found if row[:2] in wanted]
    gone = [row[:2] for row in there - here]

    def work(writer: Connection) -> None:
        if gone:
            writer.executemany("delete from receipt where owner = ? and key = ?", gone)
        if fresh:
            target.add(writer, RECEIPT, fresh)

    target.write(work)


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
