"""Direct signals: what a candidate says about itself, before its surroundings are looked at."""

from collections.abc import Mapping, Sequence
from typing import Final

from lamina.core.ids import RecordId
from lamina.core.ranking.candidates import Background, Candidate
from lamina.core.ranking.question import Question

USUAL_MEAN: Final = 0.18
"""The mean cosine where the store has no sample: that of the measured sets."""


def relative_words(candidates: Sequence[Candidate]) -> dict[RecordId, float]:
    """Each keyword score as a share of the best one."""
    best = max((candidate.keyword for candidate in candidates), default=0.0)
    return {
        candidate.record.id: candidate.keyword / best if best > 0 else 0.0
        for candidate in candidates
    }


def meaning(candidate: Candidate, background: Background) -> float:
    """How far the cosine stands out, weighed by how well the embedder tells things apart here.

    Where everything is near to everything, as in a language the embedder does not know, its mean
    cosine is high and what it says counts little.
    """
    if candidate.cosine is None:
        return 0.0
    mean = USUAL_MEAN if background.cosine_mean is None else background.cosine_mean
    clarity = 1 - min(max(mean, 0.0), 1.0)
    return (candidate.cosine - mean) * clarity * clarity


def direct(
    question: Question,
    candidate: Candidate,
    share: Mapping[RecordId, float],
    background: Background,
) -> dict[str, float]:
    """The signals of words and meaning."""
    return {
        "words": share[candidate.record.id] * question.length,
        "coverage": candidate.coverage,
        "meaning": meaning(candidate, background),
    }
