"""Calibration: the probability that a record is relevant, and when to say nothing.

Whether a store can answer at all shows in the question as a whole: how near the nearest record is,
and how much of the question's strongest words one record holds. Of many records one is near by
chance, so the more are compared, the nearer it has to be. How much a record stands behind the best
one tells the rest.

The curves are logistic regressions over the ten sets, each with as many questions that it can
answer as questions put to a store that cannot. What has an answer counts sixty times as much in
choosing the weights, because silence there costs a user more, and is scaled back afterwards.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lamina.core.ids import RecordId
from lamina.core.ranking.candidates import Background, Candidate
from lamina.core.ranking.question import Question
from lamina.core.ranking.signals import Focus, nearness


@dataclass(frozen=True, slots=True)
class Curve:
    """What the log-odds of the best record are made of, and how they fall behind it."""

    base: float
    focus: float
    first_focus: float
    nearness: float
    crowd: float
    slope: float


HYBRID: Final = Curve(-2.52, 1.66, 0.0, 6.33, -0.79, 1.05)
KEYWORDS: Final = Curve(-3.77, 2.66, 2.8, 0.0, 0.0, 1.1)
DEFAULT_FLOOR: Final = 0.077
"""What silences three of five questions put to a store that cannot answer them.

It costs 0.006 of the recall at ten; with words alone, 0.03.
"""
_FEWEST: Final = 10
"""Smaller stores than the measured ones are taken as if they had so many records."""
LIKELY: Final = 0.01
"""Hits less likely than this are not worth reading, unless somebody asks for so and so many."""


def confidence(
    question: Question,
    candidates: Sequence[Candidate],
    best: Candidate,
    background: Background,
) -> float:
    """The log-odds that the best record is relevant."""
    curve, focus = curve_for(background), Focus(question, background)
    return (
        curve.base
        + curve.focus * max(focus.of(candidate) for candidate in candidates)
        + curve.first_focus * focus.of(best)
        + curve.nearness * max(nearness(candidate, background) for candidate in candidates)
        + curve.crowd * _crowd(background)
    )


def _crowd(background: Background) -> float:
    """How far the greatest of so many chance values is expected to stand out."""
    compared = background.cosine_sample if background.has_vectors else background.documents
    return math.sqrt(2 * math.log(max(compared, _FEWEST)))


def curve_for(background: Background) -> Curve:
    """The curve to use: cosines tell more about relevance than words alone."""
    return HYBRID if background.has_vectors else KEYWORDS


def calibrated(
    parts: Mapping[RecordId, Mapping[str, float]], best: RecordId, log_odds: float, slope: float
) -> dict[RecordId, dict[str, float]]:
    """The parts on the scale of log-odds, with a base under them so that the best has its own."""
    base = log_odds - slope * math.fsum(parts[best].values())
    return {
        record: {"base": base, **{name: slope * value for name, value in said.items()}}
        for record, said in parts.items()
    }


def probability(log_odds: float) -> float:
    """The probability that belongs to log-odds, without overflow."""
    if log_odds >= 0:
        return 1 / (1 + math.exp(-log_odds))
    return math.exp(log_odds) / (1 + math.exp(log_odds))
