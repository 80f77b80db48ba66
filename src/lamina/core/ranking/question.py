"""What a question is about, as far as its wording tells."""

import math
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lamina.core.ranking.times import Span, spans_of
from lamina.core.text import Term, query_terms, tokens

# Asking back about what was answered: "you mentioned", "our last chat", "remind me what you said".
_ASKS_BACK: Final = re.compile(
    r"\byou\s+(?:said|told|wrote|gave|made"
    r"|(?:mention|recommend|suggest|provid|explain|list|describ|creat|shar|propos|generat)\w*)"
    r"|\bour\s+(?:previous|last|earlier|past)\b|\bremind\s+me\b|\bdid\s+you\b"
    r"|\byour\s+(?:answer|suggestion|recommendation|advice|reply)",
    re.IGNORECASE,
)
_SHORT: Final = 1.1
"""The logarithm of how many words, plus one, a question has whose best match proves nothing."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query, understood once for all candidates."""

    text: str
    now: datetime
    terms: tuple[Term, ...]
    words: frozenset[str]
    """Every token of it, function words included, for looking up names."""
    spans: tuple[Span, ...]
    asks_back: bool
    """Whether it asks for what an assistant answered before."""

    @property
    def length(self) -> float:
        """How much wording there is to go by: grows with the logarithm of the number of words.

        The more words a question has, the more it means to match more of them than anything else.
        """
        return max(math.log1p(len(self.terms)) - _SHORT, 0.0)


def understand(text: str, now: datetime, terms: tuple[Term, ...] | None = None) -> Question:
    """Read a question: its words, the times it names, whom it asks."""
    found = query_terms(text) if terms is None else terms
    words = frozenset(tokens(text))
    return Question(text, now, found, words, spans_of(text, now), bool(_ASKS_BACK.search(text)))
