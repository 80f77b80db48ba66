"""Lines and grids: what a command shows, before it is known whether a terminal will show it.

Text from a store is data. Whatever could steer a terminal or turn the reading direction is shown as
an escape, and nothing in it is ever read as markup.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

_UNSAFE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Control characters, direction marks, invisible characters and halves of characters."""


class Span(NamedTuple):
    """A piece of text and how it looks on a terminal."""

    text: str
    style: str = ""


Line: TypeAlias = tuple[Span, ...]


class Grid(NamedTuple):
    """Rows under headings; tab-separated where there is no terminal."""

    headings: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]
    headed: bool = False
    """Whether the headings are wanted there too: figures without a name say nothing."""


def line(*parts: str | Span) -> Line:
    """A line of plain and styled pieces."""
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def grid(
    headings: Sequence[str], rows: Sequence[Sequence[str | Span | Line]], *, headed: bool = False
) -> Grid:
    """A grid of texts, spans or whole lines."""
    cells = tuple(tuple(_cell(cell) for cell in row) for row in rows)
    return Grid(tuple(headings), cells, headed)


def visible(text: str) -> str:
    """The text with what could steer a terminal written out; line breaks and tabs stay."""
    return _UNSAFE.sub(lambda found: _escaped(found[0]), text)


def one_line(text: str) -> str:
    """The text on one line without tabs, so that it can be a column."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def safe_json(text: str) -> str:
    """The same JSON with dangerous characters as escapes; it parses to the same value."""
    return _UNSAFE.sub(lambda found: _json_escaped(found[0]), text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def _json_escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _cell(cell: str | Span | Line) -> Line:
    return cell if isinstance(cell, tuple) and not isinstance(cell, Span) else line(cell)
