"""The statements of a text, in a form in which the same words are the same however they are quoted.

Quotation marks, bullets, labels and spaces do not matter; every letter, figure and sign does, so
that a corrected value is never taken for what it corrects.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.paging.context import MORE, NOTHING, TITLES, WARNING
from lamina.paging.lines import LABEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FENCE: Final = re.compile(r"[>\s]*=== memory (\w{1,64}) ===\s*")
_ANY_FENCE: Final = re.compile(r"(?:\s[>\s]*)?(=== memory \w{1,64} ===)\s*")
_ENTRY: Final = re.compile(rf"\s[>\s]*- (?={LABEL.pattern})")
_BLOCK: Final = re.compile(r'[>\s]*<memory marker="(\w{1,64})">\s*')
_BLOCK_END: Final = re.compile(r"[>\s]*</memory>\s*")
_TITLE: Final = re.compile(
    rf"[>\s]*# (?:{'|'.join(TITLES.values())})(?:{re.escape(MORE)})?\s*|[>\s]*</?part\b[^>]*>\s*"
)
_ANY_TITLE: Final = re.compile(
    rf"\s[>\s]*(# (?:{'|'.join(TITLES.values())})(?:{re.escape(MORE)})?)\s+(?=- \[)"
)
_LEAD: Final = re.compile(r"(?:[\s>*•·\"'“”„‘’«»`_-]|\d{1,3}[.)]\s)+")
_TRAIL: Final = " \t.,;…*_`\"'“”„‘’«»"
_SENTENCE: Final = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+")
_CUT: Final = re.compile(r"\s*\[…\d+ characters…\]\s*")
_HERE: Final = " \u2702 "
"""Stands for the mark of a cut, which would else be taken for the end of a sentence."""
_SHORT: Final = 4
"""A sentence of fewer words says nothing without the one before it."""
_LONGEST_RUN: Final = 4


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, with the short ones that belong to it."""

    words: str
    """As it stands in the text."""
    plain: str
    """Without what does not matter."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a text."""

    text: str
    pieces: tuple[Piece, ...]
    is_labelled: bool = False

    @property
    def plain(self) -> str:
        """The whole line without what does not matter."""
        return plain(" ".join(piece.words for piece in self.pieces))


def rows(text: str) -> Iterator[Row]:
    """The lines of a text outside what is fenced in, and without what stands around entries."""
    unfolded = _unfolded(text)
    inside: str | None = None
    for line in unfolded.splitlines():
        end = _end_of(line)
        if inside is not None:
            inside = None if line.strip("> \t") == inside else inside
        elif end is not None and unfolded.count(end) > line.count(end):
            inside = end
        elif not _is_frame(line):
            yield _row(line)


def unfenced(text: str) -> str:
    """A text whose fences are gone, but not what stands between them."""
    return "\n".join(line for line in _unfolded(text).splitlines() if not _is_frame(line))


def statements(text: str) -> set[str]:
    """Everything that counts as the words of a text: its lines, sentences, and runs of them.

    A line that is too short to be known by itself is known by the one beside it.
    """
    lines = [plain(_bare(line)) for line in text.splitlines()]
    lines = [line for line in lines if line]
    found = {pair(one, two) for one, two in zip(lines, lines[1:], strict=False)}
    # As it reads when its lines were run together.
    found.add(plain(_bare(text)))
    for line in text.splitlines():
        bare = _bare(line)
        found.add(plain(bare))
        sentences = _SENTENCE.split(bare)
        for first in range(len(sentences)):
            for last in range(first + 1, min(len(sentences), first + _LONGEST_RUN) + 1):
                run = sentences[first:last]
                if last - first > 1 or len(run[0].split()) >= _SHORT:
                    found.add(plain(" ".join(run)))
    found.discard("")
    return found


def pair(one: str, other: str) -> str:
    """Two lines that follow each other, as one statement."""
    return f"{one}\n{other}"


def plain(text: str) -> str:
    """A statement without the marks around it, its spaces made equal."""
    same = " ".join(unicodedata.normalize("NFKC", text).split())
    return same[_lead(same) :].rstrip(_TRAIL)


def halves(statement: str) -> list[str]:
    """What stands before and behind the place where a text was cut, if it was."""
    return [one for one in map(plain, statement.split(_HERE.strip())) if one]


def _unfolded(text: str) -> str:
    """A text in which fences and entries stand on lines of their own, as they were shown."""
    apart = _ANY_TITLE.sub(r"\n\1\n", _ANY_FENCE.sub(r"\n\1\n", text))
    return _ENTRY.sub("\n- ", apart)


def _end_of(line: str) -> str | None:
    """How what this line begins is ended, if it begins a fenced part."""
    fence = _FENCE.fullmatch(line)
    if fence:
        return f"=== memory {fence[1]} ==="
    return "</memory>" if _BLOCK.fullmatch(line) else None


def _is_frame(line: str) -> bool:
    """Whether a line is one of those that stand around entries."""
    is_mark = _FENCE.fullmatch(line) or _BLOCK.fullmatch(line) or _BLOCK_END.fullmatch(line)
    return bool(is_mark or _TITLE.fullmatch(line) or WARNING in line or line.strip() == NOTHING)


def _row(line: str) -> Row:
    bare = _bare(line)
    return Row(line, tuple(_pieces(_SENTENCE.split(bare))), bool(LABEL.search(line)))


def _bare(line: str) -> str:
    """A line without bullets, quotation marks and the label before it."""
    text = _CUT.sub(_HERE, html.unescape(line) if "&" in line else line)
    text = text[_lead(text) :]
    label = LABEL.match(text)
    return text[label.end() :].strip() if label else text.strip()


def _lead(text: str) -> int:
    found = _LEAD.match(text)
    return found.end() if found else 0


def _pieces(sentences: Sequence[str]) -> Iterator[Piece]:
    """Sentences; a short one goes with the one before it, or at the beginning the one after."""
    group: list[str] = []
    for sentence in sentences:
        has_long = any(len(one.split()) >= _SHORT for one in group)
        if group and has_long and len(sentence.split()) >= _SHORT:
            yield _piece(group)
            group = []
        group.append(sentence)
    if plain(" ".join(group)):
        yield _piece(group)


def _piece(group: Sequence[str]) -> Piece:
    words = " ".join(group)
    return Piece(words, plain(words))
