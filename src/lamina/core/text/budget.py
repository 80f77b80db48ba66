"""How many model tokens a text will take, without a tokenizer.

The text is cut the way byte-pair tokenizers cut it before merging, and each piece is charged by its
kind and length. The charges were set against two public vocabularies (100,000 and 200,000 entries)
so that prose and code come out a little above the larger count of the two: a context that is too
small can be refilled, one that overflows cannot. Vocabularies that take every digit for itself
count up to twice as many in tables of numbers: whoever has one of those counts with it.
"""

import math
import re
from functools import cache
from typing import Final

_LATIN: Final = r"\u00c0-\u024f\u1e00-\u1eff"
_RARER: Final = r"\u0100-\u024f\u1e00-\u1eff"
_EAST_ASIAN: Final = r"\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff00-\uff0f\uff1a-\uff20"
_SIGNS: Final = r"!-/:-@\[-`{-~"

# Pattern, tokens for a short piece, characters that count as short, tokens for each further
# character. Order matters: the first pattern that fits wins.
_KINDS: Final = (
    # English words and inner humps of identifiers first: most text is made of them.
    (r"(?:[ ]|(?<![A-Za-z0-9]))[A-Z]?[a-z]++(?![\u00c0-\u1eff])", 1.0, 6, 0.13),
    # Letters of the east and the north, which vocabularies know less of. Bounded, because it looks
    # ahead from every hump of a long identifier.
    (rf"[ ]?[A-Za-z\u00c0-\u00ff]{{0,32}}+[{_RARER}][A-Za-z{_LATIN}]*+", 2.4, 4, 0.55),
    (rf"[ ]?[A-Za-z]{{0,32}}+[{_LATIN}][A-Za-z{_LATIN}]*+", 2.0, 4, 0.4),
    (r"(?<=[0-9])[a-z]++", 1.5, 2, 0.4),
    (r"[A-Z]?[a-z]++", 1.5, 4, 0.2),
    (rf"[{_SIGNS}][A-Z]?[a-z]++", 1.3, 6, 0.13),
    # Within ids and ciphers; a word in capitals has nothing before it.
    (r"(?<=[0-9a-z])[A-Z]++", 1.0, 1, 0.65),
    (r"[ ]?[A-Z]++", 1.0, 3, 0.4),
    (r"[0-9]{1,3}+", 1.0, 3, 0.0),
    (r"[ ]++", 1.0, 40, 0.02),
    (rf"[ ]?[{_SIGNS}]++[\r\n]*+", 1.0, 2, 0.7),
    (r"[\t\r\n\v\f]++", 1.0, 4, 0.1),
    (r"[ ]?[\u2010-\u2027\u00a0-\u00bf]", 1.3, 2, 0.0),
    # Cyrillic beyond the letters of Russian.
    (r"[ ]?[\u0410-\u044f]{0,32}+[\u0400-\u040f\u0450-\u052f][\u0400-\u052f]*+", 1.5, 2, 0.62),
    (r"[ ]?[\u0400-\u052f]++", 1.0, 3, 0.5),
    (r"[ ]?[\u0600-\u06ff]++", 1.0, 2, 0.85),
    (r"[ ]?[\u0370-\u03ff\u0590-\u05ff]++", 1.0, 1, 1.1),
    (rf"[\u0e00-\u0e7f{_EAST_ASIAN}]++", 1.3, 1, 1.2),
    (r"[ ]?[\u0900-\u097f]++", 1.5, 2, 1.5),
    (r"[ ]?[\u0980-\u0dff]++", 1.5, 2, 1.75),
    (r"[ ]?[\u0250-\u0fff\u2000-\uffff]", 2.0, 2, 0.0),
    (r"[ ]?[\u1000-\u1fff]", 3.0, 2, 0.0),
    (r"[\x00-\x9f]", 1.0, 1, 0.0),
    (r"(?s:.)", 3.0, 1, 0.0),
)
_CHARGES: Final = ((0.0, 0, 0.0), *((base, short, more) for _, base, short, more in _KINDS))
_WORD: Final = 1
_LETTERS: Final = frozenset((1, 4, 5, 6))
_ENDLESS: Final = 10
_NO_WORD: Final = 1.1
"""Letters that go on like this are no word but an id or a cipher, of which nothing is known."""

# Vocabularies are made mostly from English and code: other languages in Latin letters take about
# half a token more for each word. These words tell which one it is.
_FAMILIAR: Final = re.compile(r"\b(?:the|and|to|that|with|for|this|it|return|self|if|from|const)\b")
_FAMILIAR_SHARE: Final = 0.03
_FOREIGN_SURCHARGE: Final = 0.65


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a language model will count, rather too many than too few."""
    total = 0.0
    words = 0
    for piece in _pieces().finditer(text):
        kind = piece.lastindex or 0
        base, short, more = _CHARGES[kind]
        excess = piece.end() - piece.start() - short
        total += base + excess * more if excess > 0 else base
        if excess > _ENDLESS and kind in _LETTERS:
            total += (excess - _ENDLESS) * _NO_WORD
        words += kind == _WORD
    if words and len(_FAMILIAR.findall(text)) < words * _FAMILIAR_SHARE:
        total += words * _FOREIGN_SURCHARGE
    return math.ceil(total)


@cache
def _pieces() -> re.Pattern[str]:
    # Compiled at the first call: it takes longer than importing all the rest.
    return re.compile("|".join(f"({pattern})" for pattern, *_ in _KINDS))
