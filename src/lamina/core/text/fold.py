"""Spelling made equal: width, accents, letter variants, invisible characters.

Case is kept, because the splitting of identifiers needs it. Vowel signs of scripts that write
vowels as marks (Devanagari, Thai, Khmer, ...) are letters here and are never dropped.
"""

import re
import unicodedata
from typing import Final

# Ordering combining marks takes the square of the length of a run of them, so long texts are
# normalised in slices.
_SLICE: Final = 256

# Marks that readers and keyboards leave out: Latin, Greek and Cyrillic accents, Hebrew points,
# Arabic vowel marks, hamza and tatweel, the Devanagari nukta, and what only steers display (soft
# hyphen, joiners, direction marks, variation selectors, emoji skin tones and tags).
_DROPPED: Final = re.compile(
    "[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u093c"
    "\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff"
    "\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\U0001f3fb-\U0001f3ff\U000e0000-\U000e0fff]+"
)

# Signs whose compatibility form is letters; those would stick to the word before, and one of them
# is eighteen characters long.
_SIGNS: Final = {ord(sign): " " for sign in "™℠℡℻ﷺﷻ"}

# The first digit of each decimal script a reader may meet; the other nine follow it.
_ZEROS: Final = "٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐"

_VARIANTS: Final = "øØłŁđĐðÐħĦŧŦıĸŋŊٱىةکیےۀہھ’‘ʼʹ′‐−"
_COMMON: Final = "oOlLdDdDhHtTiknNايهكييههه'''''--"
_LETTERS: Final[dict[int, str]] = {
    **{ord(variant): common for variant, common in zip(_VARIANTS, _COMMON, strict=True)},
    **{ord(zero) + digit: str(digit) for zero in _ZEROS for digit in range(10)},
    **{0xE6: "ae", 0xC6: "Ae", 0x153: "oe", 0x152: "Oe", 0xFE: "th", 0xDE: "Th"},
}


def fold(text: str) -> str:
    """Return the text without the differences a searcher does not type; case stays."""
    if text.isascii():
        return text
    if len(text) <= _SLICE:
        return _fold_slice(text)
    return "".join(_fold_slice(text[at : at + _SLICE]) for at in range(0, len(text), _SLICE))


def _fold_slice(text: str) -> str:
    spread = unicodedata.normalize("NFKD", text.translate(_SIGNS))
    return unicodedata.normalize("NFC", _DROPPED.sub("", spread).translate(_LETTERS))
