"""A page of Markdown as entries: an item of a list, a paragraph or a block, under its headings.

Together the entries hold every line of the page that is not blank, apart from the front matter. A
heading is held by the entries below it; one with nothing below it is an entry itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lamina.core.markdown.blocks import Block, Form, blocks_of, without_marker
from lamina.core.markdown.matter import read_matter
from lamina.core.markdown.structure import Heading, front_matter, lines_of

__all__ = ["Entry", "Form", "Note", "read_note"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One statement of a page."""

    form: Form
    first: int
    last: int
    headings: tuple[str, ...]
    """The headings above it as written, the outermost first."""
    raw: str
    """Its lines as they stand in the page."""
    text: str
    """What it says: without the mark of a list, and without indentation."""


@dataclass(frozen=True, slots=True)
class Note:
    """A page: what stands in its front matter, by name, its title and its entries."""

    matter: Mapping[str, tuple[str, ...]]
    title: str
    """The heading of the first level that the page begins with; empty where there is none."""
    entries: tuple[Entry, ...]


def read_note(text: str) -> Note:
    """The entries of a page, in order."""
    lines = lines_of(text.removeprefix("\ufeff"))
    end = front_matter(lines)
    blocks = list(blocks_of(lines, end + 1))
    return Note(read_matter(lines[:end]), _title(blocks), tuple(_entries(lines, blocks)))


def _title(blocks: Sequence[Block]) -> str:
    first = next((block.heading for block in blocks if _tells(block)), None)
    return first.title if first is not None and first.level == 1 else ""


def _tells(block: Block) -> bool:
    return block.form not in (Form.RULE, Form.COMMENT)


def _entries(lines: Sequence[str], blocks: Sequence[Block]) -> Iterator[Entry]:
    telling = [block for block in blocks if _tells(block)]
    following = {one.first: other for one, other in pairwise(telling)}
    above: list[Heading] = []
    for block in blocks:
        if block.heading is None:
            yield _entry(lines, block, above)
            continue
        above = [one for one in above if one.level < block.heading.level]
        if _is_bare(block.heading, following.get(block.first)):
            yield _entry(lines, block, above)
        above.append(block.heading)


def _is_bare(heading: Heading, following: Block | None) -> bool:
    """Whether nothing stands below a heading that would name it."""
    if following is None:
        return True
    return following.heading is not None and following.heading.level <= heading.level


def _entry(lines: Sequence[str], block: Block, above: Sequence[Heading]) -> Entry:
    own = lines[block.first - 1 : block.last]
    match block.form:
        case Form.HEADING:
            text = block.heading.title if block.heading else ""
        case Form.ITEM:
            text = without_marker(own)
        case _:
            text = "\n".join(own).strip("\n").rstrip()
    titles = tuple(one.title for one in above if one.title)
    return Entry(block.form, block.first, block.last, titles, "\n".join(own), text)
