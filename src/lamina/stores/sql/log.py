"""Reading the log: events by stream, transaction or record, and the versions they made."""

from collections.abc import Iterable
from typing import Any, Final

from lamina.core.access import Reach
from lamina.core.changes import Action, Event, Version
from lamina.core.ids import RecordId
from lamina.core.instants import from_text, to_text
from lamina.errors import StoreDamagedError
from lamina.stores.sql.driver import ALL, Connection, Value, rows
from lamina.stores.sql.reads import record
from lamina.stores.sql.rows import RECORD_COLUMNS, to_record

EVENT_COLUMNS: Final = (
    "s.name, e.seq, e.tx, e.record, e.rev, e.action, e.actor, e.surface, e.at, e.digest, e.hash"
)
_EVENTS: Final = f"select {EVENT_COLUMNS} from event e join stream s on s.sid = e.sid"
_KEPT: Final = (
    "with recursive line (vid) as (select head from record where id = ?1 union all"
    " select v.prev from version v join line on v.vid = line.vid where v.prev < v.vid)"
    f" select {RECORD_COLUMNS} from version v join record r on r.rid = v.rid"
    " where v.vid in (select vid from line)"
)
"""The versions of a record that are kept, from the newest back."""


def versions(connection: Connection, reach: Reach, record_id: RecordId) -> list[Version]:
    """A record's events with the versions that are kept."""
    current = record(connection, record_id)
    events = _events(connection, f"{_EVENTS} where e.record = ? order by e.seq", (record_id,))
    if not events:
        return []
    # An erased record has lost its scope: only sight of the whole stream shows its events.
    visible = reach.sees(current) if current else reach.sees_stream(events[0].stream)
    if not visible:
        return []
    kept = {found.rev: found for found in map(to_record, rows(connection, _KEPT, (record_id,)))}
    return [Version(event, kept.get(event.rev)) for event in events]


def events(connection: Connection, stream: str, after: int, limit: int | None) -> list[Event]:
    """A stream's events behind a sequence number."""
    # Joined by its name, all that the stream has behind the number would be read and sorted.
    number = "(select sid from stream where name = ?)"
    sql = f"{_EVENTS} where e.sid = {number} and e.seq > ? order by e.seq limit ?"
    return _events(connection, sql, (stream, after, ALL if limit is None else limit))


def transaction(connection: Connection, tx: RecordId) -> list[Event]:
    """The events of one commit."""
    return _events(connection, f"{_EVENTS} where e.tx = ? order by s.name, e.seq", (tx,))


def to_event(row: tuple[Any, ...]) -> Event:
    """Read the columns of `EVENT_COLUMNS`."""
    try:
        return Event(
            stream=row[0],
            seq=row[1],
            tx=RecordId(row[2]),
            record=RecordId(row[3]),
            rev=row[4],
            action=Action(row[5]),
            actor=row[6],
            surface=row[7],
            at=from_text(row[8]),
            digest=row[9].hex(),
            hash=row[10].hex(),
        )
    except (ValueError, TypeError, AttributeError):
        raise StoreDamagedError(
            f"event {row[1]} of {row[0]} is not one that was written",
            remedy="Run `lamina audit verify`; restore from an export or a backup",
        ) from None


def to_event_row(event: Event) -> tuple[Value, ...]:
    """The columns of `event` behind `sid`."""
    return (
        event.seq,
        event.tx,
        event.record,
        event.rev,
        event.action.value,
        event.actor,
        event.surface,
        to_text(event.at),
        bytes.fromhex(event.digest),
        bytes.fromhex(event.hash),
    )


def _events(connection: Connection, sql: str, parameters: Iterable[Value]) -> list[Event]:
    return [to_event(row) for row in rows(connection, sql, tuple(parameters))]
