"""Records, versions and events: each version has its event, and each event its version.

Both sides are read in the same order and laid side by side, so that a store of any size is compared
without holding it. No index is asked: one of them may be what is damaged.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, TypeAlias

from lamina.stores.base import Finding
from lamina.stores.sql.care.looking import COPY, LOG, Fix, Look, damaged, derived
from lamina.stores.sql.driver import one

EVENTS: Final = (
    "select record, sid, seq, rev, action from event where action <> 'witnessed'"
    # In a call, so that the index by record cannot be asked.
    " order by coalesce(record, ''), sid, seq"
)
VERSIONS: Final = (
    "select r.id, r.sid, v.from_seq, v.rev, v.vid, v.prev, v.to_seq, r.rid, r.head"
    " from version v not indexed join record r not indexed on r.rid = v.rid"
    " order by r.id, r.sid, v.from_seq, v.rev"
)
BARE: Final = (
    # Not by `not in`: beyond some number the server asks the whole list anew for each record.
    "select r.id from record r not indexed"
    " join (select rid from record not indexed except select rid from version not indexed) as bare"
    " on bare.rid = r.rid"
)
VERSIONS_ALONE: Final = (
    "select count(*) from version v not indexed"
    " where not exists (select 1 from record r not indexed where r.rid = v.rid)"
)
RECORDS_ALONE: Final = (
    "select count(*) from record r not indexed"
    " where not exists (select 1 from stream s not indexed where s.sid = r.sid)"
)
SEALED_ALONE: Final = (
    "select count(*) from sealed z not indexed"
    " where not exists (select 1 from record r not indexed where r.rid = z.rid)"
)
_ORPHANS: Final = {
    "versions without a record": VERSIONS_ALONE,
    "records without a stream": RECORDS_ALONE,
    "sealed values without a record": SEALED_ALONE,
}
_EXISTS: Final = "select 1 from version where vid = ?"
_SET: Final = "update version set {} = ? where vid = ?"
_SET_HEAD: Final = "update record set head = ? where rid = ?"

Row: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Kept:
    rev: int
    vid: int
    prev: int | None
    to_seq: int | None
    rid: int
    head: int


@dataclass(slots=True)
class _Line:
    """One record's events and versions, taken in one by one."""

    look: Look
    id: str
    last: _Kept | None = None
    erased: bool = False

    def take(self, event: Row | None, version: Row | None) -> Iterator[Finding | Fix]:
        if version is None:
            yield from self._without_version(event)
            return
        kept = _Kept(*version[3:])
        if event is None:
            yield damaged("versions", f"no event tells of record {self.id} rev {kept.rev}", LOG)
        elif event[3] != kept.rev:
            what = f"record {self.id} has a rev {kept.rev} where the log has {event[3]}"
            yield damaged("versions", what, LOG)
        yield from self._behind(kept, version[2])
        self.last = kept

    def _without_version(self, event: Row | None) -> Iterator[Finding]:
        if event is None:
            return
        if event[4] == "erased":
            self.erased = True
        elif self.last is not None:
            # Only the far end of the line is ever pruned.
            yield damaged("versions", f"record {self.id} rev {event[3]} is missing")

    def _behind(self, kept: _Kept, from_seq: int) -> Iterator[Finding | Fix]:
        """The pointers between a version and the one before it."""
        before = self.last
        previous = None if before is None else before.vid
        if kept.prev != previous:
            if before is None and not one(self.look.connection, _EXISTS, (kept.prev,)):
                yield damaged("versions", f"what record {self.id} said before is missing")
            else:
                yield self._fix("prev", kept.vid, previous)
        if before is not None and before.to_seq != from_seq:
            yield self._fix("to_seq", before.vid, from_seq)

    def end(self) -> Iterator[Finding | Fix]:
        if self.last is None:
            if not self.erased:
                yield damaged("versions", f"record {self.id} is missing, and no erase tells of it")
            return
        if self.erased:
            yield damaged("versions", f"record {self.id} was erased and is here all the same", LOG)
        if self.last.to_seq is not None:
            yield self._fix("to_seq", self.last.vid, None)
        if self.last.head != self.last.vid:
            what = f"record {self.id}: which version is the newest"
            yield Fix(what, _SET_HEAD, (self.last.vid, self.last.rid))

    def _fix(self, column: str, vid: int, value: int | None) -> Fix:
        what = f"record {self.id}: the order of its versions"
        return Fix(what, _SET.format(column), (value, vid))


def versions(look: Look) -> Iterator[Finding]:
    """Whatever the log and the versions do not agree on."""
    if look.sids is None:
        yield from _orphans(look)
    for found in _compared(look):
        if isinstance(found, Fix):
            yield derived("versions", f"{found.what} is noted wrongly", LOG)
        else:
            yield found


def pointers(look: Look) -> Iterator[Fix]:
    """Pointers between versions that do not follow from the log."""
    return (found for found in _compared(look) if isinstance(found, Fix))


def _compared(look: Look) -> Iterator[Finding | Fix]:
    for record_id, pairs in groupby(_pairs(look), key=_record_of):
        line = _Line(look, record_id)
        for event, version in pairs:
            yield from line.take(event, version)
        yield from line.end()


def _record_of(pair: tuple[Row | None, Row | None]) -> str:
    return str(next(row for row in pair if row is not None)[0])


def _orphans(look: Look) -> Iterator[Finding]:
    for orphans, sql in _ORPHANS.items():
        if number := one(look.connection, sql):
            yield damaged("versions", f"{orphans}: {number}", COPY)
    for (record_id,) in look.each(BARE):
        yield damaged("versions", f"record {record_id} has no version")


def _pairs(look: Look) -> Iterator[tuple[Row | None, Row | None]]:
    """Events and versions side by side, by record and sequence."""
    events = (row for row in look.each(EVENTS) if look.covers(row[1]))
    kept = (row for row in look.each(VERSIONS) if look.covers(row[1]))
    event, version = next(events, None), next(kept, None)
    while event is not None or version is not None:
        if version is None or (event is not None and event[:3] < version[:3]):
            yield event, None
            event = next(events, None)
        elif event is None or version[:3] < event[:3]:
            yield None, version
            version = next(kept, None)
        else:
            yield event, version
            event, version = next(events, None), next(kept, None)
