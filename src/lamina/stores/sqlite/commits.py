"""One commit inside a write transaction: plan, then versions, index, events and receipt."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lamina import clock
from lamina.core import chain
from lamina.core.changes import Action, Commit, Event, Put, Receipt
from lamina.core.ids import RecordId
from lamina.core.indexing import INDEX_VERSION
from lamina.core.instants import from_text, to_text
from lamina.core.layers import LAYERS, Durability
from lamina.core.planning import Step, make_plan, streams_of
from lamina.core.record import INDEXED, Record
from lamina.errors import StoreVersionError
from lamina.stores import receipts
from lamina.stores.sqlite import index, migrations, reads
from lamina.stores.sqlite.driver import Connection, one, rows
from lamina.stores.sqlite.rows import to_event_row, to_version_row

_ADD_VERSION: Final = (
    "insert into version (rid, rev, from_seq, salt, place, state, kind, text, data, tags,"
    " importance, confidence, trust, source, tokens, updated_at, valid_from, expires_at,"
    " supersedes) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ADD_EVENT: Final = "insert into event values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_CLOSE_VERSION: Final = "update version set to_seq = ?, place = null where vid = ?"
_HEAD: Final = "select seq, hash, at from stream where sid = ?"
_MOVE_HEAD: Final = "update stream set seq = ?, hash = ?, at = ? where sid = ?"


@dataclass(frozen=True, slots=True)
class _Present:
    """The view that planning has of this store."""

    connection: Connection

    def record(self, record_id: RecordId) -> Record | None:
        return reads.record(self.connection, record_id)

    def holder(self, place: str) -> Record | None:
        return reads.holder(self.connection, place)

    def last_instant(self, stream: str) -> datetime | None:
        return reads.last_instant(self.connection, stream)

    def setting(self, name: str) -> str | None:
        found = one(self.connection, "select value from setting where name = ?", (name,))
        return None if found is None else str(found)


def run(connection: Connection, commit: Commit) -> Receipt:
    """Carry out a commit; the caller's transaction makes it all or nothing."""
    check_writable(connection)
    owner = _owner(commit)
    if owner is not None and (earlier := _earlier(connection, commit, owner)) is not None:
        return earlier
    plan = make_plan(commit, _Present(connection))
    sids = {name: _stream(connection, name) for name in streams_of(plan.steps)}
    salts = [clock.fresh_salt() for _ in plan.steps]
    events = chain.extend(commit, plan.steps, _heads(connection, sids), salts)
    for step, event, salt in zip(plan.steps, events, salts, strict=True):
        _apply(connection, sids[event.stream], step, (event, salt))
    _advance(connection, sids, events)
    seqs = {event.stream: event.seq for event in events}
    receipt = Receipt(commit.tx, plan.outcomes, tuple(sorted(seqs.items())), durability(commit))
    if owner is not None:
        body = (*owner, commit.request, commit.tx, receipts.to_text(receipt))
        connection.execute("insert into receipt values (?, ?, ?, ?, ?)", body)
    return receipt


def durability(commit: Commit) -> Durability:
    """Synced, unless every record of the commit is of a layer that asks for less."""
    relaxed = all(
        isinstance(change, Put) and LAYERS[change.layer].durability is Durability.COMMITTED
        for change in commit.changes
    )
    return Durability.COMMITTED if relaxed else Durability.SYNCED


def check_writable(connection: Connection) -> None:
    """The store may have been upgraded or re-analysed since this process opened it."""
    migrations.check_version(connection, migrations.schema_version(connection))
    found = one(connection, "select value from setting where name = 'index_version'")
    if found != INDEX_VERSION:
        raise StoreVersionError(
            f"the store's words were analysed by {found}, not by {INDEX_VERSION}",
            remedy="Run `lamina doctor --repair`, or upgrade this Lamina",
        )


def _owner(commit: Commit) -> tuple[str, bytes] | None:
    if commit.idempotency_key is None:
        return None
    return commit.by.identity, hashlib.sha256(commit.idempotency_key.encode()).digest()


def _earlier(connection: Connection, commit: Commit, owner: tuple[str, bytes]) -> Receipt | None:
    sql = "select request, body from receipt where owner = ? and key = ?"
    for request, body in rows(connection, sql, owner):
        receipts.check_same_request(request, commit.request)
        return receipts.from_text(body)
    return None


def _stream(connection: Connection, name: str) -> int:
    found = one(connection, "select sid from stream where name = ?", (name,))
    if found is None:
        connection.execute("insert into stream (name, seq, hash) values (?, 0, x'')", (name,))
        found = connection.last_insert_rowid()
    return int(found)


def _heads(connection: Connection, sids: dict[str, int]) -> dict[str, chain.Head]:
    heads = {}
    for name, sid in sids.items():
        [(seq, digest, at)] = rows(connection, _HEAD, (sid,))
        heads[name] = chain.Head(seq, digest.hex(), None if at is None else from_text(at))
    return heads


def _apply(connection: Connection, sid: int, step: Step, written: tuple[Event, bytes]) -> None:
    event, salt = written
    connection.execute(_ADD_EVENT, (sid, *to_event_row(event)))
    if step.action is Action.WITNESSED:
        return
    if step.after is None:
        _erase(connection, sid, step.subject.id)
        return
    rid = _record_row(connection, sid, step)
    vid = _version_row(connection, rid, step.after, (event, salt))
    connection.execute("update record set head = ? where rid = ?", (vid, rid))
    for box in step.sealed:
        row = (rid, box.ref, box.kind, box.nonce, box.box)
        connection.execute("insert or ignore into sealed values (?, ?, ?, ?, ?)", row)
    _prune(connection, rid, step.after)
    if step.after.state not in INDEXED:
        index.drop(connection, sid, rid)
    elif step.terms is not None:
        index.replace(connection, sid, rid, step.terms)


def _record_row(connection: Connection, sid: int, step: Step) -> int:
    record = step.subject
    if step.before is not None:
        return _rid(connection, record.id)
    connection.execute(
        "insert into record (id, sid, scope, layer, key, created_at, head) values (?,?,?,?,?,?,0)",
        (record.id, sid, record.scope, record.layer, record.key, to_text(record.created_at)),
    )
    return connection.last_insert_rowid()


def _version_row(
    connection: Connection, rid: int, record: Record, written: tuple[Event, bytes]
) -> int:
    event, salt = written
    head = one(connection, "select head from record where rid = ?", (rid,))
    connection.execute(_CLOSE_VERSION, (event.seq, head))
    row = (rid, record.rev, event.seq, salt, *to_version_row(record))
    connection.execute(_ADD_VERSION, row)
    return connection.last_insert_rowid()


def _prune(connection: Connection, rid: int, record: Record) -> None:
    kept = LAYERS[record.layer].history
    if kept is not None:
        connection.execute(
            "delete from version where rid = ? and rev not in"
            " (select rev from version where rid = ? order by rev desc limit ?)",
            (rid, rid, kept + 1),
        )


def _erase(connection: Connection, sid: int, record_id: RecordId) -> None:
    rid = _rid(connection, record_id)
    index.drop(connection, sid, rid)
    connection.execute("delete from sealed where rid = ?", (rid,))
    connection.execute("delete from version where rid = ?", (rid,))
    connection.execute("delete from record where rid = ?", (rid,))
    connection.execute(
        "delete from receipt where tx in (select tx from event where record = ?)", (record_id,)
    )


def _rid(connection: Connection, record_id: RecordId) -> int:
    return int(one(connection, "select rid from record where id = ?", (record_id,)))


def _advance(connection: Connection, sids: dict[str, int], events: Iterable[Event]) -> None:
    newest = {event.stream: event for event in events}
    for event in newest.values():
        row = (event.seq, bytes.fromhex(event.hash), to_text(event.at), sids[event.stream])
        connection.execute(_MOVE_HEAD, row)
