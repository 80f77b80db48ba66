"""Cuts text into the pieces of BERT's uncased WordPiece vocabulary.

Lower case, accents stripped, every CJK character and punctuation mark a word of its own; each word is then
cut greedily into the longest pieces that the vocabulary holds.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

UNKNOWN = "[UNK]"
START = "[CLS]"
END = "[SEP]"
_LONGEST_WORD = 100
_CACHED_WORDS = 65_536
_CACHED_CHARACTERS = 20_000
_CHARACTERS_PER_PIECE = 32
_ASCII_WORD = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_ASCII_DROPPED = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class _Characters(dict[int, str]):
    """A table for `str.translate` that fills itself as characters turn up, and never grows large."""

    def __missing__(self, code: int) -> str:
        if len(self) >= _CACHED_CHARACTERS:
            self.clear()
        replacement = self[code] = self.replace(chr(code))
        return replacement

    def replace(self, character: str) -> str:
        raise NotImplementedError


class _Cleaned(_Characters):
    """Drops control characters, makes every space plain, sets ideographs apart."""

    def replace(self, character: str) -> str:
        if character in "\t\n\r":
            return " "
        if character == "\ufffd" or unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs"}:
            return ""
        if character.isspace():
            return " "
        code = ord(character)
        if any(first <= code <= last for first, last in _IDEOGRAPHS):
            return f" {character} "
        return character


class _Folded(_Characters):
    """Drops combining marks, lowers case, sets punctuation apart."""

    def replace(self, character: str) -> str:
        category = unicodedata.category(character)
        if category == "Mn":
            return ""
        if category.startswith("P") or (character.isascii() and category.startswith("S")):
            return f" {character} "
        return character.lower()


class WordPiece:
    """Turns texts into piece numbers; safe to share between threads."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._pieces = {piece: number for number, piece in enumerate(vocabulary)}
        self._longest = max(map(len, vocabulary))
        self.unknown = self._pieces[UNKNOWN]
        self.start = self._pieces[START]
        self.end = self._pieces[END]
        self._cleaned = _Cleaned()
        self._folded = _Folded()
        self._cut = lru_cache(_CACHED_WORDS)(self._cut_word)

    def encode(self, text: str, limit: int) -> list[int]:
        """The numbers of the text's first pieces, at most `limit`, without start and end marks."""
        numbers: list[int] = []
        cut = self._cut
        for word in self._words(text[: (limit + 1) * _CHARACTERS_PER_PIECE]):
            numbers.extend(cut(word))
            if len(numbers) >= limit:
                del numbers[limit:]
                break
        return numbers

    def _words(self, text: str) -> list[str]:
        if text.isascii():
            return _ASCII_WORD.findall(text.translate(_ASCII_DROPPED).lower())
        cleaned = text.translate(self._cleaned)
        return unicodedata.normalize("NFD", cleaned).translate(self._folded).split()

    def _cut_word(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_WORD:
            return (self.unknown,)
        numbers, start = [], 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._pieces.get(prefix + word[start:end])
                if number is not None:
                    numbers.append(number)
                    start = end
                    break
            else:
                return (self.unknown,)
        return tuple(numbers)
