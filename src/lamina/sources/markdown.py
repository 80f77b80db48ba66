"""Markdown, cut by heading. A section knows the headings above it; a fence is not torn apart."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from lamina.sources.chunks import TINY, Chunk, Page, Span, cut

_BETWEEN: Final = " > "
_LONGEST_TITLE: Final = 80
_LONGEST_READ: Final = 600
"""Nothing beyond this is looked at for a title: marks that nobody closes would be looked for."""
_UNDERLINE: Final = re.compile(r" {0,3}(?:(=+)|-+)[ \t]*")
_FENCE: Final = re.compile(r"(\s*)(`{3,}|~{3,})(.*)")
_NOT_A_TITLE: Final = re.compile(
    r" {0,3}(?:[-*+>|]|\d+[.)]|<|={3,}|-{3,}|#{1,6}(?:\s|$)|\[[^\]]+\]:)| {4}|\t"
)
_LINK: Final = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_MARKS: Final = re.compile(r"[`*]+|(?<!\w)__|__(?!\w)|<[^>]*>")
_MATTER: Final = {"---": ("---", "..."), "+++": ("+++",)}


@dataclass(frozen=True, slots=True)
class _Section:
    first: int
    last: int
    level: int
    path: tuple[str, ...]
    mixed: bool = False
    """Whether it is made of several that stood side by side."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: where it stands, how deep, and what it says without its marks."""

    line: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Outline:
    """How a page is built."""

    matter: int
    """The last line of the front matter; 0 where there is none."""
    fences: list[tuple[int, int]]
    """The first and last line of every fenced block."""
    headings: list[Heading]


def outline(page: Page) -> Outline:
    """Where the headings of a page stand, and what on it is no prose."""
    matter = _front_matter(page)
    fences = list(_fences(page, matter + 1))
    return Outline(matter, fences, list(_headings(page, matter + 1, fences)))


def by_heading(page: Page) -> list[Chunk]:
    """Cut a page of Markdown at its headings, and long sections at their paragraphs."""
    built = outline(page)
    sections = _joined(page, list(_sections(page, built.headings)))
    spans = (Span(one.first, one.last, _BETWEEN.join(one.path)) for one in sections)
    whole = [*built.fences, (1, built.matter)] if built.matter else built.fences
    return cut(page, spans, whole)


def _front_matter(page: Page) -> int:
    """The last line of the front matter; 0 where there is none."""
    ends = _MATTER.get(page[1].removeprefix("\ufeff").rstrip(), ())
    for number in range(2, min(len(page), 200) + 1):
        if page[number].rstrip() in ends:
            return number
    return 0


def _fences(page: Page, number: int) -> Iterator[tuple[int, int]]:
    """The first and last line of every fenced block; one that nobody closes ends with the page."""
    # A page may be full of marks that nobody closes; none is looked for twice.
    unclosed: set[str] = set()
    while number <= len(page):
        opened = _FENCE.fullmatch(page[number])
        if opened is None or (opened[2][0] == "`" and "`" in opened[3]):
            number += 1
            continue
        last = None if opened[2] in unclosed else _closing(page, number, opened[2])
        if last is None:
            unclosed.add(opened[2])
        if last is None and len(opened[1].expandtabs(4)) > 3:
            # Indented so far it is a fence inside a list, or an example of one in a listing.
            number += 1
            continue
        last = last or len(page)
        yield number, last
        number = last + 1


def _closing(page: Page, opening: int, marks: str) -> int | None:
    for number in range(opening + 1, len(page) + 1):
        line = page[number].strip()
        if line.startswith(marks) and not line.strip(marks[0]):
            return number
    return None


def _headings(page: Page, start: int, fences: list[tuple[int, int]]) -> Iterator[Heading]:
    fenced = {number for first, last in fences for number in range(first, last + 1)}
    paragraph: list[int] = []
    """The lines of running text right above, which an underline makes a heading."""
    for number in range(start, len(page) + 1):
        line = page[number]
        if number in fenced or not line.strip():
            paragraph = []
        elif found := _marked(line):
            paragraph = []
            yield Heading(number, found[0], _title(found[1]))
        elif paragraph and (under := _UNDERLINE.fullmatch(line)):
            title = " ".join(page[one].strip() for one in paragraph)
            yield Heading(paragraph[0], 1 if under[1] else 2, _title(title))
            paragraph = []
        elif not paragraph and _NOT_A_TITLE.match(line):
            # Lists, quotes, tables and listings go on until a blank line.
            fenced.update(_run(page, number))
        else:
            paragraph.append(number)


def _run(page: Page, number: int) -> Iterator[int]:
    """This line and those that follow without a blank or a heading."""
    while number <= len(page) and not page.is_blank(number):
        yield number
        number += 1
        if number <= len(page) and _marked(page[number]):
            return


def _marked(line: str) -> tuple[int, str] | None:
    """The level and the words of a heading that begins with number signs."""
    bare = line.lstrip(" ")
    level = len(bare) - len(bare.lstrip("#"))
    behind = bare[level:]
    if not 1 <= level <= 6 or len(line) - len(bare) > 3 or behind[:1] not in ("", " ", "\t"):
        return None
    words = behind.strip(" \t")
    unclosed = words.rstrip("#")
    return level, words if unclosed and unclosed[-1] not in " \t" else unclosed.rstrip(" \t")


def _title(text: str) -> str:
    plain = " ".join(_MARKS.sub("", _LINK.sub(r"\1", text[:_LONGEST_READ])).split())
    return plain if len(plain) <= _LONGEST_TITLE else plain[: _LONGEST_TITLE - 1].rstrip() + "…"


def _sections(page: Page, headings: list[Heading]) -> Iterator[_Section]:
    starts = [heading.line for heading in headings]
    if not starts or starts[0] > 1:
        yield _Section(1, (starts[0] if starts else len(page) + 1) - 1, 0, ())
    above: list[Heading] = []
    for heading, end in zip(headings, [*starts[1:], len(page) + 1], strict=False):
        above = [one for one in above if one.level < heading.level] + [heading]
        path = tuple(one.title for one in above if one.title)
        yield _Section(heading.line, end - 1, heading.level, path)


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
