"""Comments of code as passages. Pure.

Strings are passed over, so that a mark inside one opens no comment. Where quotes mean something
else in a language, a comment may be missed and nothing else happens.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from lamina.extraction.passages import Form, Passage
from lamina.sources.chunks import Page


class Syntax(NamedTuple):
    """What begins and ends a comment, and what quotes a string."""

    line: tuple[str, ...] = ()
    blocks: tuple[tuple[str, str], ...] = ()
    quotes: tuple[str, ...] = ('"', "'")
    """Those that end on the line they began on."""
    long_quotes: tuple[str, ...] = ()


_BRACED: Final = Syntax(("//",), (("/*", "*/"),))
_SCRIPT: Final = Syntax(("//",), (("/*", "*/"),), long_quotes=("`",))
_HASHED: Final = Syntax(("#",))
_MARKED: Final = Syntax((), (("<!--", "-->"),), quotes=())
_SYNTAXES: Final[dict[str, Syntax]] = {
    "python": Syntax(("#",), (), long_quotes=('"""', "'''")),
    "javascript": _SCRIPT, "typescript": _SCRIPT, "go": _SCRIPT,
    "rust": Syntax(("//",), (("/*", "*/"),), quotes=('"',)),
    "java": _BRACED, "kotlin": _BRACED, "csharp": _BRACED, "scala": _BRACED, "swift": _BRACED,
    "c": _BRACED, "cpp": _BRACED, "proto": _BRACED, "php": Syntax(("//", "#"), (("/*", "*/"),)),
    "css": Syntax((), (("/*", "*/"),)),
    "ruby": _HASHED, "perl": _HASHED, "elixir": _HASHED, "shell": _HASHED, "yaml": _HASHED,
    "toml": _HASHED, "make": _HASHED, "docker": _HASHED, "ini": Syntax(("#", ";"), ()),
    "lua": Syntax(("--",), (("--[[", "]]"),)),
    "sql": Syntax(("--",), (("/*", "*/"),), quotes=("'",)),
    "html": _MARKED, "xml": _MARKED,
}  # fmt: skip
_DECORATION: Final = "*/#!-;=<>~ \t"
_LONGEST_LINE: Final = 2_000


def has_comments(language: str) -> bool:
    """Whether comments are looked for in this language."""
    return language in _SYNTAXES


def commented(page: Page, language: str) -> list[Passage]:
    """The comments of a page; lines of comment right below each other are one passage."""
    passages: list[Passage] = []
    lines: list[str] = []
    first, is_block = 0, False
    for number, text, alone in [*_lines(page, _SYNTAXES[language]), (0, "", False)]:
        goes_on = lines and is_block and alone and text and number == first + len(lines)
        if not goes_on and lines:
            passages.append(Passage(Form.COMMENT, first, tuple(lines)))
            lines = []
        if text:
            if not lines:
                first, is_block = number, alone
            lines.append(text)
    return passages


def _lines(page: Page, syntax: Syntax) -> Iterator[tuple[int, str, bool]]:
    """Every line of comment: its number, what it says, and whether nothing stands before it."""
    inside = quoted = ""
    for number, line in enumerate(page.lines, start=1):
        if len(line) > _LONGEST_LINE:
            continue
        at, began = 0, 0
        while at <= len(line):
            if inside or quoted:
                end = line.find(inside or quoted, at)
                if inside:
                    said = line[at : end if end >= 0 else len(line)]
                    yield number, _bare(said), not line[:began].strip()
                if end < 0:
                    break
                at = end + len(inside or quoted)
                inside = quoted = ""
            found = _opener(syntax).search(line, at)
            if found is None:
                break
            began, at, mark = found.start(), found.end(), found[0].strip()
            if mark in syntax.line:
                yield number, _bare(line[at:]), not line[:began].strip()
                break
            inside = dict(syntax.blocks).get(mark, "")
            quoted = mark if mark in syntax.long_quotes else ""
            if not inside and not quoted:
                at = _behind_string(line, at, mark)


@cache
def _opener(syntax: Syntax) -> re.Pattern[str]:
    """What may open a comment or a string, the longer mark first.

    A sign that means other things too opens a comment only at the start or behind a space.
    """
    blocks = [re.escape(mark) for mark, _ in syntax.blocks]
    quotes = [re.escape(mark) for mark in (*syntax.long_quotes, *syntax.quotes)]
    lines = [
        re.escape(mark) if mark == "//" else rf"(?<!\S){re.escape(mark)}" for mark in syntax.line
    ]
    return re.compile("|".join([*blocks, *quotes, *lines]))


def _behind_string(line: str, at: int, quote: str) -> int:
    """Where a string ends that began before `at`; right there, where nothing ends it."""
    end = line.find(quote, at)
    while end >= 0 and _is_escaped(line, end, at):
        end = line.find(quote, end + 1)
    return at if end < 0 else end + len(quote)


def _is_escaped(line: str, at: int, start: int) -> bool:
    before = line[max(start, at - 32) : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _bare(said: str) -> str:
    """A line of comment without its decoration."""
    return said.strip().lstrip(_DECORATION).rstrip(" \t*/-=#").strip()
