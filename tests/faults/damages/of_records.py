"""Damage to the records themselves: versions, records, events, streams, and what lies beside."""

import random
from pathlib import Path

import lamina
from lamina.core.ids import new_id
from lamina.opening import KEY_FILE
from lamina.stores.sql.driver import one, rows
from tests.faults.damages.planting import Damage, Plant, Side, at_once, by_sql, pick, raw

ANY = "select vid from version"
RECORD = "select rid from record"
STREAM = "select sid from stream"
SEALED = "select ref from sealed"
RECEIPT = "select key from receipt"
MIDDLE = "select vid from version where prev is not null and to_seq is not null"
OLDEST = (
    "select prev from version where prev is not null and prev not in (select vid from version"
    " where prev is not null)"
)
EVENT = (
    "select seq from event where sid = 1 and seq > 1 and seq < (select max(seq) from event"
    " where sid = 1)"
)
VALUES = {
    "text": "text || ' forged'",
    "data": """'{"n":77}'""",
    "tags": """'["forged"]'""",
    "kind": "'forged'",
    "state": "iif(state = 'archived', 'current', 'archived')",
    "trust": "iif(trust = 'web', 'user', 'web')",
    "source": "'mallory'",
    "importance": "importance / 2 + 0.1",
    "confidence": "confidence / 2 + 0.1",
    "tokens": "tokens + 1",
    "updated_at": "'2001-01-01T00:00:00.000000Z'",
    "expires_at": "'2001-01-01T00:00:00.000000Z'",
    "valid_from": "'2001-01-01T00:00:00.000000Z'",
    "supersedes": "'01jzzzzzzzzzzzzzzzzzzzzzzz'",
    "salt": "zeroblob(16)",
    "rev": "rev + 1",
    "from_seq": "from_seq + 1",
}
"""Every column of a version that its event vouches for, and something else for it to say."""
OF_A_RECORD = {
    "id": "'01jzzzzzzzzzzzzzzzzzzzzzzz'",
    "scope": "scope || '/task/forged'",
    "layer": "iif(layer = 'fact', 'task', 'fact')",
    "key": "'forged'",
    "created_at": "'2001-01-01T00:00:00.000000Z'",
    "sid": "sid % 3 + 1",
}
OF_AN_EVENT = {
    "actor": "'mallory'",
    "action": "iif(action = 'moved', 'revised', 'moved')",
    "surface": "'forged'",
    "at": "'2001-01-01T00:00:00.000000Z'",
    "record": "'01jzzzzzzzzzzzzzzzzzzzzzzz'",
    "rev": "rev + 1",
    "tx": "'01jzzzzzzzzzzzzzzzzzzzzzzz'",
    "digest": "zeroblob(32)",
    "hash": "zeroblob(32)",
}


def _record(name: str, plant: Plant, *says: str) -> Damage:
    return Damage(name, Side.RECORD, plant, says)


def _altered(table: str, column: str, value: str, which: str) -> Plant:
    key = {"version": "vid", "record": "rid", "event": "sid = 1 and seq"}[table]
    return by_sql(which, f"update {table} set {column} = {value} where {key} = ?1")


def _events_swapped(folder: Path, chance: random.Random) -> None:
    with raw(folder) as connection:
        (seq,) = pick(connection, chance, EVENT)
        for old, new in ((seq, -1), (seq - 1, seq), (-1, seq - 1)):
            connection.execute("update event set seq = ? where sid = 1 and seq = ?", (new, old))


def _event_removed_neatly(folder: Path, chance: random.Random) -> None:
    """The numbers are closed up again; only the hashes know."""
    with raw(folder) as connection:
        (seq,) = pick(connection, chance, EVENT)
        connection.execute("delete from event where sid = 1 and seq = ?", (seq,))
        later = sorted(rows(connection, "select seq from event where sid = 1 and seq > ?", (seq,)))
        for (one_seq,) in later:
            connection.execute(
                "update event set seq = seq - 1 where sid = 1 and seq = ?", (one_seq,)
            )
        connection.execute("update stream set seq = seq - 1 where sid = 1")


def _version_without_event(folder: Path, chance: random.Random) -> None:
    """A record slipped in beside the log."""
    with raw(folder) as connection:
        vid = one(connection, "select max(vid) + 1 from version")
        forged = new_id(1, chance.randbytes(10))
        connection.execute(
            "insert into record select ?1, ?2, sid, scope, layer, null, created_at, ?1, 0"
            " from record limit 1", (vid, forged),
        )  # fmt: skip
        connection.execute("create temp table copy as select * from version limit 1")
        connection.execute("update copy set vid = ?1, rid = ?1, prev = null, place = null", (vid,))
        connection.execute("insert into main.version select * from copy")


def _erased_brought_back(folder: Path, chance: random.Random) -> None:
    """A record under the id of one that was erased."""
    with raw(folder) as connection:
        (gone,) = pick(connection, chance, "select record from event where action = 'erased'")
        (rid,) = pick(connection, chance, "select rid from record")
        connection.execute("update record set id = ? where rid = ?", (gone, rid))


def _two_in_one_slot(folder: Path, chance: random.Random) -> None:
    """A slot that was lost and taken again: both writes were acknowledged."""
    with raw(folder) as connection:
        connection.execute("update version set place = null where place like '%birds'")
    with lamina.open(folder) as mem:
        mem.remember("a second flock", key="birds", layer="fact")


def _not_utf8(folder: Path, chance: random.Random) -> None:
    with raw(folder) as connection:
        (vid,) = pick(connection, chance, ANY)
        connection.execute(
            "update version set text = cast(x'ff41fe' as text) where vid = ?", (vid,)
        )


def _another_key(folder: Path, chance: random.Random) -> None:
    (folder / KEY_FILE).write_bytes(chance.randbytes(32))


def _receipt_altered(folder: Path, chance: random.Random) -> None:
    with raw(folder) as connection:
        key, body = pick(connection, chance, "select key, body from receipt")
        forged = body.replace("created", "revised")
        assert forged != body
        connection.execute("update receipt set body = ? where key = ?", (forged, key))


RECORDS = (
    *(_record(f"a version's {column} is altered", _altered("version", column, value, ANY),
              "digests", "versions")
      for column, value in VALUES.items()),
    *(_record(f"a record's {column} is altered",
              _altered("record", column, value, "select rid from record"), "digests", "versions")
      for column, value in OF_A_RECORD.items()),
    *(_record(f"an event's {column} is altered", _altered("event", column, value, EVENT), "chain")
      for column, value in OF_AN_EVENT.items()),
    _record("a version's text is no text", _not_utf8, "digests"),
    _record("a version's data is no JSON", _altered("version", "data", "'{'", ANY), "digests"),
    _record("a version's data is written otherwise",
            _altered("version", "data", "replace(data, ':', ': ')",
                     "select vid from version where data <> '{}'"), "digests"),
    _record("a version belongs to another record",
            by_sql(ANY, "update version set rid = (select max(rid) from record where rid <>"
                   " version.rid) where vid = ?1"), "digests", "versions"),
    _record("a version is missing",
            by_sql(MIDDLE, "delete from version where vid = ?1"), "versions"),
    _record("the oldest version is missing",
            by_sql(OLDEST, "delete from version where vid = ?1"), "versions"),
    _record("the newest version is missing",
            by_sql("select head from record", "delete from version where vid = ?1"), "versions"),
    _record("a record is missing",
            by_sql(RECORD, "delete from record where rid = ?1"), "versions"),
    _record("a record is missing with all its versions",
            by_sql(RECORD, "delete from version where rid = ?1",
                   "delete from record where rid = ?1", "delete from word where rowid = ?1"),
            "versions"),
    _record("a record was slipped in", _version_without_event, "versions"),
    _record("an erased record is back", _erased_brought_back, "versions", "digests"),
    _record("an event is missing",
            by_sql(EVENT, "delete from event where sid = 1 and seq = ?1"), "chain"),
    _record("an event is missing and the numbers closed up", _event_removed_neatly, "chain"),
    _record("the newest events are missing",
            at_once("delete from event where sid = 1 and seq > (select max(seq) - 3 from event"
                    " where sid = 1)"), "chain"),
    _record("two events have changed places", _events_swapped, "chain"),
    _record("a stream ends elsewhere",
            by_sql(STREAM, "update stream set seq = seq - 1 where sid = ?1"), "chain"),
    _record("a stream ends in another event",
            by_sql(STREAM, "update stream set hash = zeroblob(32) where sid = ?1"),
            "chain"),
    _record("a stream has another name",
            by_sql(STREAM, "update stream set name = 'user/forged' where sid = ?1"),
            "chain"),
    _record("a stream is missing",
            by_sql(STREAM, "delete from stream where sid = ?1"), "chain",
            "versions"),
    _record("a stream has lost its events",
            by_sql(STREAM, "delete from event where sid = ?1"), "chain"),
    _record("two current records hold one key", _two_in_one_slot, "slots"),
    _record("a sealed value is altered",
            by_sql(SEALED, "update sealed set box = zeroblob(length(box))"
                   " where ref = ?1"), "sealed"),
    _record("a sealed value has another nonce",
            by_sql(SEALED, "update sealed set nonce = zeroblob(12) where ref = ?1"),
            "sealed"),
    _record("a sealed value has another name",
            by_sql(SEALED, "update sealed set ref = 'secret://aaaaaaaaaaaaaaaaaaaa"
                   "aaaaaa' where ref = ?1"), "sealed"),
    _record("a sealed value belongs to nobody",
            by_sql(SEALED, "update sealed set rid = 98765 where ref = ?1"),
            "versions"),
    _record("the key is another one", _another_key, "sealed"),
    _record("the key is gone", lambda folder, chance: (folder / KEY_FILE).unlink(), "secrets"),
    _record("a receipt cannot be read",
            by_sql(RECEIPT, "update receipt set body = '[' where key = ?1"),
            "receipts"),
    _record("a receipt says something else", _receipt_altered, "receipts"),
    _record("a receipt is of another request",
            by_sql(RECEIPT, "update receipt set tx = '01jzzzzzzzzzzzzzzzzzzzzzzz'"
                   " where key = ?1"), "receipts"),
    _record("a setting cannot be what it is",
            at_once("insert or replace into setting values ('knowledge.ties', 'nonsense')"),
            "settings"),
    _record("the store has lost its name",
            at_once("delete from setting where name = 'identity'"), "settings"),
    _record("a table has another column",
            at_once("alter table version add column extra"), "schema"),
    _record("a table is gone", at_once("drop table receipt"), "schema"),
    Damage("a sealed value is gone", Side.NOTED,
           by_sql(SEALED, "delete from sealed where ref = ?1"), ("sealed",)),
)  # fmt: skip
