"""Damage to whatever else follows from the records: slots, pointers, schema, ledger."""

import json
import random
from pathlib import Path

from lamina.stores.sql.driver import one
from lamina.stores.sqlite import LEDGER
from tests.faults.damages.planting import (
    Damage,
    Plant,
    Side,
    at_once,
    by_sql,
    pick,
    raw,
    without_index,
)

HOLDER = "select vid from version where place is not null"
OLD = "select vid from version where to_seq is not null"
SECOND = "select vid from version where prev is not null"
NEWEST = "select head from record"
REVISED = "select r.rid from record r join version v on v.vid = r.head where v.prev is not null"


def _derived(name: str, plant: Plant, *says: str) -> Damage:
    return Damage(name, Side.DERIVED, plant, says)


def _looped(folder: Path, chance: random.Random) -> None:
    """A version that comes before itself: to follow the line would never end."""
    with raw(folder) as connection:
        vid, head = pick(
            connection, chance,
            "select v.vid, r.head from version v join record r on r.rid = v.rid"
            " where v.prev is null and r.head <> v.vid",
        )  # fmt: skip
        connection.execute("update version set prev = ? where vid = ?", (head, vid))


def _exchanged(folder: Path, chance: random.Random) -> None:
    """Two records note each other's slots."""
    with raw(folder) as connection:
        [(first, mine), (second, its)] = chance.sample(
            sorted(connection.execute("select vid, place from version where place is not null")), 2
        )
        for place, vid in ((None, first), (mine, second), (its, first)):
            connection.execute("update version set place = ? where vid = ?", (place, vid))


def _ledger_without_line(folder: Path, chance: random.Random) -> None:
    lines = (folder / LEDGER).read_text(encoding="utf-8").splitlines(keepends=True)
    del lines[chance.randrange(len(lines))]
    (folder / LEDGER).write_text("".join(lines), encoding="utf-8")


def _ledger_torn(folder: Path, chance: random.Random) -> None:
    said = (folder / LEDGER).read_bytes()
    (folder / LEDGER).write_bytes(said[: -chance.randrange(10, 60)])


def _ledger_garbled(folder: Path, chance: random.Random) -> None:
    lines = (folder / LEDGER).read_text(encoding="utf-8").splitlines(keepends=True)
    lines[chance.randrange(len(lines))] = "\x00\x00 not what was written\n"
    (folder / LEDGER).write_text("".join(lines), encoding="utf-8")


def _ledger_lines_added(folder: Path, chance: random.Random) -> None:
    """What a crash leaves: part of a line that the next erase did not swallow."""
    with (folder / LEDGER).open("a", encoding="utf-8") as file:
        file.write('{"erased": "06\n\n')


def _older_store_put_back(folder: Path, chance: random.Random) -> None:
    """A tombstone of a record that is there: its erase was interrupted, or undone by a copy."""
    with raw(folder) as connection:
        (record,) = pick(connection, chance, "select id from record")
        at = one(connection, "select max(at) from event")
    with (folder / LEDGER).open("a", encoding="utf-8") as file:
        file.write(json.dumps({"erased": record, "at": at}) + "\n")


LINKS = (
    _derived("a current record holds no slot",
             by_sql(HOLDER, "update version set place = null where vid = ?1"), "digests"),
    _derived("a record holds a slot that is nobody's",
             by_sql(HOLDER, "update version set place = 'nowhere' where vid = ?1"), "digests"),
    _derived("two records hold each other's slots", _exchanged, "digests"),
    _derived("an old version holds a slot",
             by_sql(OLD, "update version set place = 'kept' where vid = ?1"), "digests"),
    _derived("the line of versions is cut",
             by_sql(SECOND, "update version set prev = null where vid = ?1"), "versions"),
    _derived("the line of versions leads elsewhere",
             by_sql(SECOND, "update version set prev = (select max(vid) from version where"
                    " vid <> ?1) where vid = ?1"), "versions"),
    _derived("the line of versions runs in a circle", _looped, "versions"),
    _derived("an old version has no end",
             by_sql(OLD, "update version set to_seq = null where vid = ?1"), "versions"),
    _derived("an old version ends too early",
             by_sql(OLD, "update version set to_seq = to_seq - 1 where vid = ?1"), "versions"),
    _derived("the newest version has an end",
             by_sql(NEWEST, "update version set to_seq = from_seq + 1 where vid = ?1"), "versions"),
    _derived("a record points at an older version",
             by_sql(REVISED, "update record set head = (select prev from version where"
                    " vid = record.head) where rid = ?1"), "versions"),
    _derived("a record points at no version",
             by_sql("select rid from record", "update record set head = 987654 where rid = ?1"),
             "versions"),
    _derived("a stream's time is wrong",
             by_sql("select sid from stream", "update stream set at = '2001-01-01T00:00:00.000000Z'"
                    " where sid = ?1"), "chain"),
    _derived("the format is noted wrongly",
             at_once("update setting set value = '99' where name = 'format'"), "settings"),
    _derived("the format is not noted",
             at_once("delete from setting where name = 'format'"), "settings"),
    _derived("the index by scope is gone", at_once("drop index record_scope"), "schema"),
    _derived("the index by slot is gone", at_once("drop index version_place"), "schema"),
    _derived("the index by record is gone", at_once("drop index event_record"), "schema"),
    _derived("the index by slot allows anything",
             at_once("drop index version_place", "create index version_place on version (state)"),
             "schema"),
    _derived("the index by slot is gone, and a slot is lost",
             without_index("record_scope", by_sql(
                 HOLDER, "drop index version_place",
                 "update version set place = null where vid = ?1")), "schema"),
    _derived("a view is gone", at_once("drop view knowledge"), "schema"),
    _derived("a view shows something else",
             at_once("drop view user_facts", "create view user_facts as select 1 as id"), "schema"),
    _derived("a trigger writes along",
             at_once("create trigger gremlin after insert on version begin"
                     " update version set text = 'mine' where vid = new.vid; end"), "schema"),
    _derived("a trigger forbids repairs",
             at_once("create trigger guard before update on record begin"
                     " select raise(abort, 'no'); end"), "schema"),
    _derived("a view was added", at_once("create view peek as select * from version"), "schema"),
    _derived("an index was added", at_once("create index extra on version (text)"), "schema"),
    _derived("the ledger is gone", lambda folder, chance: (folder / LEDGER).unlink(), "ledger"),
    _derived("a line of the ledger is gone", _ledger_without_line, "ledger"),
    _derived("a line of the ledger is garbled", _ledger_garbled, "ledger"),
    _derived("the last line of the ledger is torn", _ledger_torn, "ledger"),
    Damage("a torn line is left in the ledger", Side.NOTED, _ledger_lines_added, ("ledger",)),
    Damage("a tombstone of a record that is here", Side.NOTED, _older_store_put_back,
           ("ledger",)),
    Damage("a table of somebody else", Side.NOTED,
           at_once("create table mine (x)", "insert into mine values (1)"), ("schema",)),
)  # fmt: skip
