"""A plan: what a policy would do with which records, and why, before anything is done.

A plan is a value. It says the same whether it is only shown or carried out, and carrying it out is
one transaction that `undo` takes back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from lamina.core.retention import HANDFUL, SHARE

if TYPE_CHECKING:
    from lamina.core.changes import Receipt
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.layers.face import Door


class Does(StrEnum):
    """What happens to a record."""

    ARCHIVE = "archive"
    FORGET = "forget"
    SUPERSEDE = "supersede"
    """Another record says the same and stays."""
    KEEP = "keep"
    """It stays, and says from now on which others it stands for."""
    PROMOTE = "promote"
    """It stays, and becomes knowledge of a wider scope as well."""


_TAKES = frozenset((Does.ARCHIVE, Does.FORGET, Does.SUPERSEDE))


@dataclass(frozen=True, slots=True)
class Step:
    """What becomes of one record."""

    record: Record
    """As it was when the plan was made."""
    does: Does
    reason: str
    kind: str = ""
    """What kind of knowledge a promoted record becomes."""
    target: str = ""
    """The scope that it becomes knowledge of."""
    merged: tuple[RecordId, ...] = ()
    """The records that one which is kept stands for."""

    @property
    def takes(self) -> bool:
        """Whether the record is no longer current afterwards."""
        return self.does in _TAKES


@dataclass(frozen=True, slots=True)
class Plan:
    """What one policy would do now."""

    name: str
    why: str
    """What the policy goes by, in words."""
    steps: tuple[Step, ...]
    of: int
    """How many current records there are within reach."""
    left: int = 0
    """How many more records are due; a plan takes so many at a time, the oldest first."""
    is_bounded: bool = False
    """Whether the policy itself sets how much goes at once, so that nobody need be asked."""
    only_proposes: bool = False
    """Whether it is never carried out unless somebody agrees, however little goes."""
    door: Door | None = field(default=None, repr=False, compare=False)
    """The handle that the plan was made with, and is carried out by."""

    @property
    def ids(self) -> tuple[RecordId, ...]:
        """The records that something becomes of, in the order of the steps."""
        return tuple(step.record.id for step in self.steps)

    @property
    def takes(self) -> int:
        """How many records are no longer current afterwards."""
        return sum(step.takes for step in self.steps)

    @property
    def share(self) -> float:
        """How much of everything current goes, from 0 to 1."""
        return self.takes / max(self.of, 1)

    @property
    def asks(self) -> bool:
        """Whether so much goes that somebody has to say yes."""
        if self.only_proposes:
            return bool(self.steps)
        return not self.is_bounded and self.takes > HANDFUL and self.share > SHARE

    def apply(self, *, confirm: bool = False) -> Receipt | None:
        """Carry the plan out in one transaction; nothing when there is nothing to do.

        Raises:
            InvalidInputError: The plan asks, and nobody has agreed with `confirm`.
            ConflictError: A record has changed since the plan was made; nothing was done.
            ForbiddenError: One of the records is not this handle's to change; nothing was done.
        """
        from lamina.lifecycle.applying import apply

        return apply(self, confirm=confirm)
