"""Figures over episodes: how often an approach succeeds, what it costs, how an agent develops."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import fsum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.core.record import Record

_ENDED: Final = ("completed", "failed")
_UNNAMED: Final = "(no approach named)"


@dataclass(frozen=True, slots=True)
class Rate:
    """How one approach has done so far."""

    approach: str
    completed: int
    failed: int
    duration_ms: float | None
    """The mean of those that tell."""
    tokens: float | None

    @property
    def success(self) -> float:
        """The share of what ended that ended well."""
        return self.completed / (self.completed + self.failed)


@dataclass(frozen=True, slots=True)
class Span:
    """What an agent did in some days."""

    begins: datetime
    completed: int
    failed: int
    tokens: int

    @property
    def success(self) -> float | None:
        """The share of what ended that ended well; `None` when nothing did."""
        ended = self.completed + self.failed
        return self.completed / ended if ended else None


def rates(episodes: Iterable[Record]) -> list[Rate]:
    """One line for each approach that came to an end, the most successful and most tried first."""
    grouped: dict[str, list[Record]] = defaultdict(list)
    for record in episodes:
        if record.kind in _ENDED:
            grouped[str(record.data.get("approach", _UNNAMED))].append(record)
    found = [_rate(approach, group) for approach, group in grouped.items()]
    return sorted(found, key=lambda one: (-one.success, -one.completed, one.approach))


def trend(episodes: Sequence[Record], days: int) -> list[Span]:
    """The episodes in spans of so many days, oldest first, those without any included."""
    if not episodes:
        return []
    length = timedelta(days=days)
    start = min(record.created_at for record in episodes).astimezone(UTC)
    start = start.replace(hour=0, minute=0, second=0, microsecond=0)
    grouped: dict[int, list[Record]] = defaultdict(list)
    for record in episodes:
        grouped[(record.created_at - start) // length].append(record)
    return [
        Span(
            start + number * length,
            sum(record.kind == "completed" for record in grouped[number]),
            sum(record.kind == "failed" for record in grouped[number]),
            sum(_tokens(record) or 0 for record in grouped[number]),
        )
        for number in range(max(grouped) + 1)
    ]


def _rate(approach: str, group: Sequence[Record]) -> Rate:
    completed = sum(record.kind == "completed" for record in group)
    durations = [found for record in group for found in _numbers(record, "duration_ms")]
    tokens = [found for record in group if (found := _tokens(record)) is not None]
    return Rate(
        approach,
        completed,
        len(group) - completed,
        _mean(durations),
        _mean(tokens),
    )


def _mean(values: Sequence[float]) -> float | None:
    # Importing `statistics` for this would cost every listing of episodes more than the listing.
    return fsum(values) / len(values) if values else None


def _tokens(record: Record) -> int | None:
    counts = _numbers(record, "tokens_in", "tokens_out")
    return sum(counts) if counts else None


def _numbers(record: Record, *names: str) -> list[int]:
    """The figures that are some: a plain `remember` may have kept anything."""
    said = (record.data.get(name) for name in names)
    return [found for found in said if type(found) is int and found >= 0]
