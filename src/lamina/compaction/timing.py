"""When a session is compacted: by its size, and by how much of it repeats or is beside the point.

What repeats itself is worth less room than what is new, so much of it brings compaction forward,
down to half the threshold; what is still being worked on holds it back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.compaction.archiving import weight
from lamina.compaction.pairing import pairs
from lamina.compaction.relevance import scores
from lamina.core.settings import COMPACT_KEEP, COMPACT_TOKENS, FLUSH, FLUSH_TOKENS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.core.record import Record

EARLIEST: Final = 0.5
"""The share of the threshold below which nothing is compacted by itself."""
RELEVANT: Final = 0.5
"""From which score on a message is about what is being done."""
_TELLING_LINE: Final = 20
"""Shorter lines repeat in whatever is said."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a session is flushed and compacted, as the settings have it."""

    compact_at: int = 100_000
    keep: int = 10
    flush_at: int = 80_000
    may_flush: bool = True

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> Limits:
        """The limits that hold here."""
        return cls(
            int(settings[COMPACT_TOKENS]), int(settings[COMPACT_KEEP]),
            int(settings[FLUSH_TOKENS]), settings[FLUSH] == "on",
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pressure:
    """How full a session is, and what is due."""

    tokens: int
    flush_due: bool
    """The agent is to save what matters, and has not been asked since the last compaction."""
    compact_due: bool
    why: str
    """In words."""


def pressure(
    messages: Sequence[Record], about: frozenset[str], limits: Limits, *, was_flushed: bool = False
) -> Pressure:
    """What is due for a session with these messages, oldest first."""
    tokens = weight(messages)
    older = messages[: max(0, len(messages) - limits.keep)]
    if tokens < limits.compact_at * EARLIEST or not older:
        due = _flush(tokens, limits.flush_at, limits, was_flushed)
        return Pressure(tokens, due, compact_due=False, why=f"{tokens:,} tokens")
    spare, needed = repeated(messages)[: len(older)], scores(messages, about)[: len(older)]
    total = weight(older) or 1
    repeats = sum(spare) / total
    matters = sum(o.tokens for o, s in zip(older, needed, strict=True) if s >= RELEVANT) / total
    share = max(EARLIEST, 1 - repeats * (1 - matters))
    limit = round(limits.compact_at * share)
    shares = f"of the older messages {repeats:.0%} repeats or is superseded"
    shares += f" and {matters:.0%} is about what is being done, so " if matters else ", so "
    why = f"{tokens:,} tokens; {shares if repeats else ''}compaction is due from {limit:,} on"
    asks = _flush(tokens, round(limits.flush_at * share), limits, was_flushed)
    return Pressure(tokens, asks, compact_due=tokens >= limit, why=why)


def _flush(tokens: int, limit: int, limits: Limits, was_flushed: bool) -> bool:
    return limits.may_flush and not was_flushed and tokens >= limit


def repeated(messages: Sequence[Record]) -> list[float]:
    """For each message how many of its tokens are said again later, or superseded since."""
    later: set[str] = set()
    superseded = _superseded(messages)
    spare: list[float] = []
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        lines = [line for line in map(str.strip, message.text.splitlines()) if _tells(line)]
        again = sum(len(line) for line in lines if line in later)
        share = again / max(1, sum(map(len, lines)))
        spare.append(message.tokens * (1.0 if place in superseded else share))
        later.update(lines)
    return spare[::-1]


def _tells(line: str) -> bool:
    return len(line) >= _TELLING_LINE


def _superseded(messages: Sequence[Record]) -> set[int]:
    """The results of tools that were called again later with the same words."""
    asked: set[tuple[str, str]] = set()
    old: set[int] = set()
    for result, call in sorted(pairs(messages).items(), reverse=True):
        said = messages[call]
        same = (str(said.data.get("tool", "")), said.text)
        if same in asked:
            old.add(result)
        asked.add(same)
    return old
