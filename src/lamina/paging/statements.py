"""A text as its statements: pieces that stand or fall as wholes, and what counts as said by one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.paging.lines import LABEL
from lamina.paging.wording import is_object, is_table, unframed, weight, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_END: Final = re.compile(
    r"(?<=[.!?…])(?<!characters…)[\"'”’»)\]*_]*\s+|(?<=;)\s+|(?<=[。！？；])[」』”]*\s*"
)
_SHORT: Final = 4
"""A sentence of fewer words says nothing without the one before it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, with the short ones that belong to it."""

    text: str
    """As it stands in the text."""
    words: str
    """Without what does not matter."""
    line: int
    """The number of its line."""
    is_labelled: bool = False
    """Whether it stands as it was shown, or for another reason is known to be about something."""
    is_record: bool = False
    """Whether it is a row of a table or an object, which name what they say in fields."""


def pieces(lines: Iterable[str]) -> Iterator[Piece]:
    """The pieces of some lines, one after the other."""
    for number, line in enumerate(lines):
        label = LABEL.search(line)
        is_record = not label and (is_table(line) or is_object(line))
        bare = LABEL.sub(" ", line) if label else line
        for text in [bare] if is_record else _sentences(bare):
            words = words_of(unframed(text))
            yield Piece(text.strip(), words, number, bool(label), is_record)


def statements(text: str) -> set[str]:
    """Everything that counts as the words of a text: all of it, its lines and its sentences.

    A line that is too short to be known by itself is known by the one beside it.
    """
    raw = [LABEL.sub(" ", line) for line in text.splitlines()]
    lines = [words for words in (words_of(unframed(line)) for line in raw) if words]
    found = {" ".join(lines), *lines}
    found |= {f"{one} {two}" for one, two in zip(lines, lines[1:], strict=False)}
    for line in raw:
        parts = _parts(line)
        if len(parts) > 1:
            said = {*parts, *_sentences(line)}
            found |= {one for one in map(_plain, said) if weight(one) >= _SHORT}
    found.discard("")
    return found


def _plain(text: str) -> str:
    return words_of(unframed(text))


def _sentences(line: str) -> list[str]:
    """Sentences; a short one goes with the one before it, or at the beginning the one after."""
    found: list[str] = []
    group: list[str] = []
    for sentence in _parts(line):
        has_long = any(_is_long(one) for one in group)
        if group and has_long and _is_long(sentence):
            found.append(" ".join(group))
            group = []
        group.append(sentence)
    return [*found, " ".join(group)] if group else found


def _is_long(sentence: str) -> bool:
    return weight(words_of(sentence)) >= _SHORT


def _parts(line: str) -> Sequence[str]:
    ends = [found.end() for found in _END.finditer(line)]
    cuts = [0, *ends, len(line)]
    parts = [line[a:b].strip() for a, b in zip(cuts, cuts[1:], strict=False)]
    return [part for part in parts if part] or [line]
