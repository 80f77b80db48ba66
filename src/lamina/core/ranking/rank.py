"""The way from candidates to an answer: weigh, calibrate, order, leave out what does not matter."""

import math
from collections.abc import Sequence

from lamina.core.ranking import calibrate
from lamina.core.ranking.candidates import Background, Candidate, Options, Ranked
from lamina.core.ranking.fusion import weigh
from lamina.core.ranking.question import Question


def order(
    question: Question, candidates: Sequence[Candidate], background: Background, options: Options
) -> list[Ranked]:
    """Every candidate with its probability, best first; nothing is left out."""
    parts = weigh(question, candidates, background, options)
    offset = calibrate.base(question, candidates, background)
    ranked = []
    for candidate in candidates:
        scaled = calibrate.calibrated(parts[candidate.record.id], offset, background)
        score = math.fsum(scaled.values())
        ranked.append(
            Ranked(candidate.record, calibrate.probability(score), score, scaled, candidate.terms)
        )
    return sorted(ranked, key=lambda hit: (-hit.score, -_when(hit), hit.record.id))


def _when(hit: Ranked) -> float:
    return (hit.record.valid_from or hit.record.created_at).timestamp()
