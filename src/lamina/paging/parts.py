"""A part of hot state, and why something is not shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lamina.core.record import Record


class Reasons(StrEnum):
    """Why something is left out."""

    NO_ROOM = "there was no room for it any more"
    REPEATED = "something that says the same is shown"
    NEARER = "something nearer holds its key"
    SAID_HERE = "the session itself tells it"
    CORRECTED = "it names a value that was corrected since"


@dataclass(slots=True)
class Part:
    """One part of hot state: its records, those first that matter most."""

    records: list[Record]
    has_more: bool = False
    """Whether there is more of it than comes into question."""
    left: list[tuple[Record, Reasons]] = field(default_factory=list)
    """What could have been among them, and why it is not."""
    lacks: str = ""
    """Why nobody knows what belongs here, if so."""
