"""Explaining: what a result is made of, and why a record is not in it."""

from collections.abc import Sequence
from dataclasses import dataclass

from lamina.core.ids import RecordId
from lamina.core.ranking import calibrate
from lamina.core.ranking.candidates import Background, Candidate, Options, Ranked
from lamina.core.ranking.question import Question
from lamina.core.ranking.rank import order, rank


@dataclass(frozen=True, slots=True)
class Absence:
    """Why a record was not returned: one reason, in a word and in a sentence."""

    reason: str
    """`no_match`, `below_floor`, `too_unlikely`, `duplicate`, `outranked` or `returned`."""
    sentence: str
    place: int | None = None
    """Where it stands in what is returned, else among all candidates, counted from 1."""
    ranked: Ranked | None = None


def why_not(
    question: Question,
    candidates: Sequence[Candidate],
    background: Background,
    options: Options,
    record: RecordId,
) -> Absence:
    """Say what kept a record out of the answer to a question."""
    ranked = order(question, candidates, background, options)
    found = next(((at, hit) for at, hit in enumerate(ranked, 1) if hit.record.id == record), None)
    if found is None:
        return Absence(
            "no_match",
            "It shares no word with the question and is not among the nearest in meaning.",
        )
    place, hit = found
    returned = rank(question, candidates, background, options)
    for at, other in enumerate(returned, 1):
        if other.record.id == record:
            return Absence("returned", f"It is returned, at place {at}.", at, hit)
        if record in other.duplicates:
            sentence = f"It says nearly the same as {other.record.id}, which stands for it."
            return Absence("duplicate", sentence, place, hit)
    return _absence(place, hit, ranked[0], returned, options)


def _absence(
    place: int, hit: Ranked, best: Ranked, returned: Sequence[Ranked], options: Options
) -> Absence:
    if not returned and best.probability >= options.least:
        floor = calibrate.DEFAULT_FLOOR if options.floor is None else options.floor
        sentence = (
            f"Nothing was returned: the best match is relevant with {best.probability:.1%} only,"
            f" and the floor is {floor:.1%}."
        )
        return Absence("below_floor", sentence, place, hit)
    if hit.probability < options.least:
        sentence = (
            f"It is relevant with {hit.probability:.1%}; at least {options.least:.1%} is wanted."
        )
        return Absence("too_unlikely", sentence, place, hit)
    sentence = f"It stands at place {place} of all candidates, and {len(returned)} were returned."
    return Absence("outranked", sentence, place, hit)
