"""Keyword scores: BM25 with statistics of one stream, and how a piece of a word finds words.

The formula is spelled out once here and once in each store's own language; the contract suite holds
them together.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

K1: Final = 1.2
B: Final = 0.75
PREFIX_WEIGHT: Final = 0.5
INFIX_WEIGHT: Final = 0.25
PREFIX_COVERS: Final = 1.0
INFIX_COVERS: Final = 0.95
MAX_EXPANSIONS: Final = 32
MAX_VARIANTS: Final = 200
"""How many tokens one query may stand for, so that a page of pieces stays answerable."""
PRECISION: Final = 9
"""Scores are rounded so that sums in another order do not change a tie."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What scores are measured by: the documents of a stream that the asker can see, no others."""

    documents: int
    average: float
    """How many tokens a document has."""

    @classmethod
    def of(cls, documents: int, tokens: int) -> "Statistics":
        """The statistics of so many documents that have so many tokens in all."""
        return cls(documents, tokens / max(documents, 1))


def idf(documents: int, containing: int) -> float:
    """How much a term tells, from the number of documents and of those that contain it."""
    return math.log(1 + (documents - containing + 0.5) / (containing + 0.5))


def part(frequency: int, length: int, average: float) -> float:
    """How much one document is about a term, saturating with its frequency."""
    return frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / average))


def coverage(held: Iterable[str], worths: Mapping[str, float]) -> float:
    """How much of what a query's words tell is held, from 0 to 1.

    A longer word stands for nearly all of a piece of it: who types one means the word.
    """
    tokens = set(held)
    total = sum(worths.values()) if tokens else 0.0
    if total <= 0:
        return 0.0
    exact = sum(worth for term, worth in worths.items() if term in tokens)
    others = tokens - worths.keys()
    if others:
        exact += sum(
            worth * _stands_for(others, term)
            for term, worth in worths.items()
            if term not in tokens
        )
    return exact / total


def _stands_for(tokens: set[str], term: str) -> float:
    if any(token.startswith(term) for token in tokens):
        return PREFIX_COVERS
    return INFIX_COVERS if any(term in token for token in tokens) else 0.0


def looks_inside(*, known: bool, expand: bool, anywhere: bool) -> bool:
    """Whether a term is looked for inside other words as well.

    That means reading the whole vocabulary, so it is done for short pieces that are no word
    themselves, and for any term only when the query would otherwise find nothing (`anywhere`).
    """
    return not known and (expand or anywhere)


def expansions(piece: str, starting: Iterable[str], containing: Iterable[str]) -> dict[str, float]:
    """The words to try for a piece, each with its share of the weight.

    Words that start with it come first, then words that hold it elsewhere; among them the shortest,
    which the piece covers best.
    """
    found = dict.fromkeys(sorted(starting, key=_shortest), PREFIX_WEIGHT)
    found |= dict.fromkeys(sorted(set(containing) - found.keys(), key=_shortest), INFIX_WEIGHT)
    found.pop(piece, None)
    return dict(islice(found.items(), MAX_EXPANSIONS))


def _shortest(word: str) -> tuple[int, str]:
    return len(word), word
