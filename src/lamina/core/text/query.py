"""Terms: what a query asks the index for, and how much each answer counts."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from lamina.core.text.shape import is_ideograph, is_unspaced
from lamina.core.text.stop import stop_tokens
from lamina.core.text.words import analyse

MAX_TERMS: Final = 128
_WHOLE: Final = 1.0
# Less than half, so that `C++` finds texts on C++ before texts on C that say it twice.
_PART: Final = 0.4
# A Chinese character alone is part of many words: it finds what pairs miss, behind what they find.
_CHARACTER: Final = 0.1
# What a long question says again, it is about: worth half a mention more each time, up to a limit
# that keeps one word from drowning all others.
_AGAIN: Final = 0.5
_TIMES: Final = 5


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
    times: Counter[str] = Counter()
    for chunk in text.split():
        found = analyse(chunk)
        for token in found.wholes:
            weights[token] = _WHOLE
        for token in found.parts:
            weights.setdefault(token, _CHARACTER if _is_character(token) else _PART)
        times.update(found.wholes + found.parts)
    stop = stop_tokens()
    kept = [token for token in weights if token not in stop] or list(weights)
    emphasis = {token: weights[token] * _emphasis(times[token]) for token in kept}
    kept.sort(key=lambda token: (-emphasis[token], -len(token), token))
    return tuple(
        Term(token, emphasis[token], _is_piece(token, weights)) for token in kept[:MAX_TERMS]
    )


def _is_character(token: str) -> bool:
    return len(token) == 1 and is_ideograph(ord(token))


def _emphasis(times: int) -> float:
    return 1 + _AGAIN * (min(times, _TIMES) - 1)


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
