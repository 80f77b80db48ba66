"""Compaction of a log: a summary in its place, every entry kept in the archive.

One transaction copies the entries to layer `archive`, writes the summary there and to the log, and
marks the entries as archived. So a crash leaves all of it or nothing, and `undo` takes it back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from lamina.core.instants import to_text
from lamina.core.record import State, Trust
from lamina.core.scope import Scope
from lamina.core.settings import LOG_BYTES, LOG_ENTRIES
from lamina.layers.summing import size, summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.core.changes import Change, Put, Receipt
    from lamina.core.draft import Draft, Via
    from lamina.core.record import Record
    from lamina.layers.face import Door
    from lamina.stores.base import Store
    from lamina.writing import WritePath

AT_ONCE: Final = 10_000
"""A longer log is compacted from its oldest entries on, so many at a time."""
_KB: Final = 1024


@dataclass(frozen=True, slots=True)
class Compaction:
    """What became of a log."""

    archive_id: str
    """What the summary in the archive is called; the entries there name it in `data`."""
    entries: int
    before_bytes: int
    after_bytes: int
    receipt: Receipt
    """`undo` with its transaction brings the log back as it was."""


def compact(door: Door, scope: Scope, *, force: bool) -> Compaction | None:
    """Compact the log of a scope if it is long; nothing to do is no compaction."""
    entries = _entries(door, scope)
    before = size(entries)
    if not entries or not (force or _is_long(door.settings(), len(entries), before)):
        return None
    told = summary(entries)
    path = door.path_for(door.principal.surface)
    least: Via = Trust.lowest(*(entry.trust for entry in entries)).value
    figures = {
        "entries_count": len(entries),
        "original_size_kb": round(before / _KB, 3),
        "new_size_kb": round(len(told.encode()) / _KB, 3),
    }
    head: Draft = {"layer": "archive", "kind": "summary", "text": told, "data": figures}
    [kept] = path.puts([{**head, "via": least}], scope)
    mark = {"archive_id": kept.id, "compacted": len(entries)}
    first: Draft = {"layer": "log", "kind": "SYSTEM", "text": told, "data": mark, "via": least}
    changes: list[Change] = [kept, *path.puts([first], scope)]
    changes += _originals(door.store, path, entries, kept.id)
    changes += [path.move(entry, State.ARCHIVED) for entry in entries]
    receipt = path.commit(changes)
    return Compaction(kept.id, len(entries), before, len(told.encode()), receipt)


def _is_long(settings: Mapping[str, str], entries: int, size_bytes: int) -> bool:
    return entries > int(settings[LOG_ENTRIES]) or size_bytes > int(settings[LOG_BYTES])


def _entries(door: Door, scope: Scope) -> list[Record]:
    """The oldest entries that are not compacted yet, in order."""
    where = {"layer": "log", "scope": scope.path}
    found = door.query(where, order_by="-created_at", limit=AT_ONCE)
    # Those of one instant come newest first, and their ids say nothing of their order.
    found.reverse()
    return sorted(found, key=lambda entry: entry.created_at)


def _originals(
    store: Store, path: WritePath, entries: Sequence[Record], archive_id: str
) -> list[Put]:
    """A copy of each entry, with what was sealed in it."""
    drafts: list[Draft] = [
        {
            "layer": "archive", "kind": "original", "text": entry.text, "via": entry.trust.value,
            "tags": list(entry.tags), "valid_from": entry.created_at,
            "data": {
                "archive_id": archive_id, "entry": entry.id, "entry_type": entry.kind,
                "at": to_text(entry.created_at), "source": entry.source, "metadata": entry.data,
            },
        }
        for entry in entries
    ]  # fmt: skip
    copies = path.puts(drafts, Scope.of(entries[0].scope))
    return [
        replace(copy, sealed=(*copy.sealed, *store.sealed(entry.id)))
        for copy, entry in zip(copies, entries, strict=True)
    ]
