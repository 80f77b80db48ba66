"""Direct signals: what a candidate says about itself, before its surroundings are looked at."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from lamina.core.ids import RecordId
from lamina.core.ranking.candidates import Background, Candidate
from lamina.core.ranking.question import Question

USUAL_MEAN: Final = 0.18
"""The mean cosine of a question to everything, as it is in the middle of the measured sets."""
_USUAL_COUNTS: Final = 2
"""How many records that mean is worth: in a store of one, its record is all there is to compare."""
USUAL_BEST: Final = 0.12
"""The meaning of a record that answers, as it is in the middle of the measured sets."""
_CLARITY: Final = 3
"""How fast a cosine loses weight where everything is near: 3 keeps Chinese from being disturbed."""
_MOST_UNRELATED: Final = 0.95
FOCUS: Final = 5
"""How many words of a question an answer can be expected to repeat, however long the question."""
_MOST_FOCUS: Final = 1.5
_SMALL: Final = 20
"""In stores of about so few documents, how rare a word is there says little about it."""


def relative_words(candidates: Sequence[Candidate]) -> dict[RecordId, float]:
    """Each keyword score as a share of the best one."""
    best = max((candidate.keyword for candidate in candidates), default=0.0)
    return {
        candidate.record.id: candidate.keyword / best if best > 0 else 0.0
        for candidate in candidates
    }


def usual_nearness(background: Background) -> float:
    """The question's mean nearness to everything, not trusting a handful of records too much."""
    if background.cosine_mean is None:
        return USUAL_MEAN
    mean = _clear(background.cosine_mean, background)
    count = background.cosine_sample
    return (mean * count + USUAL_MEAN * _USUAL_COUNTS) / (count + _USUAL_COUNTS)


def meanings(candidates: Sequence[Candidate], background: Background) -> dict[RecordId, float]:
    """How far each cosine stands out, weighed by how well the embedder tells things apart here.

    Where everything is near to everything, as in a language the embedder does not know, its mean
    cosine is high and what it says counts little.
    """
    mean = min(max(usual_nearness(background), 0.0), 1.0)
    clarity = (1 - mean) ** _CLARITY
    return {
        candidate.record.id: (_clear(candidate.cosine, background) - mean) * clarity
        for candidate in candidates
        if candidate.cosine is not None
    }


def nearness(candidate: Candidate, background: Background) -> float:
    """The cosine from 0, what unrelated texts have with this embedder, to 1."""
    if candidate.cosine is None:
        return 0.0
    return max(_above(candidate.cosine, background.unrelated), 0.0)


def _clear(cosine: float, background: Background) -> float:
    """A cosine without what the embedder gives to anything.

    One that goes below our own is left as it is: it tells things apart no worse.
    """
    return _above(cosine, max(background.unrelated, 0.0))


def _above(cosine: float, zero: float) -> float:
    """A cosine on a scale that begins at `zero`."""
    zero = min(zero, _MOST_UNRELATED)
    return (cosine - zero) / (1 - zero)


class Focus:
    """How much a record holds of the few words that a question is most about.

    Coverage shrinks with the length of a question, because no answer repeats all of a dialogue;
    this does not, so that short and long questions can be told apart from unanswerable ones alike.
    """

    def __init__(self, question: Question, background: Background) -> None:
        plain = math.log(2) * 2 * _SMALL / (_SMALL + background.documents)
        self._weights = {
            term.token: background.weights.get(term.token, 0.0) + term.weight * plain
            for term in question.terms
            if term.token in background.weights
        }
        self._most = sum(sorted(self._weights.values(), reverse=True)[:FOCUS])

    def of(self, candidate: Candidate) -> float:
        """The share of the strongest words, up to one and a half where it holds more than those."""
        if not self._most:
            return candidate.coverage
        held = sum(self._weights.get(token, 0.0) for token in set(candidate.terms))
        return min(held / self._most, _MOST_FOCUS)


def direct(
    question: Question, candidates: Sequence[Candidate], background: Background
) -> dict[RecordId, dict[str, float]]:
    """The signals of words and meaning."""
    share = relative_words(candidates)
    if not background.has_vectors:
        return {mine: {"keywords": value} for mine, value in share.items()}
    near, length = meanings(candidates, background), question.length
    found = {}
    for candidate in candidates:
        mine = candidate.record.id
        found[mine] = {"words": share[mine] * length, "coverage": candidate.coverage}
        if mine in near:
            found[mine]["meaning"] = near[mine]
    return found


def pending(
    candidates: Sequence[Candidate], share: Mapping[RecordId, float], background: Background
) -> dict[RecordId, float]:
    """What is assumed of records whose vectors are not there yet: their share of the best meaning.

    Else the newest records, which are asked for most, would lose to all that have a vector.
    """
    waiting = [one.record.id for one in candidates if one.cosine is None]
    if not background.has_vectors or not waiting:
        return {}
    best = max(meanings(candidates, background).values(), default=0.0)
    return {mine: max(best, USUAL_BEST) * share[mine] for mine in waiting}
