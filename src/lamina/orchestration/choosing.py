"""Which approach comes next: what was tried before decides, and nothing that is not in episodes.

An attempt begins with an episode `attempted` and ends with exactly one other: `completed`,
`failed`, or `retried` when it says nothing about the approach, because it was interrupted or met an
error that may pass.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina.orchestration.graph import RETRIES, USUAL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from lamina.core.record import Record

BEGUN: Final = "attempted"
COMPLETED, FAILED, RETRIED = "completed", "failed", "retried"
ENDS: Final = (COMPLETED, FAILED, RETRIED)
INTERRUPTED, TRANSIENT = "interrupted", "transient"
MOST_INTERRUPTIONS: Final = 20
"""After so many in a row, what is tried may well be what ends the process each time."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An approach that failed, for this task or for one like it."""

    task: str
    approach: str
    outcome: str


@dataclass(slots=True)
class Past:
    """What was tried for one task since it was last given up."""

    failed: dict[str, str] = field(default_factory=dict)
    """Approaches that failed, and how."""
    failures: Counter[str] = field(default_factory=Counter)
    """How often each failed."""
    passing: Counter[str] = field(default_factory=Counter)
    """How often each met an error that may pass."""
    interrupted: Counter[str] = field(default_factory=Counter)
    """How often each was interrupted since it last came to an end of its own."""
    going_on: str | None = None
    """The approach that the last attempt said nothing about."""

    def may_go_on(self, approach: str, why: str, retries: int) -> bool:
        """Whether an approach that ended without a verdict once more may be tried again."""
        if why == INTERRUPTED:
            return self.interrupted[approach] < MOST_INTERRUPTIONS
        return self.passing[approach] < retries


def past_of(episodes: Iterable[Record], task: Record) -> Past:
    """What the episodes of a task tell, oldest first, since it was last opened again."""
    past, this_round = Past(), round_of(task)
    for one in episodes:
        if one.kind not in ENDS or round_of(one) != this_round:
            continue
        approach = str(one.data.get("approach", USUAL))
        past.going_on = approach if one.kind == RETRIED else None
        if one.kind == FAILED:
            past.failed[approach] = str(one.data.get("outcome", ""))
            past.failures[approach] += 1
        if one.kind == RETRIED and one.data.get("why") == TRANSIENT:
            past.passing[approach] += 1
        if one.kind == RETRIED and one.data.get("why") == INTERRUPTED:
            past.interrupted[approach] += 1
        else:
            past.interrupted[approach] = 0
    return past


def choose(approaches: Iterable[str], past: Past, elsewhere: Collection[str]) -> str | None:
    """The next approach: none that failed here, and last those that failed for similar tasks."""
    if past.going_on is not None and past.going_on not in past.failed:
        return past.going_on
    left = [one for one in approaches if one not in past.failed]
    return min(left, key=lambda one: one in elsewhere, default=None)


def round_of(record: Record) -> int:
    """How often a task had been given up; its episodes say so too.

    A number, and no time: what is forgiven must not depend on a clock.
    """
    said: Any = record.data.get("round")
    return said if type(said) is int else 0


def detours_of(task: Record) -> int:
    """How often others came first, be it for this task or for those that wait for it."""
    said: Any = task.data.get("detours")
    return said if type(said) is int else 0


def approaches_of(task: Record) -> list[str]:
    """The ways in which a task may be tried; what was written past the graph may be anything."""
    said = task.data.get("approaches")
    found = [one for one in said if isinstance(one, str)] if isinstance(said, list) else []
    return found or [USUAL]


def retries_of(task: Record) -> int:
    """How often an approach is tried again after an error that may pass."""
    said: Any = task.data.get("retry")
    return said if type(said) is int and said >= 0 else RETRIES


def told_past(past: Past) -> str:
    """Why nothing is left to be tried, in words."""
    tried = "; ".join(f"{one}: {how}"[:300] for one, how in past.failed.items())
    return f"every approach failed: {tried}" if tried else "no approach is left"
