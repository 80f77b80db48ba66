"""The blocks of a page: headings, fences, comments, rules, items of lists, and running text."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from lamina.core.markdown.structure import Heading, fences, headings

_BULLET: Final = re.compile(r"([ \t]*)[-*+•](?:[ \t]+|$)")
_NUMBER: Final = re.compile(r"([ \t]*)\d{1,9}[.)](?:[ \t]+|$)")
_INTERRUPTS: Final = re.compile(r"[ \t]*(?:[-*+•]|1[.)])[ \t]+\S")
_RULE: Final = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})")
_BLOCK_ID: Final = re.compile(r"\s*\^[A-Za-z0-9-]{1,64}\s*")
_NESTED: Final = 2
"""By how much more than an item its parts are indented, at least."""
_TAB: Final = 4
_COMMENTS: Final = (("<!--", "-->"), ("%%", "%%"))


class Form(StrEnum):
    """What sort of block something is."""

    ITEM = "item"
    TEXT = "text"
    FENCE = "fence"
    COMMENT = "comment"
    RULE = "rule"
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together, both ends included."""

    form: Form
    first: int
    last: int
    heading: Heading | None = None


def blocks_of(lines: Sequence[str], start: int) -> Iterator[Block]:
    """The blocks from a line on, in order; what introduces a fence goes with it."""
    waiting: Block | None = None
    for block in _Blocks(lines, start).all(start):
        if waiting is not None and _belongs(lines, waiting, block):
            waiting = replace(waiting, last=block.last)
            continue
        if waiting is not None:
            yield waiting
        waiting = block
    if waiting is not None:
        yield waiting


def without_marker(lines: Sequence[str]) -> str:
    """An item of a list without its mark, its other lines indented by as much less."""
    found = _BULLET.match(lines[0])
    if found is None:
        return "\n".join(lines)
    deep = _width(lines[0][: found.end()])
    rest = [line[min(deep, len(line) - len(line.lstrip())) :] for line in lines[1:]]
    return "\n".join([lines[0][found.end() :], *rest]).rstrip()


def _belongs(lines: Sequence[str], block: Block, following: Block) -> bool:
    """Whether a block is part of the one before: code after a colon, or the id of a block."""
    if block.form not in (Form.TEXT, Form.ITEM, Form.FENCE):
        return False
    if following.form is Form.FENCE:
        is_closed = block.form is Form.FENCE
        return not is_closed and lines[block.last - 1].rstrip().endswith(":")
    alone = following.form is Form.TEXT and following.first == following.last
    return alone and _BLOCK_ID.fullmatch(lines[following.first - 1]) is not None


class _Blocks:
    """One walk over the lines; every line is looked at a fixed number of times."""

    def __init__(self, lines: Sequence[str], start: int) -> None:
        self._lines = lines
        fenced = dict(fences(lines, start))
        self._comments = dict(_comments(lines, start, fenced))
        inside = {n for first, last in self._comments.items() for n in range(first, last + 1)}
        self._fences = {first: last for first, last in fenced.items() if first not in inside}
        whole = [*self._fences.items(), *self._comments.items()]
        self._headings = {one.first: one for one in headings(lines, start, whole)}

    def all(self, number: int) -> Iterator[Block]:
        while number <= len(self._lines):
            if self._lines[number - 1].strip():
                block = self._block(number)
                yield block
                number = block.last
            number += 1

    def _block(self, number: int) -> Block:
        line = self._lines[number - 1]
        if heading := self._headings.get(number):
            return Block(Form.HEADING, number, heading.last, heading)
        if number in self._fences:
            return Block(Form.FENCE, number, self._fences[number])
        if number in self._comments:
            return Block(Form.COMMENT, number, self._comments[number])
        if _is_rule(line):
            return Block(Form.RULE, number, number)
        if found := _BULLET.match(line):
            return Block(Form.ITEM, number, self._end_of_item(number, _width(found[1])))
        if found := _NUMBER.match(line):
            return Block(Form.TEXT, number, self._end_of_steps(number, _width(found[1])))
        return Block(Form.TEXT, number, self._end_of_text(number))

    def _end_of_text(self, number: int) -> int:
        while number < len(self._lines):
            line = self._lines[number]
            if not line.strip() or self._begins(number + 1) or _INTERRUPTS.match(line):
                break
            number += 1
        return number

    def _end_of_item(self, number: int, indent: int) -> int:
        """The last line of an item: what is indented more, and what follows without a blank."""
        last = number
        while number < len(self._lines):
            number += 1
            line = self._lines[number - 1]
            if not line.strip():
                continue
            is_inside = _indent(line) >= indent + _NESTED
            goes_on = number == last + 1 and not self._begins(number) and not _is_marked(line)
            if number in self._headings or not (is_inside or goes_on):
                break
            number = last = self._fences.get(number, number)
        return last

    def _end_of_steps(self, number: int, indent: int) -> int:
        """The last line of a numbered list: its order is part of what it says."""
        last = self._end_of_item(number, indent)
        number = last + 1
        while number <= len(self._lines):
            line = self._lines[number - 1]
            if line.strip():
                is_next = _NUMBER.match(line) and _indent(line) < indent + _NESTED
                if not is_next or self._begins(number):
                    break
                number = last = self._end_of_item(number, indent)
            number += 1
        return last

    def _begins(self, number: int) -> bool:
        """Whether a line begins a block that ends running text."""
        named = number in self._headings or number in self._fences or number in self._comments
        return named or _is_rule(self._lines[number - 1])


def _comments(
    lines: Sequence[str], start: int, fenced: dict[int, int]
) -> Iterator[tuple[int, int]]:
    """The first and last line of comments that stand alone and are closed."""
    closing = {
        end: [n for n, line in enumerate(lines, 1) if line.rstrip().endswith(end)]
        for _, end in _COMMENTS
    }
    holding = {end: [n for n, line in enumerate(lines, 1) if end in line] for _, end in _COMMENTS}
    number = start
    while number <= len(lines):
        last = _end_of_comment(lines[number - 1], number, closing, holding)
        if number in fenced:
            number = fenced[number]
        elif last:
            yield number, last
            number = last
        number += 1


def _end_of_comment(
    line: str, number: int, closing: dict[str, list[int]], holding: dict[str, list[int]]
) -> int:
    """The last line of the comment that begins on this line; 0 where none does."""
    bare = line.strip()
    for begin, end in _COMMENTS:
        if not bare.startswith(begin):
            continue
        rest = bare[len(begin) :]
        if end in rest:
            return number if rest.find(end) == len(rest) - len(end) else 0
        later = _next(holding[end], number)
        return later if later and later == _next(closing[end], number) else 0
    return 0


def _next(numbers: Sequence[int], number: int) -> int:
    at = bisect_right(numbers, number)
    return numbers[at] if at < len(numbers) else 0


def _is_marked(line: str) -> bool:
    return bool(_BULLET.match(line) or _NUMBER.match(line))


def _is_rule(line: str) -> bool:
    return _RULE.fullmatch(line) is not None


def _indent(line: str) -> int:
    return _width(line[: len(line) - len(line.lstrip(" \t"))])


def _width(space: str) -> int:
    return len(space.expandtabs(_TAB))
