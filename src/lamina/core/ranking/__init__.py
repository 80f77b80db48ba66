"""Ranking: what the scores of candidates mean for a question, as pure functions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lamina.core.ids import RecordId
from lamina.core.record import Record
from lamina.core.vectors import Spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A record that came into question, with all its scores."""

    record: Record
    keyword: float = 0.0
    terms: tuple[str, ...] = ()
    coverage: float = 0.0
    worth: float = 0.0
    cosine: float | None = None
    before: RecordId | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, and when."""

    text: str
    now: datetime

    @classmethod
    def of(cls, text: str, now: datetime) -> "Question":
        """Understand a question."""
        return cls(text, now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to rank."""

    k: int = 10
    floor: float | None = None
    diversity: float = 0.0
    budget: int | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its verdict."""

    record: Record
    score: float
    terms: tuple[str, ...] = ()
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The verdict on all candidates."""

    hits: tuple[Ranked, ...] = ()
    doubtful: tuple[Ranked, ...] = ()
    repeated: tuple[Ranked, ...] = ()
    beyond: tuple[Ranked, ...] = ()

    def place_of(self, record_id: RecordId) -> tuple[int | None, Ranked, tuple[str, ...]]:
        """Where a candidate ended, its verdict, and why it is no hit."""
        groups = (
            (self.hits, ""), (self.doubtful, "it is less likely what was asked for than the floor"),
            (self.repeated, "a hit says nearly the same"), (self.beyond, "others are more likely"),
        )  # fmt: skip
        for group, reason in groups:
            for place, one in enumerate(group, start=1):
                if one.record.id == record_id:
                    return (None, one, (reason,)) if reason else (place, one, ())
        raise KeyError(record_id)


def rank(
    question: Question, candidates: Sequence[Candidate], spread: Spread | None, options: Options
) -> Ranking:
    """Rank candidates; a stand-in until the measured one lands."""
    by_id = {one.record.id: one for one in candidates}
    own = {one.record.id: _own(one, spread) for one in candidates}
    found = []
    for one in candidates:
        before = own.get(one.before, 0.0) if one.before in by_id and one.before else 0.0
        logit = own[one.record.id] + 0.4 * before - 3
        parts = {"own": own[one.record.id], "before": 0.4 * before, "bias": -3.0}
        found.append(Ranked(one.record, 1 / (1 + math.exp(-logit)), one.terms, parts))
    found.sort(key=lambda one: -one.score)
    floor = 0.1 if options.floor is None else options.floor
    good = [one for one in found if one.score >= floor]
    doubtful = tuple(one for one in found if one.score < floor)
    return Ranking(tuple(good[: options.k]), doubtful, (), tuple(good[options.k :]))


def _own(one: Candidate, spread: Spread | None) -> float:
    words = 4 * one.coverage + (one.keyword / one.worth if one.worth else 0.0)
    near = 0.0
    if one.cosine is not None and spread is not None:
        near = (one.cosine - spread.mean) / max(spread.deviation, 0.05)
    return words + 0.7 * near
