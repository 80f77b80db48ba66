"""Calibration: from a weighted sum to the probability that a record is relevant."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lamina.core.ranking.candidates import Background, Candidate
from lamina.core.ranking.question import Question
from lamina.core.ranking.signals import meaning


@dataclass(frozen=True, slots=True)
class Curve:
    """A logistic curve over the weighted sum and what the question as a whole found."""

    base: float
    slope: float
    best_coverage: float
    best_meaning: float
    length: float
    documents: float


HYBRID: Final = Curve(-4.0, 0.7, 2.0, 6.0, 0.0, 0.0)
KEYWORDS: Final = Curve(-3.0, 0.8, 2.0, 0.0, 0.0, 0.0)
DEFAULT_FLOOR: Final = 0.1


def base(question: Question, candidates: Sequence[Candidate], background: Background) -> float:
    """What speaks for an answer in this store at all, the same for every candidate."""
    curve = curve_for(background)
    coverage = max((candidate.coverage for candidate in candidates), default=0.0)
    near = max((meaning(candidate, background) for candidate in candidates), default=0.0)
    return (
        curve.base
        + curve.best_coverage * coverage
        + curve.best_meaning * near
        + curve.length * question.length
        + curve.documents * math.log1p(background.documents)
    )


def curve_for(background: Background) -> Curve:
    """The curve to use: cosines tell more about relevance than words alone."""
    return KEYWORDS if background.cosine_mean is None else HYBRID


def calibrated(
    parts: Mapping[str, float], offset: float, background: Background
) -> dict[str, float]:
    """The parts on the scale of log-odds, with the question's own among them."""
    slope = curve_for(background).slope
    return {"base": offset, **{name: slope * value for name, value in parts.items()}}


def probability(log_odds: float) -> float:
    """The probability that belongs to log-odds, without overflow."""
    if log_odds >= 0:
        return 1 / (1 + math.exp(-log_odds))
    return math.exp(log_odds) / (1 + math.exp(log_odds))
