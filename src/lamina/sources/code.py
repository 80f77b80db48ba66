"""Code, cut by definition, line by line: for every language that has no parser here.

A definition begins at its own line, or at the comments and annotations right above it, and goes on
to the next one of the same depth. What is too large is cut at the definitions inside it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from lamina.sources.chunks import MOST, TINY, Chunk, Page, Span, cut
from lamina.sources.languages import definitions

_LONGEST_LINE: Final = 400
"""No definition begins on a longer one, and the patterns need not look at it."""
_LONGEST_NAME: Final = 120
_ABOVE: Final = re.compile(r"\s*(?://|#(?!include|define|if|endif|else)|/\*|\*|--|;|@|\[\w|%)")
"""Comments, annotations and attributes, which belong to what follows."""


@dataclass(frozen=True, slots=True)
class _Definition:
    line: int
    indent: int
    name: str


def by_definition(page: Page, language: str) -> list[Chunk]:
    """Cut a page of code where its definitions begin."""
    found = list(_definitions(page, language))
    spans = _spans(page, Span(1, len(page)), found)
    return cut(page, gathered(page, spans))


def gathered(page: Page, spans: Iterable[Span]) -> Iterator[Span]:
    """Let what is tiny go with what follows: glue, the head of a class, one-line functions."""
    waiting: Span | None = None
    for span in filter(None, map(page.trimmed, spans)):
        if waiting is not None and _suits(page, waiting, span):
            span = Span(waiting.first, span.last, _both(waiting.name, span.name))
        elif waiting is not None:
            yield waiting
        waiting = span
        if page.size(span.first, span.last) >= TINY:
            yield span
            waiting = None
    if waiting is not None:
        yield waiting


def starts_above(page: Page, line: int, after: int) -> int:
    """Where a definition really begins: at the comments right above it."""
    while line - 1 > after and _ABOVE.match(page[line - 1]):
        line -= 1
    return line


def _suits(page: Page, tiny: Span, following: Span) -> bool:
    belongs = not tiny.name or following.name.startswith(f"{tiny.name}.")
    return belongs or page.size(tiny.first, following.last) <= MOST // 2


def _both(first: str, second: str) -> str:
    if not first or not second or second == first or second.startswith(f"{first}."):
        return second or first
    together = f"{first}, {second}"
    return together if len(together) <= _LONGEST_NAME else first


def _definitions(page: Page, language: str) -> Iterator[_Definition]:
    patterns = definitions(language)
    for number in range(1, len(page) + 1):
        line = page[number]
        if len(line) > _LONGEST_LINE:
            continue
        for pattern in patterns:
            if found := pattern.match(line):
                indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
                name = next(value for value in found.groupdict().values() if value)
                yield _Definition(number, indent, " ".join(name.split())[:_LONGEST_NAME])
                break


def _spans(page: Page, span: Span, inside: list[_Definition]) -> Iterator[Span]:
    """A span cut at its outermost definitions, each of these in turn if it is too large."""
    if not inside:
        yield span
        return
    depth = min(one.indent for one in inside)
    borders: list[tuple[int, _Definition]] = []
    after = span.first - 1
    for one in inside:
        if one.indent == depth:
            start = starts_above(page, one.line, after)
            borders.append((start, one))
            after = one.line
    if borders[0][0] > span.first:
        yield replace(span, last=borders[0][0] - 1)
    ends = [start - 1 for start, _ in borders[1:]] + [span.last]
    for (start, one), end in zip(borders, ends, strict=True):
        name = f"{span.name}.{one.name}" if span.name else one.name
        part = Span(start, end, name)
        deeper = [d for d in inside if one.line < d.line <= end and d.indent > depth]
        yield from _spans(page, part, deeper if page.size(start, end) > MOST else [])
