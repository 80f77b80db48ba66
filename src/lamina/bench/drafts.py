"""Memories to measure with: of ordinary size, each different, and the same ones every time.

Their words follow the law of natural language: a few are everywhere, most are rare, and one in each
is its own. An index that holds the same two dozen words a million times would measure something
that no store looks like.
"""

import random
from typing import Final

from lamina.core.draft import Draft

_FREQUENT: Final = (
    "deploy review branch index schema queue worker token cache retry timeout region bucket"
    " billing invoice customer session upload parser release rollback alert latency budget"
).split()
_SYLLABLES: Final = tuple(first + second for first in "bdfgklmnprstvz" for second in "aeiou")
_VOCABULARY: Final = 30_000
_SHIFT: Final = 20
"""What a memory is about varies more than its grammar: no word is in more than a part of them."""
_LENGTH: Final = 24


def draft(number: int) -> Draft:
    """The memory with this number."""
    return {"text": f"Observation {number}: {' '.join(_words(number))}.", "kind": "decision"}


def question(number: int) -> str:
    """What someone might ask who remembers the memory with this number: three of its words."""
    return " ".join(_words(number)[:: _LENGTH // 3])


def _words(number: int) -> list[str]:
    chance = random.Random(number)
    # Drawn evenly by the logarithm of its rank, a word is as frequent as one over its rank.
    spread = (_VOCABULARY + _SHIFT) / _SHIFT
    return [_word(int(_SHIFT * (spread ** chance.random() - 1))) for _ in range(_LENGTH)]


def _word(rank: int) -> str:
    if rank < len(_FREQUENT):
        return _FREQUENT[rank]
    size = len(_SYLLABLES)
    return "".join(_SYLLABLES[part] for part in (rank % size, rank // size % size, rank // size**2))
