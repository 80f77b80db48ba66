"""The way from candidates to an answer: weigh, calibrate, order, leave out what does not matter."""

import math
from collections.abc import Sequence

from lamina.core.ranking import calibrate
from lamina.core.ranking.candidates import Background, Candidate, Options, Ranked
from lamina.core.ranking.certain import is_certain
from lamina.core.ranking.duplicates import collapsed, diverse
from lamina.core.ranking.fusion import weigh
from lamina.core.ranking.question import Question


def rank(
    question: Question, candidates: Sequence[Candidate], background: Background, options: Options
) -> list[Ranked]:
    """The records that answer a question, best first; none when nothing is likely to."""
    ranked = order(question, candidates, background, options)
    if not answers(question, candidates, ranked, options):
        return []
    found = [hit for hit in ranked if hit.probability >= options.least]
    if options.floor is None and len(found) < len(ranked):
        # What the question calls by name is in the answer, however unlikely it looks.
        named = {one.record.id for one in candidates if is_certain(question, one)}
        found += [hit for hit in ranked[len(found) :] if hit.record.id in named]
    if options.collapse:
        found = collapsed(found, options.limit)
    if options.diversity > 0:
        found = diverse(found, options.limit, options.diversity)
    return found[: options.limit]


def order(
    question: Question, candidates: Sequence[Candidate], background: Background, options: Options
) -> list[Ranked]:
    """Every candidate with its probability, best first; nothing is left out."""
    if not candidates:
        return []
    parts = weigh(question, candidates, background, options)
    sums = {record: math.fsum(said.values()) for record, said in parts.items()}
    best = min(candidates, key=lambda one: (-sums[one.record.id], -_when(one), one.record.id))
    log_odds = calibrate.confidence(question, candidates, best, background)
    slope = calibrate.curve_for(background).slope
    scaled = calibrate.calibrated(parts, best.record.id, log_odds, slope)
    ranked = [_ranked(candidate, scaled[candidate.record.id]) for candidate in candidates]
    place = {candidate.record.id: candidate for candidate in candidates}
    return sorted(
        ranked,
        key=lambda hit: (-sums[hit.record.id], -_when(place[hit.record.id]), hit.record.id),
    )


def answers(
    question: Question,
    candidates: Sequence[Candidate],
    ranked: Sequence[Ranked],
    options: Options,
) -> bool:
    """Whether there is anything to say: the best is likely enough, or the question names a record.

    The measured floor gives way to a record that the question calls by name; one that the caller
    has set does not.
    """
    if not ranked:
        return False
    if options.floor is not None:
        return ranked[0].probability >= options.floor
    if ranked[0].probability >= calibrate.DEFAULT_FLOOR:
        return True
    return any(is_certain(question, candidate) for candidate in candidates)


def _ranked(candidate: Candidate, parts: dict[str, float]) -> Ranked:
    score = math.fsum(parts.values())
    return Ranked(candidate.record, calibrate.probability(score), score, parts, candidate.terms)


def _when(candidate: Candidate) -> float:
    return (candidate.record.valid_from or candidate.record.created_at).timestamp()
