"""The tail of the log, less what stands before a model anyway and what has been corrected since."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lamina.core.settings import LOG_TAIL
from lamina.paging.parts import Part, Reasons

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from lamina.core.record import Record
    from lamina.layers.face import Door

_FURTHEST: Final = 200
"""How far back is looked for entries of other sessions."""
_MOST_FACTS: Final = 10
_TELLING: Final = 3
"""A value of fewer letters is looked for only where its key is named as well."""


def tail_of_log(door: Door, session: str | None, facts: Sequence[Record]) -> Part:
    """What was done last: not what was said in a session that is itself before the model."""
    most = int(door.settings()[LOG_TAIL])
    where = {"layer": "log", "scope": door.scope.path}
    found = door.query(where, limit=most + 1)
    if session is not None and any(_is_said_in(session, one) for one in found):
        found = door.query(where, limit=_FURTHEST)
    part = Part([])
    for record in found:
        if session is not None and _is_said_in(session, record):
            part.left.append((record, Reasons.SAID_HERE))
        else:
            part.records.append(record)
    part.has_more = len(part.records) > most
    part.records = part.records[:most]
    _correct(door, part, facts)
    return part


def _is_said_in(session: str, entry: Record) -> bool:
    """Whether the transcript tells it too; of what went wrong with a run, only the log does."""
    return entry.data.get("session") == session and entry.kind != "ERROR"


def _correct(door: Door, part: Part, facts: Sequence[Record]) -> None:
    """Leave out what names a value that a fact had then and has no more."""
    if not part.records:
        return
    oldest = min(one.created_at for one in part.records)
    changed = [one for one in facts if one.rev > 1 and one.updated_at > oldest]
    changed = sorted(changed, key=lambda one: one.updated_at, reverse=True)[:_MOST_FACTS]
    former = [(*one, fact) for fact in changed for one in _former(door, fact)]
    for value, until, fact in former:
        stale = [
            one for one in part.records if one.created_at <= until and _names(one, value, fact)
        ]
        part.left += [(one, Reasons.CORRECTED) for one in stale]
        part.records = [one for one in part.records if one not in stale]


def _former(door: Door, fact: Record) -> Iterator[tuple[str, datetime]]:
    """The values that a fact had before, each with when it was replaced."""
    versions = [one.record for one in door.store.versions(door.reach, fact.id) if one.record]
    for before, after in zip(versions, versions[1:], strict=False):
        if before.text.strip() and before.text != fact.text:
            yield before.text, after.updated_at


def _names(entry: Record, value: str, fact: Record) -> bool:
    """Whether an entry names a value of a fact, and not the one that holds."""
    telling = len(value) >= _TELLING and any(sign.isalpha() for sign in value)
    return (
        _says(entry.text, value)
        and not _says(entry.text, fact.text)
        and (telling or _says(entry.text, fact.key or ""))
    )


def _says(text: str, words: str) -> bool:
    return bool(words) and bool(re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text))
