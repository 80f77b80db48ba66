"""A log that has become long: all of it gives way to its summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.compaction.archiving import AT_ONCE, Plan, carry_out, size, weight
from lamina.compaction.checking import check_callable, summarised
from lamina.core.settings import LOG_BYTES, LOG_ENTRIES

if TYPE_CHECKING:
    from lamina.compaction.archiving import Compaction, Door
    from lamina.compaction.checking import Summarise
    from lamina.core.record import Record
    from lamina.core.scope import Scope

_SHARE = 0.1
"""How much of a log its summary may be."""
_LEAST = 250


def plan(
    door: Door, scope: Scope, *, force: bool = False, summarise: Summarise | None = None
) -> Plan | None:
    """What compacting the log of a scope would do; nothing, while it is short."""
    check_callable(summarise, "summarise")
    entries = _entries(door, scope)
    why = f"{len(entries):,} entries, {size(entries):,} bytes"
    if not entries or not (force or _is_long(door, entries)):
        return None
    room = max(_LEAST, round(weight(entries) * _SHARE))
    told = summarised(entries, room, summarise)
    return Plan("log", scope, tuple(entries), (), told, why)


def compact(
    door: Door, scope: Scope, *, force: bool = False, summarise: Summarise | None = None
) -> Compaction | None:
    """Compact the log of a scope if it is long; nothing to do is no compaction."""
    found = plan(door, scope, force=force, summarise=summarise)
    return None if found is None else carry_out(door, found)


def _is_long(door: Door, entries: list[Record]) -> bool:
    settings = door.settings()
    return len(entries) > int(settings[LOG_ENTRIES]) or size(entries) > int(settings[LOG_BYTES])


def _entries(door: Door, scope: Scope) -> list[Record]:
    """The oldest entries that are not compacted yet, in order."""
    where = {"layer": "log", "scope": scope.path}
    found = door.query(where, order_by="-created_at", limit=AT_ONCE)
    # Those of one instant come newest first, and their ids say nothing of their order.
    found.reverse()
    return sorted(found, key=lambda entry: entry.created_at)
