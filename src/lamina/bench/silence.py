"""Knowing when to be still: how often nothing is said where there is nothing to say, and its price.

A floor is understood as the default one: an answer whose best hit does not reach it is not given,
any other is given whole. One recall without a floor is enough for every floor, because a hit tells
how likely it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

FLOORS: Final = tuple(mille / 1000 for mille in (*range(0, 200, 5), *range(200, 1001, 20)))
"""Closer together where most is decided."""
_CUTOFF: Final = 10


@dataclass(frozen=True, slots=True)
class Answered:
    """A question that the store can answer, and what a recall without a floor gave."""

    scores: tuple[float, ...]
    """How likely each hit was held to be, best ranked first."""
    is_gold: tuple[bool, ...]
    gold: int
    """How many documents answer it."""

    def recall(self, floor: float) -> float:
        """What share of it the first ten hold, if the best of them reaches a floor."""
        is_given = bool(self.scores) and self.scores[0] >= floor
        return sum(self.is_gold[:_CUTOFF]) / self.gold if is_given else 0.0


@dataclass(frozen=True, slots=True)
class Point:
    """What a floor does."""

    floor: float
    silent: float
    """The share of questions without an answer that are answered with nothing."""
    recall: float
    """recall@10 over the questions that have one."""
    lost: float
    """How much of it the floor takes away."""

    def to_json(self) -> dict[str, float]:
        """The figures by name."""
        return {"floor": self.floor, "silent": round(self.silent, 4),
                "recall@10": round(self.recall, 4), "lost": round(self.lost, 4)}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stray:
    """What came back for a question that has no answer: at the usual floor, and without one."""

    is_silent: bool
    best: float
    """How likely the best hit was held to be; -1 where there was none at all."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Recalls of questions with an answer and of questions without."""

    answered: Sequence[Answered]
    strays: Sequence[Stray]

    def at(self, floor: float) -> Point | None:
        """What a floor does; nothing can be said without questions of both sorts."""
        if not self.answered or not self.strays:
            return None
        silent = fmean(one.best < floor for one in self.strays)
        recall = fmean(one.recall(floor) for one in self.answered)
        whole = fmean(one.recall(0.0) for one in self.answered)
        return Point(floor, silent, recall, whole - recall)

    def usual(self, recall: float) -> dict[str, float] | None:
        """What the floor in force did, where recall@10 came to this with it."""
        if not self.answered or not self.strays:
            return None
        whole = fmean(one.recall(0.0) for one in self.answered)
        return {
            "silent": round(fmean(one.is_silent for one in self.strays), 4),
            "lost": round(whole - recall, 4),
            "questions": len(self.strays),
        }


def mean_curve(every: Sequence[Evidence]) -> list[dict[str, float]]:
    """What each floor does on average over sets, all of them alike."""
    curve = []
    for floor in FLOORS:
        points = [point for one in every if (point := one.at(floor)) is not None]
        if points:
            silent, recall, lost = (
                fmean(getattr(point, name) for point in points)
                for name in ("silent", "recall", "lost")
            )
            curve.append(Point(floor, silent, recall, lost).to_json())
    return curve
