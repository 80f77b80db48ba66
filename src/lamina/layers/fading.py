"""What has faded of some knowledge, by age, use, and what was talked about lately."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from lamina.core.ids import RecordId
from lamina.core.retention import ALL
from lamina.core.scope import GLOBAL, stream_of
from lamina.core.settings import HALF_LIFE
from lamina.core.staleness import STALE, Stale, not_spoken_of, stale
from lamina.core.usage import Usage
from lamina.layers import reviewed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from lamina.core.record import Record
    from lamina.layers.face import Door

_TALK: Final = 200
"""How many of the latest messages of a project count as recent talk."""


def fading(
    door: Door, records: Sequence[Record], now: datetime, *, least: float = STALE
) -> list[Stale]:
    """Those of the records that could go, most faded first."""
    half_life = door.settings()[HALF_LIFE]
    if half_life == ALL or not records:
        return []
    used = door.store.usage(door.reach, [record.id for record in records])
    for wanted in reviewed.decisions(door, reviewed.STALE).values():
        # That somebody wants to keep it is a use of it, from which on it fades anew.
        name = RecordId(wanted.record)
        used[name] = Usage(0, wanted.at).plus(used.get(name))
    found = stale(records, used, now=now, half_life_days=int(half_life), least=least)
    since = now - timedelta(days=int(half_life))
    kept: set[str] = set()
    for stream in dict.fromkeys(stream_of(one.record.scope) for one in found):
        here = [one for one in found if stream_of(one.record.scope) == stream]
        kept |= {one.record.id for one in not_spoken_of(here, _talk(door, stream, since))}
    return [one for one in found if one.record.id in kept]


def _talk(door: Door, stream: str, since: datetime) -> list[Record]:
    """What was said lately where the records belong; of what is everybody's, anywhere."""
    where = {"layer": "session", "created_at": {"$gte": since}}
    return door.query(where, limit=_TALK, scope=None if stream == GLOBAL.path else stream)
