"""The present state of a store inside one write transaction, each part of it read once."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeVar

from lamina.core import chain
from lamina.core.ids import RecordId
from lamina.core.instants import from_text, to_text
from lamina.core.layers import place_of
from lamina.core.planning import NOTHING, Needs
from lamina.core.record import Record
from lamina.core.scope import stream_of
from lamina.stores.sql import reads
from lamina.stores.sql.driver import Asked, Connection, Row, answers, one, rows
from lamina.stores.sql.formats import check_writable
from lamina.stores.sql.rows import to_record

N = TypeVar("N", bound=str)
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
    named: dict[RecordId, Record | None] = field(default_factory=dict)
    """The records that a commit names, as they are."""
    held: dict[str, Record | None] = field(default_factory=dict)
    """Who holds the slots that it names."""
    numbers: Sequence[int] = ()
    """For versions that it may add, as far as they were asked for in advance."""

    @classmethod
    def of(cls, connection: Connection, needs: Needs = NOTHING) -> "Present":
        """Read what a commit needs, and refuse a store that this process must not write.

        It may have been upgraded since the process opened it.
        """
        present, names = cls(connection), dict.fromkeys(map(stream_of, needs.scopes))
        asked = [reads.SETTINGS, *(_stream(connection, name) for name in names)]
        asked += [reads.by_ids(needs.ids)] if needs.ids else []
        asked += [reads.by_places(needs.places)] if needs.places else []
        asked += connection.dialect.foreseen(len(needs.ids))
        found = iter(answers(connection, asked))
        present.settings = reads.chosen(next(found))
        check_writable(present.settings, connection.dialect.format)
        for name in names:
            present._take(name, next(found))
        records = map(to_record, next(found)) if needs.ids else ()
        present.named = dict.fromkeys(needs.ids) | {one.id: one for one in records}
        holders = map(to_record, next(found)) if needs.places else ()
        present.held = dict.fromkeys(needs.places) | {str(place_of(one)): one for one in holders}
        present.numbers = [number for (number,) in next(found, [])]
        return present

    def records(self, ids: Sequence[RecordId]) -> Iterator[Record]:
        return self._all(ids, self.named, reads.by_ids)

    def holders(self, places: Sequence[str]) -> Iterator[Record]:
        return self._all(places, self.held, reads.by_places)

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
            self._take(name, list(rows(self.connection, *_stream(self.connection, name))))
        return self.streams.get(name)

    def _take(self, name: str, found: Sequence[Row]) -> None:
        self.connection.dialect.check_held(self.connection, name)
        self.unknown.add(name)
        for sid, seq, digest, at, *more in found:
            head = chain.Head(seq, digest.hex(), None if at is None else from_text(at))
            self.streams[name] = StreamState(sid, head, *more)

    def _all(
        self, wanted: Sequence[N], known: dict[N, Record | None], ask: Callable[[list[N]], Asked]
    ) -> Iterator[Record]:
        """What is known already, and the rest by asking for it."""
        if missing := [one for one in wanted if one not in known]:
            yield from map(to_record, rows(self.connection, *ask(missing)))
        yield from (record for one in wanted if (record := known.get(one)) is not None)


def _stream(connection: Connection, name: str) -> Asked:
    return _STREAM.format(connection.dialect.home or "0"), (name,)
