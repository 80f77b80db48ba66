"""What a person has looked at and let stand, so that nobody is asked about it again.

A decision is a record of its own beside what it is about: that stays as it is, and taking the
decision back is `undo`. Only a person's word counts: what an agent writes there is believed no more
than the agent, and so is passed over.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.core.record import Trust
from lamina.layers.face import every

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.layers.face import Door

LAYER: Final = "archive"
STALE: Final = "stale"
"""It has faded, and is to stay."""
APART: Final = "apart"
"""It says nearly what others say, and all of them are to stay."""
SOUND: Final = "sound"
"""It looked suspicious, and is harmless."""
NARROW: Final = "narrow"
"""It could become knowledge of a wider scope, and is to stay where it is."""
ABOUT: Final = (STALE, APART, SOUND, NARROW)
_KIND: Final = "reviewed"
_PEOPLE: Final = (Trust.USER.value, Trust.SYSTEM.value)


@dataclass(frozen=True, slots=True)
class Decision:
    """That a record may stay as it is."""

    record: str
    at: datetime
    text: str
    """A digest of what the record said then: said otherwise, it is looked at again."""
    others: frozenset[str]
    """What it was held against, where it was."""

    def holds_for(self, record: Record) -> bool:
        """Whether the record still says what was decided about."""
        return self.record == record.id and self.text == digest(record.text)


def decisions(door: Door, about: str) -> dict[str, Decision]:
    """What was decided about one question, by record."""
    where = {"layer": LAYER, "kind": _KIND, "data.about": about, "trust": {"$in": list(_PEOPLE)}}
    return {one.record: one for one in map(_decision, every(door, where))}


def apart(door: Door) -> dict[str, frozenset[str]]:
    """Those that somebody wants beside each other though they say the same, by record."""
    return {one.record: frozenset(one.others) for one in decisions(door, APART).values()}


def deciding(about: str, record: Record, others: Sequence[str] = ()) -> Draft:
    """What is written down of a decision; a later one about the same stands in its place."""
    return {
        "layer": LAYER, "scope": record.scope, "kind": _KIND, "key": f"{about} {record.id}",
        "text": f"{record.id} was looked at and stays ({about})",
        "data": {"about": about, "record": record.id, "digest": digest(record.text),
                 "others": sorted(others)},
    }  # fmt: skip


def digest(text: str) -> str:
    """What equal texts have in common."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _decision(found: Record) -> Decision:
    data = found.data
    others = data.get("others")
    return Decision(
        str(data.get("record")), found.updated_at, str(data.get("digest")),
        frozenset(map(str, others)) if isinstance(others, list) else frozenset(),
    )  # fmt: skip
