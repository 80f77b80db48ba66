"""How an agent's context is split over task, project and global: as chosen, and as use teaches.

What is chosen for one agent and what was told of use are two records of its working memory, which
nobody searches and which no write waits for.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.core.settings import LEARN, SPLIT
from lamina.core.shares import TIERS, check_split, learned
from lamina.errors import ConflictError, ForbiddenError, InvalidInputError
from lamina.layers.face import Face

if TYPE_CHECKING:
    from lamina.core.changes import Receipt
    from lamina.core.record import Record

LEARNED: Final = "learned"
CHOSEN: Final = "context:chosen"
EVIDENCE: Final = "context:evidence"
_KIND: Final = "split"
_FADING: Final = 0.99
"""What is left of earlier evidence each time that use is told."""

_MANY: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Split:
    """The shares in force, and how they came about."""

    shares: dict[str, float]
    origin: str
    """`setting`, `agent` where it was chosen for this one, or `learned`."""
    told: int = 0
    """How often use was told."""
    shown: dict[str, float] | None = None
    """How many entries of each tier were shown, the older counting less."""
    used: dict[str, float] | None = None
    """And how many of them were used."""


class Splits(Face):
    """The split of one agent."""

    layer = "working"

    def read(self, *, learning: bool | None = None) -> Split:
        """What holds; `learning` asks for what use has taught, or for what was chosen."""
        kept = {one.key: one for one in self._find(2, kind=_KIND)}
        settings = self._door.settings()
        chosen = kept.get(CHOSEN)
        shares = check_split(chosen.text if chosen else settings[SPLIT])
        origin = "agent" if chosen else "setting"
        evidence = _evidence(kept.get(EVIDENCE))
        wants = settings[LEARN] == "on" if learning is None else learning
        if wants:
            shares, origin = learned(shares, evidence["shown"], evidence["used"]), LEARNED
        return Split(shares, origin, evidence["told"], evidence["shown"], evidence["used"])

    def set(self, split: str | Mapping[str, float]) -> Receipt:
        """Choose a split for this agent alone, as `50/30/20`."""
        shares = check_split(split)
        text = "/".join(f"{100 * shares[tier]:g}" for tier in TIERS)
        return self._put({"kind": _KIND, "key": CHOSEN, "text": text})

    def reset(self) -> Receipt | None:
        """Go back to the setting of the store, and forget what use has taught."""
        kept = [one.id for one in self._find(2, kind=_KIND)]
        return self._door.forget(*kept) if kept else None

    def tell(self, shown: Mapping[str, int], used: Mapping[str, int]) -> Split:
        """Tell how many entries of each tier were shown, and how many of them were used.

        As well as can be: whoever may not write teaches nothing, and of two that tell at the same
        instant one may be lost.
        """
        seen, taken = _checked(shown, "shown"), _checked(used, "used")
        with suppress(ConflictError, ForbiddenError):
            kept = next(iter(self._find(1, kind=_KIND, key=EVIDENCE)), None)
            before = _evidence(kept)
            data = {
                "told": before["told"] + 1,
                "shown": _faded(before["shown"], seen),
                "used": _faded(before["used"], taken),
            }
            self._put(
                {"kind": _KIND, "key": EVIDENCE, "text": "which tiers were of use", "data": data,
                 "expect": kept.rev if kept else 0}
            )  # fmt: skip
        return self.read(learning=True)


def _checked(counts: object, argument: str) -> dict[str, int]:
    given = dict(counts) if isinstance(counts, Mapping) else {"": 0}
    for tier, count in given.items():
        if tier not in TIERS or type(count) is not int or not 0 <= count < _MANY:
            raise InvalidInputError(
                f"`{argument}` must say how many entries each tier had, not {counts!r:.60}",
                remedy='Write {"task": 2, "project": 1}',
            )
    return given


def _evidence(record: Record | None) -> dict[str, Any]:
    """What was told; whatever else stands there counts as nothing."""
    data = record.data if record else {}
    told = data.get("told")
    return {
        "told": told if isinstance(told, int) else 0,
        "shown": _counts(data.get("shown")),
        "used": _counts(data.get("used")),
    }


def _counts(found: object) -> dict[str, float]:
    given = found if isinstance(found, dict) else {}
    return {tier: _count(given.get(tier)) for tier in TIERS}


def _count(value: object) -> float:
    return float(value) if isinstance(value, int | float) and 0 <= value < _MANY else 0.0


def _faded(before: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    return {tier: round(before[tier] * _FADING + _count(more.get(tier)), 3) for tier in TIERS}
