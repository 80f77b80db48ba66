"""A page that we write, read block by block: bullets with what is indented below them, and others.

This is the grammar of our own pages, in which indentation alone says what belongs to an entry, so
that any text comes back byte by byte; `core.markdown` reads the pages of everybody else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from lamina.files.headings import HEADING, nested

if TYPE_CHECKING:
    from collections.abc import Iterator

_BULLET: Final = re.compile(r"[-*+](?:[ \t]+(.*))?")
_INDENT: Final = re.compile(r"  |\t| $")
_FENCE: Final = re.compile(r"(```+|~~~+)")
_RULE: Final = re.compile(r"([-*_])(?:[ \t]*\1){2,}[ \t]*")
REMARK: Final = "<!-- lamina"
"""How a line begins that a projection wrote for the reader alone."""


@dataclass(slots=True)
class Block:
    """Something that stands on its own."""

    line: int
    path: tuple[str, ...]
    lines: list[str] = field(default_factory=list)
    bullet: bool = False

    @property
    def text(self) -> str:
        """Its lines as one text."""
        return "\n".join(self.lines)


@dataclass(slots=True)
class Body:
    """A body read: its blocks, and the headings it has."""

    title: str = ""
    sections: list[tuple[str, ...]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


def read_body(lines: list[str], first: int = 0) -> Body:
    """Read the lines of a body; `first` is how many lines of the file came before it."""
    return _Reader(lines, first).read()


class _Reader:
    def __init__(self, lines: list[str], first: int) -> None:
        self._lines = lines
        self._first = first
        self._fenced = dict(_fences(lines))
        self._body = Body()
        self._path: list[tuple[int, str]] = []
        self._open: Block | None = None
        self._gap = 0
        """Empty lines since the last line of the open block."""

    def read(self) -> Body:
        number = 0
        while number < len(self._lines):
            end = self._fenced.get(number)
            if end is None:
                self._take(number, self._lines[number])
                number += 1
                continue
            self._begin(number, bullet=False).lines += self._lines[number : end + 1]
            self._open = None
            number = end + 1
        return self._body

    def _take(self, number: int, line: str) -> None:
        heading, bullet = HEADING.fullmatch(line), _BULLET.fullmatch(line)
        if not line.strip(" \t"):
            self._gap += 1
        elif heading:
            self._head(len(heading[1]), heading[2].rstrip(" \t"))
        elif line.startswith(REMARK) or self._is_rule(line):
            self._open = None
        elif bullet:
            self._begin(number, bullet=True).lines.append(bullet[1] or "")
        elif self._open and self._open.bullet and _INDENT.match(line):
            self._go_on(line[1:] if line[0] == "\t" else line[2:])
        elif self._open and not self._gap:
            self._go_on(line)
        else:
            self._begin(number, bullet=False).lines.append(line)

    def _is_rule(self, line: str) -> bool:
        """Whether it only parts what stands above from what stands below."""
        return bool(_RULE.fullmatch(line)) and (self._open is None or self._gap > 0)

    def _head(self, level: int, text: str) -> None:
        self._open = None
        body = self._body
        if level == 1 and not (body.title or body.sections or body.blocks):
            body.title = text
            return
        self._path = nested(self._path, level, text)
        path = tuple(heading for _, heading in self._path if heading)
        if path:
            body.sections.append(path)

    def _begin(self, number: int, *, bullet: bool) -> Block:
        path = tuple(heading for _, heading in self._path if heading)
        self._open = Block(self._first + number + 1, path, bullet=bullet)
        self._body.blocks.append(self._open)
        self._gap = 0
        return self._open

    def _go_on(self, line: str) -> None:
        if self._open is not None:
            self._open.lines += [""] * self._gap + [line]
        self._gap = 0


def _fences(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Where fenced blocks begin and end; a fence that nobody closed is a line like others."""
    start: int | None = None
    mark = ""
    for number, line in enumerate(lines):
        found = _FENCE.match(line)
        if found is None:
            continue
        if start is None:
            start, mark = number, found[1]
        elif found[1].startswith(mark) and line.strip() == found[1]:
            yield start, number
            start = None
