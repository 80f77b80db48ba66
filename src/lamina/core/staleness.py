"""Staleness: what was once learned and may go, worst first, with the reasons.

A memory fades with the time since anything came of it: since it was said, changed, said again or
recalled. It fades more slowly the more it matters, the surer it is and the more often it was of
use; most slowly what a person said, and never what is marked as important. What is talked about
has not faded, whatever its age. This proposes and deletes nothing.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lamina.core.ids import RecordId
from lamina.core.record import Record, Trust
from lamina.core.text import tokens
from lamina.core.text.stop import stop_tokens
from lamina.core.usage import MOST_HITS, Usage

STALE: Final = 0.75
"""How faded a memory is after two half-lives: what is proposed unless somebody says otherwise."""
LASTING: Final = 0.9
"""What is at least so important never fades."""
_PACES: Final = {
    Trust.USER: 4.0, Trust.SYSTEM: 2.0, Trust.AGENT: 1.0, Trust.FILE: 1.0, Trust.TOOL: 0.5,
    Trust.WEB: 0.5,
}  # fmt: skip
"""How much longer than an agent's word that of others lasts."""
_WIDEST: Final = 4.0
"""How much longer what matters most lasts than what is neither here nor there, which lasts as much
longer than what does not matter at all; and how much longer what is used most, than the unused."""
_LEAST_CONFIDENCE: Final = 0.25
_MIDDLE: Final = 0.5
_ABOUT: Final = 0.5
"""How much of what a memory is about a message has to name, to be about it."""


@dataclass(frozen=True, slots=True)
class Stale:
    """A memory that may go."""

    record: Record
    score: float
    """How faded it is, from 0, which is fresh, to 1."""
    reasons: tuple[str, ...]
    used: Usage | None = None
    """How often it was of use, as far as that was counted."""


def stale(
    records: Iterable[Record],
    used: Mapping[RecordId, Usage],
    *,
    now: datetime,
    half_life_days: int,
    least: float = STALE,
) -> list[Stale]:
    """Those of the records that have faded so far, the most faded first, then the oldest."""
    found = []
    for record in records:
        usage = used.get(record.id)
        score = faded(record, usage, now, half_life_days)
        if score >= least:
            found.append(Stale(record, score, tuple(_reasons(record, usage, now)), usage))
    return sorted(found, key=lambda one: (-one.score, one.record.created_at, one.record.id))


def youngest(trust: Trust, half_life_days: int, least: float = STALE) -> int:
    """How many days old what is so trusted is at least before it can have faded so far.

    Whatever is younger need not be read to be known as fresh.
    """
    slowest = _PACES[trust] / _WIDEST * _LEAST_CONFIDENCE
    return math.floor(-math.log2(1 - min(least, 1 - 1e-9)) * half_life_days * slowest)


def not_spoken_of(found: Iterable[Stale], talk: Iterable[Record]) -> list[Stale]:
    """Those that no message of some talk is about."""
    said = [{*tokens(message.text)} for message in talk]
    return [one for one in found if not _is_named(one.record, said)]


def _is_named(record: Record, said: Iterable[set[str]]) -> bool:
    telling = {*tokens(f"{record.text} {record.key or ''}")} - stop_tokens()
    enough = max(_ABOUT * len(telling), 1)
    return any(len(words & telling) >= enough for words in said)


def faded(record: Record, usage: Usage | None, now: datetime, half_life_days: int) -> float:
    """How far a memory has faded, from 0 to 1; in whole days."""
    if record.importance >= LASTING:
        return 0.0
    last = record.updated_at if usage is None else max(record.updated_at, usage.last)
    return 1 - math.exp2(-_days(last, now) / (half_life_days * _pace(record, usage)))


def _pace(record: Record, usage: Usage | None) -> float:
    """How many times its half-life a memory takes."""
    matters = math.pow(_WIDEST, 2 * record.importance - 1)
    sure = max(record.confidence, _LEAST_CONFIDENCE)
    hits = 0 if usage is None else min(max(usage.hits, 0), MOST_HITS)
    wanted = 1 + (_WIDEST - 1) * math.log2(1 + hits) / math.log2(1 + MOST_HITS)
    return _PACES[record.trust] * matters * sure * wanted


def _reasons(record: Record, usage: Usage | None, now: datetime) -> Iterable[str]:
    yield f"unchanged for {_number(_days(record.updated_at, now), 'day')}"
    if usage is None:
        yield "no use was counted"
    else:
        times, days = _number(usage.hits, "time"), _number(_days(usage.last, now), "day")
        yield f"used {times}, last {days} ago"
    if record.importance < _MIDDLE:
        yield f"importance {record.importance:.2g}"
    if record.confidence < 1:
        yield f"confidence {record.confidence:.2g}"
    if _PACES[record.trust] < 1:
        yield f"trust {record.trust.value}"


def _days(then: datetime, now: datetime) -> int:
    return max((now - then).days, 0)


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
