"""Matches beyond doubt: what no measure of confidence may silence."""

import re
from typing import Final

from lamina.core.ranking.candidates import Candidate
from lamina.core.ranking.question import Question

_ALL: Final = 0.9
_LONG: Final = 4
_FEW: Final = 2
_PIECE: Final = 2
_TELLING: Final = 0.25
"""How much of what a question tells a record must hold, for an identifier in it to name it."""
# What makes a token a name given on purpose: a digit among letters, or a sign inside.
_IDENTIFIER: Final = re.compile(r"(?=.*[^\W\d_])(?=.*(?:\d|[^\w\s]|_)).*|\d{5,}|\d+(?:[.-]\d+)+")


def is_certain(question: Question, candidate: Candidate) -> bool:
    """Whether a question names a record: by its key, an identifier, or nothing but its words."""
    if candidate.coverage >= _ALL:
        return True
    key = candidate.record.key
    if key and question.text.strip().casefold() == key.casefold():
        return True
    return is_pieced(question, candidate) or is_called(question, candidate)


def is_called(question: Question, candidate: Candidate) -> bool:
    """Whether a record holds an identifier of the question, and much of what that tells.

    Words that merely begin with those of the question, or contain them, do not name anything.
    """
    if candidate.coverage < _TELLING:
        return False
    return any(is_identifier(term.token) and term.token in candidate.terms
               for term in question.terms)  # fmt: skip


def is_pieced(question: Question, candidate: Candidate) -> bool:
    """Whether a question is a few pieces of words, and the record has words that hold them all.

    Somebody who types a piece is looking for that word; the rest of the word is no part of it.
    """
    pieces = [term.token for term in question.terms if term.weight >= 1]
    return (
        0 < len(pieces) <= _FEW
        and all(len(piece) >= _PIECE for piece in pieces)
        and all(any(piece in token for token in candidate.terms) for piece in pieces)
    )


def is_identifier(token: str) -> bool:
    """Whether a token is a name such as `api_v2`, `INC-1042` or `src/app.py`, not a common word."""
    return len(token) >= _LONG and bool(_IDENTIFIER.fullmatch(token)) and not token.isalpha()
