"""Whether record, version, index, event and stream agree, asked of the file itself.

The doctor asks much of this too; a doctor that is wrong must not hide what is wrong.
"""

from collections.abc import Iterator
from pathlib import Path

from lamina import Memory
from lamina.maintaining import analysed
from lamina.stores.base import Aids
from lamina.stores.sql.driver import one
from lamina.stores.sqlite import DATABASE, driver

DISAGREEMENTS = {
    "records whose newest version is missing": (
        "select count(*) from record r left join version v on v.vid = r.head"
        " where v.rid is not r.rid"
    ),
    "versions that no event announces": (
        "select count(*) from version v join record r on r.rid = v.rid left join event e"
        " on e.sid = r.sid and e.seq = v.from_seq where e.record is not r.id or e.rev is not v.rev"
    ),
    "events of a record newer than the record": (
        "select count(*) from event e join record r on r.id = e.record"
        " join version v on v.vid = r.head where e.rev > v.rev"
    ),
    "events of a record that is neither there nor erased": (
        "select count(*) from event e where not exists"
        " (select 1 from record r where r.id = e.record) and not exists"
        " (select 1 from event o where o.record = e.record and o.action = 'erased')"
    ),
    "records that are there although erased": (
        "select count(*) from record r join event e on e.record = r.id where e.action = 'erased'"
    ),
    "records that the index should hold": (
        "select count(*) from record where length > 0 and rid not in (select rowid from word)"
    ),
    "index entries without a record": (
        "select count(*) from word where rowid not in (select rid from record where length > 0)"
    ),
    "streams that count other events than there are": (
        "select count(*) from stream s where s.seq <> (select count(*) from event e"
        " where e.sid = s.sid) or s.seq <> (select ifnull(max(e.seq), 0) from event e"
        " where e.sid = s.sid)"
    ),
}  # fmt: skip


def all_of(examination: Iterator[str]) -> list[str]:
    """What an examination finds, and that it failed if it did.

    A damaged store may confuse whoever reads it in any way; that is a finding, not an accident.
    """
    found: list[str] = []
    try:
        found += examination
    except Exception as error:
        found.append(f"the store cannot be examined: {error!r}")
    return found


def disagreements(folder: Path) -> Iterator[str]:
    """What in a store's file does not fit together."""
    connection = driver.connect(folder / DATABASE, create=False)
    try:
        for what, sql in DISAGREEMENTS.items():
            if number := one(connection, sql):
                yield f"{number} {what}"
    finally:
        connection.close()


def complaints(mem: Memory, *, beside: bool = True) -> Iterator[str]:
    """What the store's own check finds; the key to its secrets is not its business.

    A tombstone whose erase was interrupted is only noted: it is no damage.
    """
    for finding in mem.store.check(Aids(analyse=analysed, beside=beside)):
        if finding.severity.is_damage:
            yield f"check says {finding.check}: {finding.message}"
