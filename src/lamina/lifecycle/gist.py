"""The gist of a statement: equal for two texts that nobody would tell apart by what they say.

Case at the start of a sentence, articles, courtesies, contractions, quotes and full stops make no
difference. Every other word does, in its order: similarity cannot see that `staging` became
`production`, that a number changed or that a `not` is missing, and an equal gist rules that out.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_SILENT: Final = frozenset(("please", "also"))
"""Words that may be missing without anything else being said."""
_ARTICLES: Final = frozenset(("a", "an", "the"))
_BEFORE_ARTICLES: Final = frozenset(
    "about after and are as at be before by for from had has have in into is of on or over that to"
    " under was were with".split()
)
"""Behind these an article may be missing. Behind others it may be a name, as in `plan a`."""
_BEFORE: Final = "\"'“”‘’«»([{"
_BEHIND: Final = "\"'“”‘’«».,;:!)]}"
_CLOSING: Final = "\"'“”‘’«»)]}"
_ENDS: Final = (".", "!", "?")
_STOPS: Final = ".,;:!"
_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}
_SHORT: Final = {
    "can't": "can not",
    "cannot": "can not",
    "won't": "will not",
    "shan't": "shall not",
}
_NEGATED: Final = re.compile(r"([a-z]+)n't", re.IGNORECASE)
_TELLING: Final = re.compile(r"\b\w{8,}\b(?!['’]t)|\d+")
"""Words that are neither articles nor courtesies nor parts of contractions, whatever their case."""
_SEPARATOR: Final = "\x1f"


def gist(text: str) -> str | None:
    """What a text comes to; `None` when it has no words at all."""
    said = unicodedata.normalize("NFC", text).strip()
    if "\n" in said:
        # Lists, code and tables say things by their layout too.
        return said
    words = list(_words(said))
    if not any(any(letter.isalnum() for letter in word) for word in words):
        return None
    last = len(words) - 1
    kept = [word for at, word in enumerate(words) if at == last or not _is_silent(words, at)]
    return _SEPARATOR.join(kept)


def telling(text: str) -> frozenset[str]:
    """The long words and the numbers of a text: texts of one gist have the same.

    It takes a fraction of the time, so that the gist need be taken of few.
    """
    said = unicodedata.normalize("NFC", text) if not text.isascii() else text
    return frozenset(_TELLING.findall(said.lower()))


def _is_silent(words: list[str], at: int) -> bool:
    word, before = words[at], words[at - 1] if at else ""
    if word in _ARTICLES:
        return (word == "the" and at == 0) or before in _BEFORE_ARTICLES
    return word in _SILENT


def _words(text: str) -> list[str]:
    found: list[str] = []
    begins = True
    for chunk in text.replace("’", "'").split():
        word = _bare(chunk)
        # A word that stands in quotes is a name for itself and begins nothing.
        plain = _small(word) if begins and chunk[:1].isalpha() else word
        begins = chunk.rstrip(_CLOSING).endswith(_ENDS)
        found += _long(plain).split() if word else [chunk]
    return found


def _bare(chunk: str) -> str:
    """A word without quotes and full stops; brackets around it alone are its own, as in `[x]`."""
    word = chunk.rstrip(_STOPS)
    if word[:1] in _PAIRS and word.endswith(_PAIRS[word[0]]):
        return word
    return chunk.lstrip(_BEFORE).rstrip(_BEHIND)


def _small(word: str) -> str:
    """The first word of a sentence as it is written within one; an abbreviation stays."""
    # So does a letter, which is a name for something.
    return word.lower() if len(word) > 1 and word[1:] == word[1:].lower() else word


def _long(word: str) -> str:
    small = word.lower()
    if small in _SHORT:
        return _SHORT[small]
    negated = _NEGATED.fullmatch(word)
    return f"{negated[1]} not" if negated else word
