"""Rows to records and back: the one place that knows the columns."""

import json
from datetime import datetime
from typing import Any, Final

from lamina.core import canonical
from lamina.core.ids import RecordId
from lamina.core.instants import from_text, to_text
from lamina.core.layers import place_of
from lamina.core.record import Record, State, Trust
from lamina.stores.sql.driver import Value

RECORD_COLUMNS: Final = (
    "r.id, r.scope, r.layer, r.key, r.created_at, v.rev, v.state, v.kind, v.text, v.data, v.tags,"
    " v.importance, v.confidence, v.trust, v.source, v.tokens, v.updated_at, v.valid_from,"
    " v.expires_at, v.supersedes"
)

# A look into a dictionary is a tenth of what an enumeration takes to find a member.
_STATES: Final = {one.value: one for one in State}
_TRUST: Final = {one.value: one for one in Trust}


def to_record(row: tuple[Any, ...]) -> Record:
    """Read the columns of `RECORD_COLUMNS`."""
    return Record(
        id=RecordId(row[0]),
        scope=row[1],
        layer=row[2],
        key=row[3],
        created_at=from_text(row[4]),
        rev=row[5],
        state=_STATES.get(row[6]) or State(row[6]),
        kind=row[7],
        text=row[8],
        # Most records have neither; recall reads two hundred at a time.
        data={} if row[9] == "{}" else json.loads(row[9]),
        tags=() if row[10] == "[]" else tuple(json.loads(row[10])),
        importance=row[11],
        confidence=row[12],
        trust=_TRUST.get(row[13]) or Trust(row[13]),
        source=row[14],
        tokens=row[15],
        updated_at=from_text(row[16]),
        valid_from=_instant(row[17]),
        expires_at=_instant(row[18]),
        supersedes=row[19],
    )


def to_version_row(record: Record) -> tuple[Value, ...]:
    """The content columns of `version`, from `place` to `supersedes`."""
    return (
        place_of(record),
        record.state.value,
        record.kind,
        record.text,
        canonical.dumps(record.data),
        canonical.dumps(list(record.tags)),
        record.importance,
        record.confidence,
        record.trust.value,
        record.source,
        record.tokens,
        to_text(record.updated_at),
        None if record.valid_from is None else to_text(record.valid_from),
        None if record.expires_at is None else to_text(record.expires_at),
        record.supersedes,
    )


def _instant(text: str | None) -> datetime | None:
    return None if text is None else from_text(text)
