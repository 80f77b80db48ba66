"""Light stemming: one short form for the common endings of a word.

The rules look only at the word, never at its language, so each one is either harmless elsewhere or
bound to a script. Words of three letters and fewer, and everything with a digit, stay as they are.
Documents and queries share these functions; a word therefore always finds itself.
"""

import re
from typing import Final

_VOWEL: Final = re.compile("[aeiouy]")
# Endings whose plural another rule would not reach: German, Dutch, Italian, Portuguese, French.
_PLURALS: Final = (
    ("ungen", "ung"), ("heiten", "heit"), ("keiten", "keit"), ("schaften", "schaft"),
    ("ionen", "ion"), ("heden", "heid"), ("zioni", "zion"), ("coes", "cao"), ("soes", "sao"),
    ("eaux", "eau"), ("aux", "al"),
)  # fmt: skip
_PLURAL_TAILS: Final = ("en", "ni", "es", "ux")
_HISSING: Final = ("xes", "ches", "shes", "sses", "zzes")
# Names and words whose end only looks like an ending.
_KEPT: Final = frozenset(("embed", "news", "less", "during", "nothing", "something", "everything"))

# Case endings of Russian, with й already folded to и; longest first.
_CYRILLIC: Final = (
    frozenset(("ами", "ями", "ого", "его", "ому", "ему", "ыми", "ими", "иях", "иям", "ием")),
    frozenset(("ах", "ях", "ов", "ев", "еи", "ом", "ем", "ам", "ям", "ыи", "ии", "ои", "ая", "яя",
               "ое", "ее", "ые", "ие", "ую", "юю", "ия", "ию", "ых", "их", "ью", "ья", "ье")),
    frozenset("аяоеиыуюь"),
)  # fmt: skip
_ARTICLES: Final = ("وال", "بال", "كال", "فال", "ال", "لل")


def stem(word: str) -> str:
    """Return the short form of a folded, lower-case word made of letters."""
    if len(word) <= 3:
        return word
    if word.isascii():
        return word if word in _KEPT else _latin(word)
    if "\u0400" <= word[0] <= "\u04ff":
        return _cyrillic(word)
    return word


def without_article(word: str) -> str:
    """Return an Arabic word without the article written onto it, or the word itself."""
    if not "\u0620" <= word[0] <= "\u064a":
        return word
    for article in _ARTICLES:
        if word.startswith(article) and len(word) - len(article) >= 3:
            return word[len(article) :]
    return word


def _latin(word: str) -> str:
    word = _singular(word)
    if word.endswith("ing"):
        word = _base_of(word, word[:-3])
    elif word.endswith("ied") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("ed") and not word.endswith("eed"):
        word = _base_of(word, word[:-2])
    elif word.endswith("ly") and len(word) > 5 and word[-3] != "i":
        word = word[:-2]
    if len(word) > 4 and word[-1] == "e":
        word = word[:-1]
    return word[:-1] if len(word) > 5 and word.endswith("ll") else word


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith(_PLURAL_TAILS):
        for ending, single in _PLURALS:
            if word.endswith(ending) and len(word) > len(ending):
                return word[: -len(ending)] + single
    if word[-1] != "s" or word.endswith(("ss", "us", "is")) or not _VOWEL.search(word):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    return word[:-2] if word.endswith(_HISSING) else word[:-1]


def _base_of(word: str, base: str) -> str:
    """Undo what `-ing` and `-ed` do to the end of a verb; `word` itself if it was no verb."""
    if len(base) < 2 or not _VOWEL.search(base):
        return word
    if base[-1] == base[-2] and len(base) > 3:
        return base if base[-1] in "lsz" else base[:-1]
    if len(base) == 2 and base[0] in "aeiou":
        return base + "e"
    closed = len(base) == 3 and base[0] not in "aeiou" and base[-1] not in "aeiouwxy"
    return base + "e" if closed and base[1] in "aeiouy" else base


def _cyrillic(word: str) -> str:
    for ending in (3, 2, 1):
        if len(word) - ending >= 3 and word[-ending:] in _CYRILLIC[3 - ending]:
            return word[:-ending]
    return word
