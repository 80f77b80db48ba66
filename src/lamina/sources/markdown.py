"""Markdown, cut by heading. A section knows the headings above it; a fence is not torn apart."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from lamina.core.markdown import structure
from lamina.core.markdown.structure import Heading
from lamina.sources.chunks import TINY, Chunk, Page, Span, cut

_BETWEEN: Final = " > "
_LONGEST_TITLE: Final = 80
_LONGEST_READ: Final = 1000
"""Of an endless title the beginning is enough, and keeps the time bounded."""
_LINK: Final = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_MARKS: Final = re.compile(r"[`*]+|(?<!\w)__|__(?!\w)|<[^>]*>")


@dataclass(frozen=True, slots=True)
class _Section:
    first: int
    last: int
    level: int
    path: tuple[str, ...]
    mixed: bool = False
    """Whether it is made of several that stood side by side."""


@dataclass(frozen=True, slots=True)
class Outline:
    """How a page is built."""

    matter: int
    """The last line of the front matter; 0 where there is none."""
    fences: list[tuple[int, int]]
    """The first and last line of every fenced block."""
    headings: list[Heading]
    """Every heading, its title without marks."""


def outline(page: Page) -> Outline:
    """Where the headings of a page stand, and what on it is no prose."""
    matter = structure.front_matter(page.lines)
    fences = list(structure.fences(page.lines, matter + 1))
    headings = structure.headings(page.lines, matter + 1, fences)
    plain = [replace(heading, title=_title(heading.title)) for heading in headings]
    return Outline(matter, fences, plain)


def by_heading(page: Page) -> list[Chunk]:
    """Cut a page of Markdown at its headings, and long sections at their paragraphs."""
    built = outline(page)
    sections = _joined(page, list(_sections(page, built.headings)))
    spans = (Span(one.first, one.last, _BETWEEN.join(one.path)) for one in sections)
    whole = [*built.fences, (1, built.matter)] if built.matter else built.fences
    return cut(page, spans, whole)


def _title(text: str) -> str:
    plain = " ".join(_MARKS.sub("", _LINK.sub(r"\1", text[:_LONGEST_READ])).split())
    return plain if len(plain) <= _LONGEST_TITLE else plain[: _LONGEST_TITLE - 1].rstrip() + "…"


def _sections(page: Page, headings: list[Heading]) -> Iterator[_Section]:
    starts = [heading.first for heading in headings]
    if not starts or starts[0] > 1:
        yield _Section(1, (starts[0] if starts else len(page) + 1) - 1, 0, ())
    above: list[Heading] = []
    for heading, end in zip(headings, [*starts[1:], len(page) + 1], strict=False):
        above = [one for one in above if one.level < heading.level] + [heading]
        path = tuple(one.title for one in above if one.title)
        yield _Section(heading.first, end - 1, heading.level, path)


def _joined(page: Page, sections: list[_Section]) -> Iterator[_Section]:
    """Sections that say next to nothing go with the next one, unless a larger part begins there."""
    waiting: _Section | None = None
    for section in sections:
        if waiting is not None and section.level >= waiting.level:
            section = _both(waiting, section)
        elif waiting is not None:
            yield waiting
        waiting = section
        if _weight(page, section) >= TINY:
            yield section
            waiting = None
    if waiting is not None:
        yield waiting


def _weight(page: Page, section: _Section) -> int:
    trimmed = page.trimmed(Span(section.first, section.last))
    return page.size(trimmed.first, trimmed.last) if trimmed else 0


def _both(tiny: _Section, following: _Section) -> _Section:
    """Two sections in one, called like the inner one, or else like what both are part of."""
    path, mixed = following.path, tiny.mixed
    if mixed or path[: len(tiny.path)] != tiny.path:
        pairs = zip(tiny.path, path, strict=False)
        common = tuple(a for a, b in takewhile(lambda pair: pair[0] == pair[1], pairs))
        path, mixed = common or path, bool(common)
    return _Section(tiny.first, following.last, tiny.level, path, mixed)
