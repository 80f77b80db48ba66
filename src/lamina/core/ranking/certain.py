"""Matches beyond doubt: what no measure of confidence may silence."""

import re
from typing import Final

from lamina.core.ranking.candidates import Candidate
from lamina.core.ranking.question import Question

_ALL: Final = 0.9
_LONG: Final = 4
# What makes a token a name given on purpose: a digit among letters, or a sign inside.
_IDENTIFIER: Final = re.compile(r"(?=.*[^\W\d_])(?=.*(?:\d|[^\w\s]|_)).*|\d{5,}|\d+(?:[.-]\d+)+")


def is_certain(question: Question, candidate: Candidate) -> bool:
    """Whether a question names a record: by its key, an identifier, or nothing but its words."""
    if candidate.coverage >= _ALL:
        return True
    key = candidate.record.key
    if key and question.text.strip().casefold() == key.casefold():
        return True
    return any(is_identifier(token) for token in candidate.terms)


def is_identifier(token: str) -> bool:
    """Whether a token is a name such as `api_v2`, `INC-1042` or `src/app.py`, not a common word."""
    return len(token) >= _LONG and bool(_IDENTIFIER.fullmatch(token)) and not token.isalpha()
