"""Fusion: one weighted sum of all signals.

The weights of the first two groups are the best of a listwise logistic regression over ten sets of
questions (conversations, assistants, commits, code, preferences, Chinese facts, meetings), each set
counting the same; they come out alike when any one set is left out and with another embedder. Those
of the adjustments have no data to be fitted to: they are small by decision, and do no harm there.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from lamina.core.ids import RecordId
from lamina.core.ranking.adjust import adjustments
from lamina.core.ranking.candidates import Background, Candidate, Options
from lamina.core.ranking.neighbours import Conversation, company
from lamina.core.ranking.question import Question
from lamina.core.ranking.signals import direct, pending, relative_words

WEIGHTS: Final[Mapping[str, float]] = {
    # What it says. Without any vectors, `keywords` stands in for the three others: coverage helps
    # only where meaning makes up for the length of a text that it does not look at.
    "words": 0.8,
    "coverage": 4.6,
    "meaning": 17.5,
    "pending": 17.5,
    "keywords": 5.0,
    # Where it was said.
    "answers": 2.8,
    "thread": 1.8,
    "followed": 1.1,
    "replied": 1.8,
    "company": 0.6,
    "asks": 0.5,
    "voice": 1.5,
    # What else is known of it.
    "time": 1.0,
    "key": 3.0,
    "tags": 0.7,
    "trust": 0.3,
    "confidence": 0.5,
    "importance": 0.3,
    "recency": 0.15,
    # The least of all: what is handed out is counted for having been, so it must not feed itself.
    "use": 0.1,
}


def weigh(
    question: Question, candidates: Sequence[Candidate], background: Background, options: Options
) -> dict[RecordId, dict[str, float]]:
    """The weighted signals of every candidate; those that are zero are not named."""
    share = relative_words(candidates)
    conversation = Conversation(candidates)
    said = direct(question, candidates, background)
    found = {record: _weighted(signals, options) for record, signals in said.items()}
    sums = {record: sum(parts.values()) for record, parts in found.items()}
    near = company(candidates, sums)
    waiting = pending(candidates, share, background)
    for candidate in candidates:
        record = candidate.record.id
        signals = conversation.signals(candidate, share)
        signals["company"] = near.get(record, 0.0)
        signals["pending"] = waiting.get(record, 0.0)
        signals |= adjustments(question, candidate)
        found[record] |= _weighted(signals, options)
    return found


def _weighted(signals: Mapping[str, float], options: Options) -> dict[str, float]:
    weighted = {name: WEIGHTS[name] * value for name, value in signals.items() if value}
    chosen = options.weights
    if not chosen:
        return weighted
    return {
        name: value * chosen.get(name, 1.0)
        for name, value in weighted.items()
        if chosen.get(name, 1.0)
    }
