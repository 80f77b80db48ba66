"""The change feed: events of the log joined with the versions they made."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Final

from lamina.core.access import Reach
from lamina.core.chain import Head
from lamina.core.changes import Action, Changed, Event
from lamina.core.instants import from_text, to_text
from lamina.core.record import Record
from lamina.stores.base import Page
from lamina.stores.sql import log
from lamina.stores.sql.driver import Connection, one, rows
from lamina.stores.sql.rows import RECORD_COLUMNS, to_record

_HEADS: Final = "select name, sid, seq, hash, at from stream where seq > 0"
_TOUCHED: Final = (
    "touched (id) as (select distinct record from event where sid = ?1 and seq > ?2 and seq <= ?3)"
)
_SCOPES: Final = (
    f"with {_TOUCHED} select r.id, r.scope, r.layer from touched t join record r on r.id = t.id"
)
_VERSIONS: Final = (
    f"with recursive {_TOUCHED}, line (vid, born, prev) as ("
    " select v.vid, v.from_seq, v.prev from touched t join record r on r.id = t.id"
    " join version v on v.vid = r.head union all"
    " select v.vid, v.from_seq, v.prev from line join version v on v.vid = line.prev"
    " where line.born > ?2 and line.prev < line.vid)"
    f" select {RECORD_COLUMNS} from version v join record r on r.rid = v.rid"
    " where v.vid in (select vid from line where born <= ?3)"
)
"""The versions that a run of events made, and for each record the one before them."""


def position(
    connection: Connection, streams: Collection[str] | None, at: datetime | None
) -> dict[str, Head]:
    """How far streams have come, or had come at an instant."""
    found = {}
    for name, sid, seq, digest, changed in list(rows(connection, _HEADS)):
        if streams is not None and name not in streams:
            continue
        if at is None or from_text(changed) <= at:
            found[name] = Head(seq, digest.hex(), from_text(changed))
        elif then := _last_by(connection, sid, seq, to_text(at)):
            found[name] = _link(connection, sid, then)
    return found


def _last_by(connection: Connection, sid: int, last: int, at: str) -> int:
    """The last event not after an instant: a stream's events never go back in time."""
    low, high = 0, last
    while low < high:
        middle = (low + high + 1) // 2
        happened = one(connection, "select at from event where sid = ? and seq = ?", (sid, middle))
        low, high = (middle, high) if happened <= at else (low, middle - 1)
    return low


def _link(connection: Connection, sid: int, seq: int) -> Head:
    sql = "select hash, at from event where sid = ? and seq = ?"
    [(digest, at)] = rows(connection, sql, (sid, seq))
    return Head(seq, digest.hex(), from_text(at))


def changes(connection: Connection, reach: Reach, after: Mapping[str, int], limit: int) -> Page:
    """The next events over all streams within reach, and what of them can be seen."""
    within = reach.streams()
    fresh = [
        _times(connection, (name, sid), after.get(name, 0), limit)
        for name, sid, seq, _, _ in list(rows(connection, _HEADS))
        if (within is None or name in within) and seq > after.get(name, 0)
    ]
    # Each stream is in order of time already, so merging keeps its own order.
    spans = {(name, sid): seq for _, name, seq, sid in islice(merge(*fresh), limit)}
    found = [
        entry
        for (name, sid), last in spans.items()
        for entry in _span(connection, reach, name, (sid, after.get(name, 0), last))
    ]
    found.sort(key=lambda entry: (entry[0].at, entry[0].stream, entry[0].seq))
    reached = {event.stream: Head(event.seq, event.hash, event.at) for event, _ in found}
    return Page(tuple(change for _, change in found if change is not None), reached)


def _times(
    connection: Connection, stream: tuple[str, int], after: int, limit: int
) -> Iterator[tuple[str, str, int, int]]:
    """When the next events of a stream happened; not of more than may all be handed out."""
    name, sid = stream
    sql = "select at, seq from event where sid = ? and seq > ? order by seq limit ?"
    return ((at, name, seq, sid) for at, seq in rows(connection, sql, (sid, after, limit)))


def _span(
    connection: Connection, reach: Reach, name: str, span: tuple[int, int, int]
) -> Iterator[tuple[Event, Changed | None]]:
    """A run of one stream's events, each with what can be seen of it."""
    _, after, last = span
    visible = {
        record_id: any(grant.covers(scope, layer) for grant in reach.grants)
        for record_id, scope, layer in rows(connection, _SCOPES, span)
    }
    kept: defaultdict[str, dict[int, Record]] = defaultdict(dict)
    for record in map(to_record, rows(connection, _VERSIONS, span)):
        kept[record.id][record.rev] = record
    erased_too = reach.sees_stream(name)
    for event in log.events(connection, name, after, last - after):
        shown = visible.get(event.record, erased_too)
        yield event, _changed(event, kept[event.record]) if shown else None


def _changed(event: Event, versions: Mapping[int, Record]) -> Changed:
    older = [rev for rev in versions if rev < event.rev]
    before = versions[max(older)] if older and event.action is not Action.WITNESSED else None
    return Changed(event, versions.get(event.rev), before)
