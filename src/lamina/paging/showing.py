"""Memories as a model is shown them outside a context: labelled, fenced in, and known again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina import clock
from lamina.core.text import estimate_tokens
from lamina.errors import StoreUnavailableError
from lamina.paging.context import Entry, Head, as_text
from lamina.paging.hot import hot_state
from lamina.paging.lines import line_of
from lamina.paging.shown import remember_shown
from lamina.paging.tiers import tier_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.core.record import Record
    from lamina.layers.face import Door
    from lamina.results import Hit

_MARKER: Final = 12


def show_hits(door: Door, hits: Iterable[Hit]) -> str:
    """What recall found, by where it comes from; empty when that is nothing."""
    found = [(hit.record, tier_of(hit.record, None), hit.score) for hit in hits]
    return _shown(door, found, always=())


def show_part(door: Door, part: str) -> str:
    """One part of hot state as it stands."""
    there = hot_state(door).get(part)
    if there is not None and there.lacks:
        raise StoreUnavailableError(there.lacks)
    records = [] if there is None else there.records
    return _shown(door, [(record, part, None) for record in records], always=(part,))


def note_shown(door: Door, record: Record) -> None:
    """A record is put before a model in words of its own: they are known when they come back."""
    remember_shown(door, [_entry(record, tier_of(record, None), None)])


def _shown(
    door: Door, found: Sequence[tuple[Record, str, float | None]], always: tuple[str, ...]
) -> str:
    entries = [_entry(*one) for one in found]
    remember_shown(door, entries)
    marker = clock.fresh_salt().hex()[:_MARKER]
    return as_text(entries, Head(marker, door.principal.name, clock.now(), always=always))


def _entry(record: Record, part: str, score: float | None) -> Entry:
    line = line_of(record, estimate_tokens)
    return Entry(record, part, line.text, line.tokens, score)
