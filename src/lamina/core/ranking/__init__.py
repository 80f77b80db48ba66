"""Ranking: from what a store found to what answers a question, with reasons.

`understand` reads the question once. `rank` weighs every candidate's signals, turns the sums into
probabilities of relevance, and returns the best or, when nothing is likely to be relevant, nothing.
`why_not` says what kept a record out. All of it is pure: the same input gives the same output.
"""

from lamina.core.ranking.calibrate import DEFAULT_FLOOR, LIKELY
from lamina.core.ranking.candidates import Background, Candidate, Options, Ranked
from lamina.core.ranking.explain import Absence, why_not
from lamina.core.ranking.fusion import WEIGHTS
from lamina.core.ranking.question import Question, understand
from lamina.core.ranking.rank import order, rank
from lamina.core.ranking.times import Span, spans_of

__all__ = [
    "DEFAULT_FLOOR",
    "LIKELY",
    "WEIGHTS",
    "Absence",
    "Background",
    "Candidate",
    "Options",
    "Question",
    "Ranked",
    "Span",
    "order",
    "rank",
    "spans_of",
    "understand",
    "why_not",
]
