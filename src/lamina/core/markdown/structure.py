"""Where a page of Markdown has its front matter, its fences and its headings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_UNDERLINE: Final = re.compile(r" {0,3}(?:(=+)|-+)[ \t]*")
_FENCE: Final = re.compile(r"(\s*)(`{3,}|~{3,})(.*)")
_NOT_A_TITLE: Final = re.compile(
    r" {0,3}(?:[-*+>|]|\d+[.)]|<|={3,}|-{3,}|#{1,6}(?:\s|$)|\[[^\]]+\]:)| {4}|\t"
)
_MATTER: Final = {"---": ("---", "..."), "+++": ("+++",)}
_LONGEST_MATTER: Final = 200
_DEEPEST: Final = 6


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its lines, both ends included, how deep it is, and its words as written."""

    first: int
    last: int
    level: int
    title: str


def lines_of(text: str) -> list[str]:
    """The lines of a text, however they end."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def front_matter(lines: Sequence[str]) -> int:
    """The last line of the front matter; 0 where there is none."""
    ends = _MATTER.get(lines[0].removeprefix("\ufeff").rstrip(), ())
    for number in range(2, min(len(lines), _LONGEST_MATTER) + 1):
        if lines[number - 1].rstrip() in ends:
            return number
    return 0


def fences(lines: Sequence[str], number: int) -> Iterator[tuple[int, int]]:
    """The first and last line of every fenced block; one that nobody closes ends with the page."""
    closings = _Closings(lines)
    while number <= len(lines):
        opened = _FENCE.fullmatch(lines[number - 1])
        if opened is None or (opened[2][0] == "`" and "`" in opened[3]):
            number += 1
            continue
        last = closings.after(number, opened[2])
        if last is None and len(opened[1].expandtabs(4)) > 3:
            # Indented so far it is a fence inside a list, or an example of one in a listing.
            number += 1
            continue
        last = last or len(lines)
        yield number, last
        number = last + 1


class _Closings:
    """The lines that could close a fence, and how long the longest of them is from a line on.

    So a fence that nobody closes is known for what it is without reading on to the end.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lengths: dict[str, list[int]] = {}
        self._longest: dict[str, list[int]] = {}
        bare = [line.strip() for line in lines]
        for mark in "`~":
            lengths = [len(one) if one and not one.strip(mark) else 0 for one in bare]
            longest = [*lengths, 0]
            for at in range(len(lengths) - 1, -1, -1):
                longest[at] = max(longest[at], longest[at + 1])
            self._lengths[mark], self._longest[mark] = lengths, longest

    def after(self, opening: int, marks: str) -> int | None:
        if self._longest[marks[0]][opening] < len(marks):
            return None
        lengths = self._lengths[marks[0]]
        return next(at + 1 for at in range(opening, len(lengths)) if lengths[at] >= len(marks))


def headings(
    lines: Sequence[str], start: int, blocks: Sequence[tuple[int, int]]
) -> Iterator[Heading]:
    """The headings from a line on, outside of these blocks."""
    passed = {number for first, last in blocks for number in range(first, last + 1)}
    paragraph: list[int] = []
    """The lines of running text right above, which an underline makes a heading."""
    for number in range(start, len(lines) + 1):
        line = lines[number - 1]
        if number in passed or not line.strip():
            paragraph = []
        elif found := _marked(line):
            paragraph = []
            yield Heading(number, number, *found)
        elif paragraph and (under := _UNDERLINE.fullmatch(line)):
            title = " ".join(lines[one - 1].strip() for one in paragraph)
            yield Heading(paragraph[0], number, 1 if under[1] else 2, title)
            paragraph = []
        elif not paragraph and _NOT_A_TITLE.match(line):
            # Lists, quotes, tables and listings go on until a blank line.
            passed.update(_run(lines, number))
        else:
            paragraph.append(number)


def _marked(line: str) -> tuple[int, str] | None:
    """Level and title of a line such as `## Title ##`."""
    bare = line.lstrip(" ")
    title = bare.lstrip("#")
    level = len(bare) - len(title)
    if not 1 <= level <= _DEEPEST or len(line) - len(bare) > 3 or title[:1] not in ("", " ", "\t"):
        return None
    title = title.strip(" \t")
    inner = title.rstrip("#")
    if inner != title and inner[-1:] in ("", " ", "\t"):
        title = inner.rstrip(" \t")
    return level, title


def _run(lines: Sequence[str], number: int) -> Iterator[int]:
    """This line and those that follow without a blank or a heading."""
    while number <= len(lines) and lines[number - 1].strip():
        yield number
        number += 1
        if number <= len(lines) and _marked(lines[number - 1]):
            return
