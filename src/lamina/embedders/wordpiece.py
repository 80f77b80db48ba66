"""Text into the numbers of word pieces, as an uncased BERT vocabulary has them.

Control characters go, accents go, case goes; punctuation and Chinese characters are words of their
own; a word is cut greedily into the longest pieces that the vocabulary holds. A marker such as
`[SEP]` inside a text is text.
"""

import unicodedata
from collections.abc import Sequence
from typing import Final

UNKNOWN: Final = "[UNK]"
BEGIN: Final = "[CLS]"
END: Final = "[SEP]"
LONGEST_WORD: Final = 100
_REMEMBERED_WORDS: Final = 50_000
_CHARACTERS_TO_A_PIECE: Final = 64
"""Far more than texts have; what is beyond is not even looked at."""
_CHINESE: Final = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """One vocabulary; safe to share between threads."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._number = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown = self._number[UNKNOWN]
        self._begin = self._number[BEGIN]
        self._end = self._number[END]
        self._characters = _Characters()
        self._words: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str, limit: int) -> list[int]:
        """The numbers of the first pieces of `text`, at most `limit` with the markers around."""
        numbers = [self._begin]
        room = limit - 1
        for word in text[: limit * _CHARACTERS_TO_A_PIECE].translate(self._characters).split():
            numbers += self._pieces(word)
            if len(numbers) >= room:
                del numbers[room:]
                break
        numbers.append(self._end)
        return numbers

    def _pieces(self, word: str) -> tuple[int, ...]:
        known = self._words.get(word)
        if known is not None:
            return known
        if len(self._words) >= _REMEMBERED_WORDS:
            self._words = {}
        cut = self._words[word] = self._cut(word)
        return cut

    def _cut(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST_WORD:
            return (self._unknown,)
        numbers = []
        start = 0
        while start < len(word):
            lead = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._number.get(lead + word[start:end])
                if number is not None:
                    break
            else:
                return (self._unknown,)
            numbers.append(number)
            start = end
        return tuple(numbers)


class _Characters(dict[int, str]):
    """What each character becomes, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        become = self[code] = _become(chr(code))
        return become


def _become(character: str) -> str:
    if character in "\t\n\r" or character.isspace():
        # Vertical tab and its kind are control characters here, and those vanish.
        return "" if unicodedata.category(character) == "Cc" and character not in "\t\n\r" else " "
    if character == "\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Co"):
        return ""
    plain = "".join(
        f" {part} " if _is_punctuation(part) else part.lower()
        for part in unicodedata.normalize("NFD", character)
        if unicodedata.category(part) != "Mn"
    )
    return f" {plain} " if _is_chinese(character) else plain


def _is_punctuation(character: str) -> bool:
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    return unicodedata.category(character).startswith("P")


def _is_chinese(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in _CHINESE)
