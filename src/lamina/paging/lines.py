"""How one memory is shown: when, by whom and how far it is believed, then its words.

Nothing remembered begins a line of its own: every further line of a text is indented, whatever
counts as its end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from lamina.core.record import Trust
from lamina.core.sealed import hidden
from lamina.core.text import estimate_tokens
from lamina.layers.now import NEXT_STEPS, OBJECTIVE

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.core.record import Record

LABEL: Final = re.compile(
    rf"\[\d{{4}}-\d\d-\d\d(?: \d\d:\d\d)? [^\s\]]{{1,130}}/(?:{'|'.join(Trust)})\]"
)
"""What stands before every memory that is shown."""
_DAY, _MINUTE = len("2026-01-31"), len("2026-01-31 12:00")
_STEERING: Final = re.compile(
    r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)
_INDENT: Final = "\n    "
_TITLES: Final = {OBJECTIVE: "Objective", NEXT_STEPS: "Next steps"}
_UNNAMED: Final = frozenset({"session", "item", "archive", "episode"})
"""Layers whose keys tell a reader nothing."""


@dataclass(frozen=True, slots=True)
class Line:
    """A memory as it is shown: its label, what it is about, and its text."""

    label: str
    body: str
    tokens: int
    """What it takes, the end of the line included."""

    @property
    def text(self) -> str:
        """The whole of it."""
        return f"- {self.label} {self.body}"


def line_of(record: Record, count: Callable[[str], int]) -> Line:
    """A memory as it is shown whole."""
    label, name = _label(record), _name(record)
    body = name + indented(hidden(record.text).strip())
    if count is not estimate_tokens:
        return Line(label, body, count(f"- {label} {body}") + 1)
    # What the text takes was reckoned when it was written.
    extra = _small(f"- {label} ") + (_small(name) if name else 0) + 2 * body.count("\n")
    return Line(label, body, record.tokens + extra + 2)


def indented(text: str) -> str:
    """A text none of whose lines but the first begins where a line begins.

    What steers a screen or turns the order of letters round is no part of what was remembered.
    """
    return _STEERING.sub("", _INDENT.join(text.splitlines()))


@lru_cache(maxsize=2_048)
def _small(text: str) -> int:
    return estimate_tokens(text)


def _label(record: Record) -> str:
    when = record.valid_from or record.updated_at
    told = when.isoformat(" ")[: _MINUTE if record.layer == "log" else _DAY]
    return f"[{told} {record.source}/{record.trust.value}]"


def _name(record: Record) -> str:
    """What the text is about, where the text alone does not say."""
    key = indented(record.key or "")
    match record.layer:
        case "now":
            return f"{_TITLES.get(key, key)}: "
        case "fact":
            return f"{key} ({record.kind}) = "
        case "log":
            return f"{record.kind}: "
        case "task":
            return f"{key} ({record.data.get('status', 'open')!s:.20}): "
        case "source":
            return f"{record.data.get('file', key)!s:.200}: "
        case layer:
            return f"{key}: " if key and layer not in _UNNAMED else ""
