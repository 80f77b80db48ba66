"""Markdown and plain text as passages: paragraphs, items of lists, quotes. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from lamina.core.markdown.structure import Heading
from lamina.extraction.passages import Form, Passage
from lamina.sources.chunks import Page
from lamina.sources.markdown import outline

_LONGEST_LINE: Final = 20_000
"""No person wrote a longer one."""
_ITEM: Final = re.compile(
    r"(?P<indent>\s{0,40})(?:[-*+•]|\d{1,4}[.)])\s{1,8}(?:\[(?P<box>[ xX])\]\s+)?(?P<text>\S.*)"
)
_QUOTE: Final = re.compile(r"\s{0,40}(?:>\s?)+")
_REFERENCE: Final = re.compile(r"\s{0,3}(?:\[[^\[\]]{1,100}\]:|\.\.)\s")
"""Where a link leads, or what a program is told."""
_RULE: Final = re.compile(r"\s{0,3}(?:[-*_=~^|:+]\s{0,3}){1,400}")
_MARKUP: Final = re.compile(r"\s{0,3}<(?:!--|[/!?A-Za-z])")
_INLINE: Final = re.compile(r"\s{0,3}</?(?:a|b|i|em|strong|code|kbd|sub|sup|span|br|img)\b")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the headings above it, and the first paragraph that it is about."""

    heading: Heading
    above: tuple[str, ...]
    begins: Passage | None


@dataclass(frozen=True, slots=True)
class Contents:
    """A page taken apart."""

    passages: list[Passage]
    sections: list[Section]


@dataclass(slots=True)
class _Reader:
    """The passage that is being read, and those that were."""

    passages: list[Passage] = field(default_factory=list)
    above: tuple[str, ...] = ()
    form: Form = Form.PARAGRAPH
    first: int = 0
    done: bool | None = None
    lines: list[str] = field(default_factory=list)

    def close(self) -> None:
        if self.lines:
            self.passages.append(
                Passage(self.form, self.first, tuple(self.lines), self.above, self.done)
            )
        self.form, self.lines, self.done = Form.PARAGRAPH, [], None

    def begin(self, form: Form, number: int, line: str, done: bool | None = None) -> None:
        self.close()
        self.form, self.first, self.done, self.lines = form, number, done, [line]


def contents(page: Page) -> Contents:
    """The passages of a page, and its sections."""
    built = outline(page)
    headings = {heading.first: heading for heading in built.headings}
    silent = {number for first, last in built.fences for number in range(first, last + 1)}
    reader, places = _Reader(), []
    above: list[Heading] = []
    for number, line in _spoken(page, built.matter + 1, silent):
        if heading := headings.get(number):
            reader.close()
            above = [one for one in above if one.level < heading.level]
            outer = tuple(one.title for one in above if one.title)
            above.append(heading)
            reader.above = tuple(one.title for one in above if one.title)
            places.append((heading, outer, len(reader.passages)))
        else:
            _read(reader, number, line)
    reader.close()
    return Contents(reader.passages, _sections(places, reader.passages))


def _spoken(page: Page, start: int, silent: set[int]) -> Iterator[tuple[int, str]]:
    """The lines that may be prose; the others come as blank ones."""
    inside, listed, is_listing, was_blank = "", False, False, True
    for number in range(start, len(page) + 1):
        line = page[number]
        if number in silent or len(line) > _LONGEST_LINE:
            yield number, ""
            continue
        blank = not line.strip()
        inside, is_markup = _markup(inside, line)
        is_deep = line.startswith(("    ", "\t"))
        is_listing = (is_listing or (was_blank and not listed)) and (
            is_deep or blank and is_listing
        )
        if not is_listing:
            listed = (listed and (blank or line[:1] in " \t")) or bool(_ITEM.match(line))
        was_blank = blank
        yield number, "" if blank or is_markup or is_listing or _is_no_prose(line) else line


def _markup(inside: str, line: str) -> tuple[str, bool]:
    """What markup goes on behind this line, and whether the line is markup itself."""
    if inside:
        ended = "-->" in line if inside == "-->" else not line.strip()
        return ("" if ended else inside), True
    if not _MARKUP.match(line) or _INLINE.match(line):
        return "", False
    if line.lstrip().startswith("<!--"):
        return ("" if "-->" in line else "-->"), True
    return "blank", True


def _is_no_prose(line: str) -> bool:
    is_row = line.lstrip()[:1] == "|" or line.count(" | ") > 1
    return is_row or bool(_REFERENCE.match(line) or _RULE.fullmatch(line))


def _read(reader: _Reader, number: int, line: str) -> None:
    if not line:
        reader.close()
        return
    if quote := _QUOTE.match(line):
        said = line[quote.end() :].strip()
        if reader.form is Form.QUOTE and reader.lines and said:
            reader.lines.append(said)
        elif said:
            reader.begin(Form.QUOTE, number, said)
        else:
            reader.close()
        return
    if item := _ITEM.fullmatch(line):
        box = item["box"]
        reader.begin(Form.ITEM, number, item["text"].strip(), None if box is None else box != " ")
    elif reader.lines and reader.form is not Form.QUOTE:
        reader.lines.append(line.strip())
    else:
        reader.begin(Form.PARAGRAPH, number, line.strip())


def _sections(
    places: list[tuple[Heading, tuple[str, ...], int]], passages: list[Passage]
) -> list[Section]:
    """Each heading with the passage right below it; none where another heading comes first."""
    ends = [*(at for _, _, at in places[1:]), len(passages)]
    return [
        Section(heading, outer, passages[at] if at < end else None)
        for (heading, outer, at), end in zip(places, ends, strict=False)
    ]
