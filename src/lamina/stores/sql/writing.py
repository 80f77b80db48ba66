"""The rows that a commit adds: gathered, and written in a few statements for all of them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from lamina.core.changes import Action, Event
from lamina.core.ids import RecordId
from lamina.core.instants import to_text
from lamina.core.layers import is_indexed
from lamina.core.planning import Step
from lamina.core.record import Record
from lamina.stores.sql import lines, usage
from lamina.stores.sql.driver import Connection, Indexed, Value, rows
from lamina.stores.sql.log import to_event_row
from lamina.stores.sql.present import StreamState
from lamina.stores.sql.rows import to_version_row

_ROW: Final = "select rid, head, length from record where id = ?"
_CLOSE: Final = "update version set to_seq = ?, place = null where vid = ?"
_ADD_RECORD: Final = (
    "insert into record (rid, id, sid, scope, layer, key, created_at, head, length)"
    " values (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
VERSION_COLUMNS: Final = (
    "vid, rid, rev, prev, from_seq, salt, place, state, kind, text, data, tags, importance,"
    " confidence, trust, source, tokens, updated_at, valid_from, expires_at, supersedes"
)
_ADD_VERSION: Final = f"insert into version ({VERSION_COLUMNS}) values ({', '.join('?' * 21)})"
_MOVE_HEAD: Final = "update record set head = ?, length = ? where rid = ?"
_ADD_EVENT: Final = "insert into event values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_SEALED: Final = "insert into sealed values (?, ?, ?, ?, ?) on conflict do nothing"
_IN_ORDER: Final = (_CLOSE, _ADD_RECORD, _ADD_VERSION, _MOVE_HEAD, _ADD_EVENT, _ADD_SEALED)
"""A slot is given up before it is taken, and a record is there before what belongs to it."""


@dataclass(slots=True)
class Writing:
    """What one commit writes."""

    connection: Connection
    numbers: Iterator[int]
    """Those of the versions that it adds."""
    waiting: dict[str, list[tuple[Value, ...]]] = field(default_factory=dict)
    words: list[Indexed] = field(default_factory=list)
    fresh: dict[RecordId, int] = field(default_factory=dict)
    """The records that have rows waiting, by their numbers."""

    def take(self, stream: StreamState, step: Step, event: Event, salt: bytes) -> None:
        """Take in one step with its event."""
        at_home = (stream.home,) if self.connection.dialect.home else ()
        self._add(_ADD_EVENT, (stream.sid, *to_event_row(event), *at_home))
        if step.action is Action.WITNESSED:
            return
        record = step.subject
        if step.after is None:
            self.write()
            self._erase(stream, record.id)
            return
        if step.before is None:
            rid = self._create(stream, step, (event, salt))
        else:
            if record.id in self.fresh:
                self.write()
            rid = self._revise(stream, step, (event, salt))
        self.fresh[record.id] = rid
        for box in step.sealed:
            self._add(_ADD_SEALED, (rid, box.ref, box.kind, box.nonce, box.box))

    def write(self) -> None:
        """Write what has been taken in."""
        for sql, waiting in self.taken():
            self.connection.executemany(sql, waiting)
        if self.words:
            self.connection.dialect.add_words(self.connection, self.words)
            self.words = []
        self.fresh.clear()

    def taken(self) -> Iterator[tuple[str, list[tuple[Value, ...]]]]:
        """The statements that have rows waiting with those, in order; nobody else writes them."""
        for sql in _IN_ORDER:
            if waiting := self.waiting.pop(sql, None):
                yield self._spelled(sql), waiting

    def _spelled(self, sql: str) -> str:
        if not self.connection.dialect.home:
            return sql
        if sql == _ADD_VERSION:
            return sql.replace("supersedes)", "supersedes, sid, home)").replace("?)", "?, ?, ?)")
        return sql.replace("?)", "?, ?)") if sql == _ADD_EVENT else sql

    def _add(self, sql: str, row: tuple[Value, ...]) -> None:
        self.waiting.setdefault(sql, []).append(row)

    def _create(self, stream: StreamState, step: Step, written: tuple[Event, bytes]) -> int:
        record, rid, terms = step.subject, next(self.numbers), _terms(step)
        row = (rid, record.id, stream.sid, record.scope, record.layer, record.key)
        self._add(_ADD_RECORD, (*row, to_text(record.created_at), rid, len(terms)))
        self._add_version((rid, rid, None), stream, record, written)
        if terms:
            self.words.append((stream.sid, rid, terms))
            stream.count(0, len(terms))
        return rid

    def _revise(self, stream: StreamState, step: Step, written: tuple[Event, bytes]) -> int:
        record = step.subject
        [(rid, head, length)] = rows(self.connection, _ROW, (record.id,))
        self._add(_CLOSE, (written[0].seq, head))
        vid = next(self.numbers)
        self._add_version((vid, rid, head), stream, record, written)
        terms = _terms(step)
        keeps = is_indexed(record) and step.terms is None
        self._add(_MOVE_HEAD, (vid, length if keeps else len(terms), rid))
        if not keeps:
            if length:
                self.connection.dialect.drop_words(self.connection, rid)
            if terms:
                self.words.append((stream.sid, rid, terms))
            stream.count(length, len(terms))
        return int(rid)

    def _add_version(
        self,
        ids: tuple[int, int, int | None],
        stream: StreamState,
        record: Record,
        written: tuple[Event, bytes],
    ) -> None:
        (vid, rid, previous), (event, salt) = ids, written
        row = (vid, rid, record.rev, previous, event.seq, salt, *to_version_row(record))
        at_home = (stream.sid, stream.home) if self.connection.dialect.home else ()
        self._add(_ADD_VERSION, (*row, *at_home))

    def _erase(self, stream: StreamState, record_id: RecordId) -> None:
        connection = self.connection
        [(rid, _, length)] = rows(connection, _ROW + connection.dialect.alone, (record_id,))
        if length:
            connection.dialect.drop_words(connection, rid)
            stream.count(length, 0)
        connection.execute("delete from sealed where rid = ?", (rid,))
        lines.drop(connection, record_id)
        connection.dialect.drop_vectors(connection, rid)
        usage.drop(connection, rid)
        connection.execute("delete from record where rid = ?", (rid,))
        connection.execute("delete from receipt where instr(body, ?) > 0", (record_id,))


def _terms(step: Step) -> tuple[str, ...]:
    return (step.terms or ()) if is_indexed(step.subject) else ()
