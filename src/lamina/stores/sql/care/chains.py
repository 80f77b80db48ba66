"""The log: every event follows from the one before it, up to the head that its stream names."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from lamina.core import chain
from lamina.core.changes import Event
from lamina.stores.base import Finding
from lamina.stores.sql.care.looking import LOG, Fix, Look, damaged, derived, unreadable
from lamina.stores.sql.driver import one, rows
from lamina.stores.sql.log import to_event

STREAMS: Final = "select sid, name, seq, hash, at from stream not indexed"
EVENTS: Final = (
    "select seq, tx, record, rev, action, actor, surface, at, digest, hash from event"
    " where sid = ? order by seq"
)
NEWEST: Final = "select at from event where sid = ? order by seq desc limit 1"
HOMELESS: Final = (
    # To count a column that no index has keeps the indexes out of it.
    "select count(digest) from event where sid not in (select sid from stream not indexed)"
)
_LATEST: Final = "update stream set at = ? where sid = ?"


@dataclass(slots=True)
class _Reading:
    """The events of one stream, one after the other, and where they ended."""

    look: Look
    sid: int
    name: str
    seq: int = 0
    hash: str = chain.GENESIS
    at: str | None = None
    unreadable: list[int] = field(default_factory=list)

    def events(self) -> Iterator[Event]:
        for seq, *columns in self.look.each(EVENTS, (self.sid,)):
            try:
                event = to_event((self.name, seq, *columns))
            except unreadable(self.look.connection):
                self.unreadable.append(seq)
                continue
            self.seq, self.hash, self.at = event.seq, event.hash, columns[6]
            yield event


def chains(look: Look) -> Iterator[Finding]:
    """Every break in the chains of the streams."""
    for sid, name, *head in list(rows(look.connection, STREAMS)):
        if look.covers(sid):
            yield from _chain(_Reading(look, sid, name), *head)
    if look.sids is None and (number := one(look.connection, HOMELESS)):
        yield damaged("chain", f"events of a stream that is missing: {number}")


def latest(look: Look) -> Iterator[Fix]:
    """Streams whose time is not that of their newest event."""
    for sid, name, _, _, at in list(rows(look.connection, STREAMS)):
        newest = one(look.connection, NEWEST, (sid,))
        if at != newest:
            yield Fix(f"{name}: its newest time", _LATEST, (newest, sid))


def _chain(found: _Reading, seq: int, digest: bytes, at: str | None) -> Iterator[Finding]:
    for link in chain.verify(found.events()):
        yield damaged("chain", f"{link.stream} event {link.seq}: {link.reason}")
    for unread in found.unreadable:
        yield damaged("chain", f"{found.name} event {unread} cannot be read")
    if found.seq != seq:
        what = f"its log ends at event {found.seq}, and should end at {seq}"
        yield damaged("chain", f"{found.name}: {what}")
    elif found.hash != digest.hex():
        yield damaged("chain", f"{found.name}: event {seq} is not the one that it ended with")
    elif found.at != at:
        what = f"{found.name}: its time is not that of its newest event"
        yield derived("chain", what, LOG)
