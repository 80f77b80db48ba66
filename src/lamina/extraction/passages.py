"""Passages: the running text of a file in pieces that belong together, each line with its number.

Pure. What is no prose (fenced code, tables, front matter, markup) is not in them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Final

from lamina.extraction.findings import LONGEST_SENTENCE

_END: Final = re.compile(r"[.!?。！？][\"'”’)\]*_`]{0,4}(?=\s|$)|[。！？]")
_NO_END: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|st|mr|mrs|dr|resp)|\b[A-Z])\.$", re.IGNORECASE
)
_BEHIND: Final = 12
"""How far before a full stop the abbreviation begins that it may belong to."""


class Form(StrEnum):
    """What a passage is on its page."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    QUOTE = "quote"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence and the line that it begins on."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines that are read together, without the marks in front of them."""

    form: Form
    first: int
    lines: tuple[str, ...]
    above: tuple[str, ...] = ()
    """The headings that it stands under, the outermost first."""
    done: bool | None = None
    """Whether its box is ticked, where it has one."""

    @property
    def text(self) -> str:
        """All of it on one line."""
        return " ".join(self.lines)

    @property
    def section(self) -> str:
        """The headings above it as one text."""
        return " > ".join(self.above)

    def sentences(self) -> Iterator[Sentence]:
        """The sentences that are not endless, in order."""
        text = self.text
        starts = [0, *accumulate(len(line) + 1 for line in self.lines)]
        at = number = 0
        for end in _ends(text):
            while number + 1 < len(self.lines) and starts[number + 1] <= at:
                number += 1
            piece = text[at:end] if end - at <= 2 * LONGEST_SENTENCE else ""
            if 0 < len(piece.strip()) <= LONGEST_SENTENCE:
                yield Sentence(piece.strip(), self.first + number)
            at = end + 1 if text[end : end + 1].isspace() else end


def _ends(text: str) -> Iterator[int]:
    for found in _END.finditer(text):
        if not _NO_END.search(text[max(0, found.end() - _BEHIND) : found.end()]):
            yield found.end()
    yield len(text)
