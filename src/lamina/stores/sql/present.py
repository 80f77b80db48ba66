"""The present state of a store inside one write transaction, each part of it read once."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from lamina.core import chain
from lamina.core.ids import RecordId
from lamina.core.instants import from_text, to_text
from lamina.core.record import Record
from lamina.stores.sql import reads
from lamina.stores.sql.driver import Connection, one, rows
from lamina.stores.sql.formats import check_writable

_STREAM: Final = "select sid, seq, hash, at, documents, tokens, {} from stream where name = ?"
_BEGIN: Final = "insert into stream (name, seq, hash) values (?, 0, ?) returning sid"
_ERASED: Final = (
    "select record from event where record in (select value from json_each(?))"
    " and action = 'erased'"
)
_SAVE: Final = (
    "update stream set seq = ?, hash = ?, at = ?, documents = ?, tokens = ? where sid = ?"
)


@dataclass(slots=True)
class StreamState:
    """The row of a stream, changed here and written once at the end."""

    sid: int
    head: chain.Head
    documents: int = 0
    tokens: int = 0
    home: int = 0
    """Where its rows lie, in a database that keeps those of large streams apart."""

    def count(self, before: int, after: int) -> None:
        """A record's tokens in the index went from one number to another; 0 is not indexed."""
        self.documents += (after > 0) - (before > 0)
        self.tokens += after - before


@dataclass(slots=True)
class Present:
    """The view that planning has of this store, and the streams that a commit writes to."""

    connection: Connection
    settings: dict[str, str] = field(default_factory=dict)
    streams: dict[str, StreamState] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    """Streams that were looked for and are not there."""

    @classmethod
    def of(cls, connection: Connection) -> "Present":
        """Read the settings, and refuse a store that this process must not write.

        It may have been upgraded since the process opened it.
        """
        settings = reads.settings(connection)
        check_writable(settings, connection.dialect.format)
        return cls(connection, settings)

    def records(self, ids: Sequence[RecordId]) -> Iterator[Record]:
        return reads.records(self.connection, ids)

    def holders(self, places: Sequence[str]) -> Iterator[Record]:
        return reads.holders(self.connection, places)

    def erased(self, ids: Sequence[RecordId]) -> list[RecordId]:
        return [gone for (gone,) in rows(self.connection, _ERASED, (json.dumps(list(ids)),))]

    def last_instant(self, stream: str) -> datetime | None:
        known = self._known(stream)
        return None if known is None else known.head.at

    def newest_instant(self) -> datetime | None:
        return reads.newest_instant(self.connection)

    def setting(self, name: str) -> str | None:
        return self.settings.get(name)

    def stream(self, name: str) -> StreamState:
        """The state of a stream, which is made if it is new."""
        known = self._known(name)
        if known is None:
            known = StreamState(one(self.connection, _BEGIN, (name, b"")), chain.Head())
            self.streams[name] = known
        return known

    def save(self) -> None:
        """Write back what changed in the streams."""
        for state in self.streams.values():
            head = state.head
            at = None if head.at is None else to_text(head.at)
            row = (head.seq, bytes.fromhex(head.hash), at, state.documents, state.tokens, state.sid)
            self.connection.execute(_SAVE, row)

    def _known(self, name: str) -> StreamState | None:
        if name not in self.streams and name not in self.unknown:
            self.connection.dialect.check_held(self.connection, name)
            self.unknown.add(name)
            asked = _STREAM.format(self.connection.dialect.home or "0")
            for sid, seq, digest, at, *more in rows(self.connection, asked, (name,)):
                head = chain.Head(seq, digest.hex(), None if at is None else from_text(at))
                self.streams[name] = StreamState(sid, head, *more)
        return self.streams.get(name)
