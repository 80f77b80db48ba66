"""One commit inside a write transaction: plan, then versions, index, events and receipt.

Statements are few because each one counts: an acknowledged write should cost little more than the
sync that makes it durable.
"""

from typing import Final

from lamina import clock
from lamina.core import chain
from lamina.core.changes import Action, Commit, Event, Receipt
from lamina.core.ids import RecordId
from lamina.core.instants import to_text
from lamina.core.layers import is_indexed
from lamina.core.planning import Step, durability_of, make_plan, streams_of
from lamina.core.record import Record
from lamina.core.retention import kept_when_writing
from lamina.stores import receipts
from lamina.stores.sql import lines, usage
from lamina.stores.sql.driver import Connection, one, rows
from lamina.stores.sql.log import to_event_row
from lamina.stores.sql.present import Present, StreamState
from lamina.stores.sql.rows import to_version_row

_ROW: Final = "select rid, head, length from record where id = ?"
_ADD_RECORD: Final = (
    "insert into record (rid, id, sid, scope, layer, key, created_at, head, length)"
    " values (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ADD_VERSION: Final = (
    "insert into version (vid, rid, rev, prev, from_seq, salt, place, state, kind, text, data,"
    " tags, importance, confidence, trust, source, tokens, updated_at, valid_from, expires_at,"
    " supersedes) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ADD_EVENT: Final = "insert into event values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_SEALED: Final = "insert into sealed values (?, ?, ?, ?, ?) on conflict do nothing"
_CLOSE_VERSION: Final = "update version set to_seq = ?, place = null where vid = ?"
_MOVE_HEAD: Final = "update record set head = ?, length = ? where rid = ?"


def run(connection: Connection, commit: Commit) -> Receipt:
    """Carry out a commit; the caller's transaction makes it all or nothing."""
    present = Present.of(connection)
    owner = receipts.owner_of(commit)
    if owner is not None and (earlier := _earlier(connection, commit, owner)) is not None:
        return earlier
    plan = make_plan(commit, present)
    streams = {name: present.stream(name) for name in streams_of(plan.steps)}
    heads = {name: stream.head for name, stream in streams.items()}
    salts = [clock.fresh_salt() for _ in plan.steps]
    events = chain.extend(plan.commit, plan.steps, heads, salts)
    for step, event, salt in zip(plan.steps, events, salts, strict=True):
        stream = streams[event.stream]
        stream.head = chain.Head(event.seq, event.hash, event.at)
        connection.execute(_ADD_EVENT, (stream.sid, *to_event_row(event)))
        _apply(connection, stream, step, (event, salt))
        if step.before is not None and step.after is not None:
            _shorten(connection, step.after, present)
    present.save()
    seqs = tuple((name, stream.head.seq) for name, stream in streams.items())
    receipt = Receipt(commit.tx, plan.outcomes, seqs, durability_of(commit))
    if owner is not None:
        body = (*owner, commit.request, commit.tx, receipts.to_text(receipt))
        connection.execute("insert into receipt values (?, ?, ?, ?, ?)", body)
    return receipt


def _earlier(connection: Connection, commit: Commit, owner: tuple[str, str]) -> Receipt | None:
    sql = "select request, body from receipt where owner = ? and key = ?"
    for request, body in rows(connection, sql, owner):
        receipts.check_same_request(request, commit.request)
        return receipts.from_text(body)
    return None


def _apply(
    connection: Connection, stream: StreamState, step: Step, written: tuple[Event, bytes]
) -> None:
    if step.action is Action.WITNESSED:
        return
    if step.after is None:
        _erase(connection, stream, step.subject.id)
    elif step.before is None:
        _create(connection, stream, step, written)
    else:
        _revise(connection, stream, step, written)
    if step.sealed:
        _seal(connection, step)


def _create(
    connection: Connection, stream: StreamState, step: Step, written: tuple[Event, bytes]
) -> None:
    record = step.subject
    rid = one(connection, connection.dialect.next_number)
    terms = _terms(step)
    row = (rid, record.id, stream.sid, record.scope, record.layer, record.key)
    connection.execute(_ADD_RECORD, (*row, to_text(record.created_at), rid, len(terms)))
    _add_version(connection, (rid, rid, None), record, written)
    if terms:
        connection.dialect.add_words(connection, stream.sid, rid, terms)
        stream.count(0, len(terms))


def _revise(
    connection: Connection, stream: StreamState, step: Step, written: tuple[Event, bytes]
) -> None:
    record = step.subject
    [(rid, head, length)] = rows(connection, _ROW, (record.id,))
    connection.execute(_CLOSE_VERSION, (written[0].seq, head))
    vid = one(connection, connection.dialect.next_number)
    _add_version(connection, (vid, rid, head), record, written)
    terms = _terms(step)
    keeps = is_indexed(record) and step.terms is None
    connection.execute(_MOVE_HEAD, (vid, length if keeps else len(terms), rid))
    if not keeps:
        if length:
            connection.dialect.drop_words(connection, rid)
        if terms:
            connection.dialect.add_words(connection, stream.sid, rid, terms)
        stream.count(length, len(terms))


def _terms(step: Step) -> tuple[str, ...]:
    return (step.terms or ()) if is_indexed(step.subject) else ()


def _add_version(
    connection: Connection,
    ids: tuple[int, int, int | None],
    record: Record,
    written: tuple[Event, bytes],
) -> None:
    vid, rid, previous = ids
    event, salt = written
    row = (vid, rid, record.rev, previous, event.seq, salt, *to_version_row(record))
    connection.execute(_ADD_VERSION, row)


def _seal(connection: Connection, step: Step) -> None:
    [(rid, _, _)] = rows(connection, _ROW, (step.subject.id,))
    for box in step.sealed:
        connection.execute(_ADD_SEALED, (rid, box.ref, box.kind, box.nonce, box.box))


def _shorten(connection: Connection, record: Record, present: Present) -> None:
    """Drop the versions that the layer does not keep, oldest first."""
    kept = kept_when_writing(record.layer, present.settings)
    if kept is not None:
        lines.shorten(connection, record.id, kept)


def _erase(connection: Connection, stream: StreamState, record_id: RecordId) -> None:
    [(rid, _, length)] = rows(connection, _ROW, (record_id,))
    if length:
        connection.dialect.drop_words(connection, rid)
        stream.count(length, 0)
    connection.execute("delete from sealed where rid = ?", (rid,))
    lines.drop(connection, record_id)
    connection.dialect.drop_vectors(connection, rid)
    usage.drop(connection, rid)
    connection.execute("delete from record where rid = ?", (rid,))
    connection.execute("delete from receipt where instr(body, ?) > 0", (record_id,))
