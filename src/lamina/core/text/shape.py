"""The shape of a text: one letter per character, saying what kind of character it is.

Patterns are written over shapes, in ASCII and without Unicode tables: `u` upper-case letter, `l`
other letter or vowel sign, `d` digit, `c` letter of a script written without spaces, `s` symbol or
emoji, `r` regional indicator (half a flag). ASCII punctuation stands for itself; a blank is
everything else and always separates.
"""

import unicodedata
from bisect import bisect_right
from typing import Final

# First and last code points of Thai, Lao, Myanmar, Hangul, Khmer, kana and Han blocks.
_UNSPACED: Final = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1100, 0x11FF), (0x1780, 0x17FF), (0x2E80, 0x2FDF),
    (0x3005, 0x3007), (0x3021, 0x3029), (0x3031, 0x3035), (0x3038, 0x303C), (0x3041, 0x318F),
    (0x31A0, 0x31BF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA960, 0xA97F),
    (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F), (0xAC00, 0xD7FF), (0xF900, 0xFAFF), (0x1B000, 0x1B16F),
    (0x20000, 0x3FFFF),
)  # fmt: skip
_STARTS: Final = [first for first, _ in _UNSPACED]
_IDEOGRAPHS: Final = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
_LAST_CACHED: Final = 0xFFFF


class _Kinds(dict[int, str]):
    """Kinds by code point, worked out when first met; only the basic plane is remembered."""

    def __missing__(self, code: int) -> str:
        kind = _kind(code)
        if code <= _LAST_CACHED:
            self[code] = kind
        return kind


def is_unspaced(code: int) -> bool:
    """Whether a code point belongs to a script written without spaces."""
    if code < _STARTS[0]:
        return False
    return code <= _UNSPACED[bisect_right(_STARTS, code) - 1][1]


def is_ideograph(code: int) -> bool:
    """Whether a code point is a Chinese character, in whichever language it is used."""
    return any(first <= code <= last for first, last in _IDEOGRAPHS)


def shape_of(text: str) -> str:
    """Return a string as long as the text that holds the kind of each character."""
    return text.translate(_KINDS)


def _kind(code: int) -> str:
    char = chr(code)
    category = unicodedata.category(char)
    if category[0] in "LMN":
        return _letter_kind(code, category)
    if code < 0x80:
        return char if category[0] in "PS" else " "
    if 0x1F1E6 <= code <= 0x1F1FF:
        return "r"
    # Unassigned and private characters are mostly emoji and icons newer than our tables.
    return "s" if category[0] == "S" or category in ("Cn", "Co") else " "


def _letter_kind(code: int, category: str) -> str:
    if category == "Nd":
        return "d"
    if is_unspaced(code):
        return "c"
    return "u" if category in ("Lu", "Lt") else "l"


_KINDS: Final = _Kinds()
