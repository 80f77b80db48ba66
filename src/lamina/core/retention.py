"""How much of the past stays: what each layer declares, what a store chose, and what then may go.

Only versions that were replaced ever go. The newest version of a record stays whatever its age, and
so does every event: the log tells that there was a version and when, though no longer what it said.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from lamina.core.instants import check_span
from lamina.core.layers import LAYERS, Layer
from lamina.errors import InvalidInputError

HISTORY: Final = "history."
"""What the setting of a layer starts with; the name of the layer follows."""
RECEIPTS: Final = "receipts.keep"
ALL: Final = "all"
NONE: Final = "none"
FORM: Final = "a number of versions, a span as 30d, or both as 16/30d"
HANDFUL: Final = 5
SHARE: Final = 0.05
"""A purge of more than a handful, and of more than this share of all versions, asks first."""
_LONGEST: Final = timedelta(days=36_500)
_FORM: Final = re.compile(r"(?:([0-9]{1,6})/)?([0-9]{1,9}[smhdw])|([0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class Keep:
    """So many versions before the newest, and none that was replaced longer ago."""

    versions: int | None = None
    span: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """Which versions of a layer go: those beyond a number, and those replaced before an instant."""

    layer: str
    versions: int | None = None
    before: datetime | None = None

    def takes(self, age: int, ended: datetime) -> bool:
        """Whether a version goes that was replaced at `ended` and has `age` newer ones."""
        too_many = self.versions is not None and age > self.versions
        return too_many or (self.before is not None and ended < self.before)


@dataclass(frozen=True, slots=True)
class Retention:
    """What may go, for the whole store."""

    cuts: tuple[Cut, ...]
    receipts_before: datetime | None = None
    """Receipts of requests that changed something before this instant go."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What goes, or went, of a store; by layer, among the versions that there are."""

    kept: Mapping[str, int]
    gone: Mapping[str, int]
    receipts: int = 0

    @property
    def share(self) -> float:
        """How much of all versions goes, from 0 to 1."""
        return sum(self.gone.values()) / max(sum(self.kept.values()), 1)

    @property
    def needs_consent(self) -> bool:
        """Whether so much goes that somebody has to say yes."""
        return sum(self.gone.values()) > HANDFUL and self.share > SHARE


def declared(layer: Layer) -> str:
    """What a layer keeps unless the store chose otherwise, as a setting says it."""
    span = None if layer.horizon is None else f"{layer.horizon.days}d"
    versions = None if layer.history is None else str(layer.history or NONE)
    return "/".join(part for part in (versions, span) if part) or ALL


def check_keep(name: str, value: str) -> str:
    """Return `value` if it says how much of a layer's history stays."""
    _read(name, value)
    return value


def check_receipts(value: str) -> str:
    """Return `value` if it says how long receipts stay."""
    _span(RECEIPTS, value)
    return value


def kept_when_writing(layer: str, chosen: Mapping[str, str]) -> int | None:
    """How many earlier versions a write leaves; `None` is all.

    A store that chose to keep fewer than the layer declares gets there by maintenance, which asks.
    """
    limit = LAYERS[layer].history
    choice = chosen.get(HISTORY + layer)
    if limit is None or choice is None:
        return limit
    wanted = _read(HISTORY + layer, choice).versions
    return None if wanted is None else max(limit, wanted)


def retention(chosen: Mapping[str, str], now: datetime) -> Retention:
    """What may go by now, under the settings in force."""
    receipts = chosen[RECEIPTS]
    kept = {name: _read(HISTORY + name, chosen[HISTORY + name]) for name in LAYERS}
    return Retention(
        tuple(
            Cut(name, keep.versions, None if keep.span is None else now - keep.span)
            for name, keep in kept.items()
        ),
        None if receipts == ALL else now - _span(RECEIPTS, receipts),
    )


def _read(name: str, value: str) -> Keep:
    if value == ALL:
        return Keep()
    if value == NONE:
        return Keep(0)
    found = _FORM.fullmatch(value)
    if not found:
        raise InvalidInputError(
            f"`{name}` cannot be {value!r:.40}", remedy=f"Use {ALL}, {NONE}, {FORM}"
        )
    both, span, alone = found.groups()
    versions = both or alone
    return Keep(
        None if versions is None else int(versions), None if span is None else _span(name, span)
    )


def _span(name: str, value: str) -> timedelta:
    found = check_span(value, name)
    if found > _LONGEST:
        raise InvalidInputError(f"`{name}` is longer than a century", remedy=f"Use {ALL}")
    return found
