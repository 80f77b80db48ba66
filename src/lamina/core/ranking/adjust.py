"""Adjustments: what is known of a record besides its wording. Each moves the odds a little.

None of them can lift what does not fit the question over what does: together they weigh about as
much as one matching word.
"""

import math
from typing import Final

from lamina.core.ranking.candidates import Candidate
from lamina.core.ranking.neighbours import in_conversation
from lamina.core.ranking.question import Question
from lamina.core.record import Trust
from lamina.core.text import tokens
from lamina.core.usage import worth

_TRUST: Final = {Trust.WEB: -1.0, Trust.TOOL: -0.4, Trust.FILE: -0.2, Trust.AGENT: -0.2}
_HALF_LIFE_DAYS: Final = 365
_LEAST_CONFIDENCE: Final = 0.05
_ASKED_BACK: Final = 0.2
"""What remains of the distrust in an assistant's words when the question asks for them."""


def adjustments(question: Question, candidate: Candidate) -> dict[str, float]:
    """The signals of one candidate that are not zero."""
    record = candidate.record
    found = {
        "trust": _TRUST.get(record.trust, 0.0),
        "confidence": math.log(max(record.confidence, _LEAST_CONFIDENCE)),
        "importance": 2 * record.importance - 1,
        "recency": _recency(question, candidate),
        # Most records have none of these, and most questions name no time.
        "time": _time(question, candidate) if question.spans else 0.0,
        "key": _key(question, record.key) if record.key else 0.0,
        "tags": _tags(question, candidate) if record.tags else 0.0,
        "voice": _voice(question, candidate),
        "use": worth(candidate.used, question.now) if candidate.used else 0.0,
    }
    return {name: value for name, value in found.items() if value}


def _recency(question: Question, candidate: Candidate) -> float:
    """1 for what holds since today, halved with every half-life; in whole days, to stand still."""
    record = candidate.record
    age = (question.now - (record.valid_from or record.created_at)).days
    return math.exp2(-max(age, 0) / _HALF_LIFE_DAYS)


def _time(question: Question, candidate: Candidate) -> float:
    """How well the record's time fits a time that the question names."""
    instant = candidate.record.valid_from or candidate.record.created_at
    return max((span.nearness(instant) for span in question.spans), default=0.0)


def _key(question: Question, key: str) -> float:
    """1 where the question is the key, a half where it names it among other words."""
    if question.text.strip().casefold() == key.casefold():
        return 1.0
    return 0.5 if _is_named(key, question) else 0.0


def _tags(question: Question, candidate: Candidate) -> float:
    """1 where the question names one of the record's tags."""
    return float(any(_is_named(tag, question) for tag in candidate.record.tags))


def _is_named(name: str, question: Question) -> bool:
    """Whether a question has every word of a name."""
    wanted = set(tokens(name))
    return bool(wanted) and wanted <= question.words


def _voice(question: Question, candidate: Candidate) -> float:
    """-1 for what an assistant said: it mostly repeats and advises, while people tell the facts."""
    if candidate.record.kind != "assistant" or not in_conversation(candidate):
        return 0.0
    return -_ASKED_BACK if question.asks_back else -1.0
