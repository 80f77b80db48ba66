"""What the transcripts of harnesses have in common: messages, and how much of one is kept."""

from __future__ import annotations

import json
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.core.canonical import keepable
from lamina.core.instants import check_instant
from lamina.core.text.cut import head_and_tail
from lamina.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST: Final = {"user": 60_000, "assistant": 60_000, "tool_call": 2_000, "tool_result": 4_000}
"""How many characters of a message are kept: what tools say is long, and in the files anyway."""
_LONGEST_ID: Final = 120
_ID: Final = re.compile(r"[\w.:-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a transcript."""

    role: str
    text: str
    id: str
    at: str | None = None
    """When it was said, as an instant."""
    tool: str | None = None


def message(line: Line, role: str, text: str, named: object, tool: object = None) -> Message | None:
    """A message, cut to what is kept of it; nothing where nothing is said."""
    told = keepable(text).strip()
    if not told:
        return None
    name = named if isinstance(named, str) and len(named) <= _LONGEST_ID else ""
    return Message(
        role,
        head_and_tail(told, LONGEST[role]),
        name if _ID.fullmatch(name) else f"{line.mark}-{zlib.crc32(told.encode()):08x}",
        line.at,
        tool if isinstance(tool, str) else None,
    )


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a transcript."""

    told: Mapping[str, Any]
    mark: str
    """Tells it from every other line of the transcript, and is the same at the next look."""

    @property
    def at(self) -> str | None:
        """When it was written."""
        try:
            return str(check_instant(self.told.get("timestamp"), "timestamp").isoformat())
        except InvalidInputError:
            return None


def line_of(raw: bytes, offset: int) -> Line | None:
    """A line as it stands in the file; nothing where it is no JSON object."""
    try:
        told = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict):
        return None
    # Lines of an instant are told apart by what they say; where no time is said, by their place.
    place = "" if told.get("timestamp") else f"{offset}:"
    return Line(told, f"{zlib.crc32(place.encode() + raw.strip()):08x}-{len(raw.strip())}")


def texts(content: object, *kinds: str) -> str:
    """The text of a message: plain, or in blocks of some kinds."""
    if isinstance(content, str):
        return content
    found = [one.get("text") for one in blocks(content) if one.get("type") in kinds]
    return "\n\n".join(one for one in found if isinstance(one, str))


def blocks(content: object) -> list[dict[str, Any]]:
    """The blocks of a message."""
    return [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []


def call_text(tool: object, given: object) -> str:
    """A call of a tool in one text that can be found again."""
    told = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return f"{tool}: {told}" if isinstance(tool, str) else told
