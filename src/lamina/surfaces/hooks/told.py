"""What a harness tells of an event: JSON that is read liberally, for every release adds to it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lamina.core.names import to_name
from lamina.durable import is_path

if TYPE_CHECKING:
    from collections.abc import Mapping

START: Final = "SessionStart"
PROMPT: Final = "UserPromptSubmit"
TOOL: Final = "PostToolUse"
KEEPING: Final = ("PreCompact", "Stop", "SessionEnd")
"""The events at which what was said is kept."""
EVENTS: Final = (START, PROMPT, TOOL, *KEEPING)
HARNESSES: Final = ("claude", "codex")
_NAMELESS: Final = "unnamed"


@dataclass(frozen=True, slots=True)
class Told:
    """One event of one session."""

    event: str
    harness: str
    folder: Path
    """Where the harness works, which decides whose memory it is."""
    session: str
    """What the session is called, as a name that a scope can have."""
    transcript: Path | None = None
    said: Mapping[str, Any] = field(default_factory=dict)
    """All that was told."""

    def text(self, name: str) -> str:
        """What was told under a name, if it was text."""
        found = self.said.get(name)
        return found if isinstance(found, str) else ""


def event_named(name: str) -> str | None:
    """The event that somebody means: `SessionStart`, `session-start` and `session_start` alike."""
    folded = re.sub(r"[-_ ]", "", name).lower()
    return next((event for event in EVENTS if event.lower() == folded), None)


def read(event: str, harness: str, given: bytes, here: Path) -> Told:
    """What a harness wrote to standard input; what cannot be read counts as not told."""
    said = _object(given)
    folder = _path(said.get("cwd")) or here
    transcript = _path(said.get("transcript_path"))
    named = said.get("session_id")
    fallback = transcript.stem if transcript else ""
    session = to_name(named if isinstance(named, str) else fallback, _NAMELESS)
    return Told(event, harness, folder, session, transcript, said)


def _object(given: bytes) -> dict[str, Any]:
    try:
        found = json.loads(given.decode("utf-8", "replace") or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _path(found: object) -> Path | None:
    return Path(found).expanduser() if isinstance(found, str) and found and is_path(found) else None
