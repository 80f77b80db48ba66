"""Headings of `MEMORY.md`: which kind of knowledge stands under each, and how they nest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lamina.core.markdown.kinds import OTHERWISE, kind_under

if TYPE_CHECKING:
    from collections.abc import Iterable

HEADINGS: Final = {
    "convention": "Conventions", "architecture": "Architecture", "decision": "Decisions",
    "fact": "Facts", "pattern": "Patterns", "pitfall": "Pitfalls", "codebase": "Codebase",
    "preference": "Preferences", "outcome": "Outcomes", "failure": "Failures",
}  # fmt: skip
USUAL: Final = OTHERWISE
SECTION: Final = "section"
"""Where a record keeps the heading that a person chose for it."""
HEADING: Final = re.compile(r"(#{1,6})[ \t]+(.*)")
"""What follows may end with blanks: a pattern that leaves them out takes quadratic time."""
_KINDS: Final = {heading.lower(): kind for kind, heading in HEADINGS.items()}
_DEEPEST: Final = 5
_LONGEST: Final = 200
"""No heading is longer, whatever a record says."""


def path_of(section: object, kind: str) -> tuple[str, ...]:
    """The headings above a record: its own section, or the one of its kind."""
    parts = section.split("\n") if isinstance(section, str) else []
    named = tuple(" ".join(part.split())[:_LONGEST].rstrip() for part in parts if part.strip())
    if not named:
        return (HEADINGS.get(kind, kind),)
    if len(named) == 1 and named[0].lower() in _KINDS:
        return (HEADINGS[_KINDS[named[0].lower()]],)
    if len(named) > _DEEPEST:
        last = " / ".join(named[_DEEPEST - 1 :])[:_LONGEST].rstrip()
        named = (*named[: _DEEPEST - 1], last)
    return named


def usual_order(paths: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Sections in the order they have unless a person arranged them: ours first, then others."""
    places = {heading: n for n, heading in enumerate(HEADINGS.values())}
    return sorted(set(paths), key=lambda path: (places.get(path[0], len(places)), path))


def place_of(path: tuple[str, ...], kinds: frozenset[str]) -> tuple[str, str | None]:
    """The kind that belongs under headings, and the section to remember, if it is a person's own.

    `kinds` are the kinds in use, which name their own headings.
    """
    if not path:
        return USUAL, None
    if len(path) == 1:
        known = _KINDS.get(path[0].lower())
        if known or path[0] in kinds:
            return known or path[0], None
    return kind_under(path), "\n".join(path)


def nested(path: list[tuple[int, str]], level: int, heading: str) -> list[tuple[int, str]]:
    """The headings in force behind another one."""
    return [(above, text) for above, text in path if above < level] + [(level, heading)]


def heading_lines(path: tuple[str, ...], before: tuple[str, ...]) -> list[str]:
    """The headings to write for a section that follows another."""
    shared = 0
    while shared < min(len(path), len(before)) and path[shared] == before[shared]:
        shared += 1
    # A section above the one before it has to be named again.
    shared = min(shared, len(path) - 1)
    lines = []
    for depth in range(shared, len(path)):
        lines += [f"{'#' * (depth + 2)} {path[depth]}", ""]
    return lines
