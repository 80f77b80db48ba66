"""What a file that people edit holds: entries, and the frame around them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from lamina.core import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.core.canonical import Json

_OURS: Final = ("lamina", "scope", "revision")
_FIELD: Final = re.compile(r"([A-Za-z_][\w-]*):(.*)")
_FENCE: Final = "---"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it stands in a file."""

    name: str | None
    """Which record it is, in the words of its sort of file; a new one has none."""
    said: Mapping[str, Json]
    """What it says, in a form that can be compared."""
    line: int = 0

    @property
    def text(self) -> str:
        """What it says as one text, to be compared by."""
        return canonical.dumps(dict(self.said))

    @property
    def mark(self) -> str:
        """What tells it from the other entries of its file."""
        return f"{self.name or ''} {self.text}"


@dataclass(frozen=True, slots=True)
class Frame:
    """What people arranged around the entries: kept, though no entry says it."""

    front: tuple[str, ...] = ()
    """Their lines of front matter."""
    title: str = ""
    sections: tuple[str, ...] = ()
    """The sections in their order, empty ones included."""
    order: tuple[str, ...] = ()
    """The names of the entries in their order."""


def safe_front(lines: Iterable[str]) -> tuple[str, ...]:
    """Lines that can stand in front matter, end nothing there and say nothing in our name."""
    told = []
    for line in lines:
        found = _FIELD.fullmatch(line.rstrip())
        is_ours = found is not None and found[1] in _OURS
        if len(line.splitlines()) < 2 and line.rstrip() != _FENCE and not is_ours:
            told.append(line.rstrip())
    return tuple(told)


@dataclass(frozen=True, slots=True)
class Page:
    """A file, read."""

    entries: tuple[Entry, ...] = ()
    frame: Frame = field(default_factory=Frame)
    revision: str | None = None
    """Which projection it was made from, if it still says so."""
    problems: tuple[str, ...] = ()
    """What could not be understood; the file is kept aside then."""


def plain(text: str) -> str:
    """A text as it survives editors: no trailing blanks, no empty lines around it."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip(" \t") for line in lines).strip("\n \t")


def front_matter(fields: Mapping[str, str], extra: tuple[str, ...]) -> list[str]:
    """The lines at the head of a Markdown file."""
    ours = [f"{name}: {value}" for name, value in fields.items()]
    return [_FENCE, *ours, *extra, _FENCE, ""]


def split_front(text: str) -> tuple[dict[str, str], tuple[str, ...], list[str], int]:
    """Our fields, people's lines, the lines of the body, and how many lines came before it."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != _FENCE:
        return {}, (), lines, 0
    end = next((n for n in range(1, len(lines)) if lines[n].rstrip() == _FENCE), None)
    if end is None:
        # Somebody lost the closing line: ours go, and what else stands there is body.
        known = _leading_fields(lines)
        return dict(known), (), lines[1 + len(known) :], 1 + len(known)
    ours: dict[str, str] = {}
    extra: list[str] = []
    for line in lines[1:end]:
        found = _FIELD.fullmatch(line.rstrip())
        if found and found[1] in _OURS:
            ours[found[1]] = found[2].strip()
        else:
            extra.append(line.rstrip())
    return ours, tuple(extra), lines[end + 1 :], end + 1


def _leading_fields(lines: list[str]) -> list[tuple[str, str]]:
    known = []
    for line in lines[1:]:
        found = _FIELD.fullmatch(line.rstrip())
        if not found or found[1] not in _OURS:
            break
        known.append((found[1], found[2].strip()))
    return known
