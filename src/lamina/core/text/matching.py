"""Where the words that a search matched stand in a text, as the analyser sees words."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, TypeAlias

from lamina.core.text.shape import shape_of
from lamina.core.text.words import analyse

Span: TypeAlias = tuple[int, int]
"""Where something begins, and where it has ended."""

_CHUNK: Final = re.compile(r"\S+")
_UNSPACED: Final = "c"
_AROUND: Final = "\"'([{<«“”‘’.,;:!?)]}>»"
"""What stands around a word and is no part of it."""


def matched(text: str, terms: frozenset[str]) -> Iterator[Span]:
    """Where words stand that one of the terms of a query means, first to last."""
    if not terms:
        return
    for chunk in _CHUNK.finditer(text):
        if not terms.isdisjoint(analyse(chunk[0]).tokens):
            yield from ((chunk.start() + begin, chunk.start() + end)
                        for begin, end in within(chunk[0], terms))  # fmt: skip


def within(chunk: str, terms: frozenset[str]) -> list[Span]:
    """The parts of a chunk that were asked for, or all of it where only its form matches."""
    # Pairs of characters overlap where a script has no spaces, so each place is looked at.
    found = [(one.start(), one.end(1)) for one in _pattern(terms).finditer(chunk)]
    if found:
        return _merged([one for one in found if _begins(chunk, one[0])] or found)
    bare = chunk.strip(_AROUND) or chunk
    begin = chunk.find(bare)
    return [(begin, begin + len(bare))]


def _begins(chunk: str, at: int) -> bool:
    """Whether a word can begin here: `event` in `processEvent`, but not `on` in `station`."""
    before = shape_of(chunk[at - 1 : at])
    return before not in ("u", "l", "d") or chunk[at].isupper()


def _merged(spans: list[Span]) -> list[Span]:
    found: list[Span] = []
    for begin, end in spans:
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((begin, end))
    return found


@lru_cache(maxsize=64)
def _pattern(terms: frozenset[str]) -> re.Pattern[str]:
    longest = sorted(terms, key=lambda term: (-len(term), term))
    return re.compile(f"(?=({'|'.join(map(_form, longest))}))", re.IGNORECASE)


def _form(term: str) -> str:
    """A stem and what a word has behind it; pairs of characters have nothing behind them."""
    ends = not term or shape_of(term[-1]) == _UNSPACED
    return re.escape(term) if ends else rf"{re.escape(term)}\w*"
