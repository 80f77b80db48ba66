"""Terms: what a query asks the index for, and how much each answer counts."""

from dataclasses import dataclass
from typing import Final

from lamina.core.text.shape import is_unspaced
from lamina.core.text.stop import stop_tokens
from lamina.core.text.words import analyse

MAX_TERMS: Final = 64
_WHOLE: Final = 1.0
# Less than half, so that `C++` finds texts on C++ before texts on C that say it twice.
_PART: Final = 0.4


@dataclass(frozen=True, slots=True)
class Term:
    """One token a query looks for."""

    token: str
    weight: float
    expand: bool
    """Whether longer tokens that hold this one are worth a look even if it has postings."""


def query_terms(text: str) -> tuple[Term, ...]:
    """Return the distinct terms of a query, the most telling first.

    Function words go if anything else remains. No string is an error; one without words, numbers
    or symbols has no terms.
    """
    weights: dict[str, float] = {}
    for chunk in text.split():
        found = analyse(chunk)
        for token in found.wholes:
            weights[token] = _WHOLE
        for token in found.parts:
            weights.setdefault(token, _PART)
    stop = stop_tokens()
    kept = [token for token in weights if token not in stop] or list(weights)
    kept.sort(key=lambda token: (-weights[token], -len(token), token))
    return tuple(
        Term(token, weights[token], _is_piece(token, weights)) for token in kept[:MAX_TERMS]
    )


def _is_piece(token: str, weights: dict[str, float]) -> bool:
    """Whether a term may be a piece of a longer word.

    Parts are not: their whole is looked for already. A pair of an unspaced script is not either:
    no token is longer than it, and a single character of such a script begins pairs.
    """
    if weights[token] < _WHOLE:
        return False
    if is_unspaced(ord(token[0])):
        return len(token) == 1
    return len(token) in (2, 3)
