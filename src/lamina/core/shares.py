"""How a budget is shared out: what one tier does not need goes to others; and what use teaches."""

from collections.abc import Mapping
from typing import Final

from lamina.errors import InvalidInputError

TIERS: Final = ("task", "project", "global")
USUAL: Final = {"task": 0.4, "project": 0.4, "global": 0.2}


def check_split(split: object) -> dict[str, float]:
    """Return shares that sum up to one, given as `{"task": 2, …}` or as `40/40/20`."""
    if isinstance(split, str):
        parts = split.split("/")
        split = dict(zip(TIERS, parts, strict=False)) if len(parts) == len(TIERS) else None
    if not isinstance(split, Mapping) or not set(split) <= set(TIERS):
        raise _no_split()
    try:
        shares = {tier: float(split.get(tier, 0)) for tier in TIERS}
    except (TypeError, ValueError):
        raise _no_split() from None
    whole = sum(shares.values())
    if not 0 < whole < float("inf") or min(shares.values()) < 0:
        raise _no_split()
    return {tier: share / whole for tier, share in shares.items()}


def shared_out(
    budget: int, shares: Mapping[str, float], wanted: Mapping[str, int]
) -> dict[str, int]:
    """How many tokens each tier gets: its share, but no more than it wants while others want more.

    What is left over flows to those that still want some, in proportion to their shares.
    """
    given = dict.fromkeys(shares, 0)
    left = max(0, budget)
    hungry = {tier for tier in shares if wanted.get(tier, 0) > 0}
    while left > 0 and hungry:
        whole = sum(shares[tier] for tier in hungry)
        # Who was to get nothing gets what nobody else wants.
        portions = {
            tier: left * shares[tier] / whole if whole else left / len(hungry) for tier in hungry
        }
        sated = {t for t in hungry if wanted[t] - given[t] <= portions[t]}
        if not sated:
            for tier, portion in portions.items():
                given[tier] += int(portion + 1e-6)
            break
        for tier in sated:
            left -= wanted[tier] - given[tier]
            given[tier] = wanted[tier]
        hungry -= sated
    return given


LEAST: Final = 0.1
MOST: Final = 0.7
"""What a tier gets at least and at most, whatever use has taught."""
_DOUBT: Final = 20.0
"""How many entries have to be told of before use weighs as much as what was chosen."""

_NEARLY_NONE: Final = 1e-6
_HALVINGS: Final = 80


def learned(
    chosen: Mapping[str, float], shown: Mapping[str, float], used: Mapping[str, float]
) -> dict[str, float]:
    """The chosen shares, moved towards tiers whose entries were used more than the others'.

    Little evidence moves them little; no tier ever gets less than a tenth or more than 70 %.
    """
    rates = {tier: (used.get(tier, 0) + 1) / (shown.get(tier, 0) + 2) for tier in TIERS}
    # Nothing is known of a tier that was not shown: it is taken for as good as the rest.
    seen = [tier for tier in TIERS if shown.get(tier, 0) > 0]
    middle = sum(rates[tier] for tier in seen) / len(seen) if seen else 0.5
    drawn = {t: chosen[t] * (rates[t] if t in seen else middle) for t in TIERS}
    weight = sum(shown.get(tier, 0) for tier in TIERS)
    weight = weight / (weight + _DOUBT)
    whole = sum(drawn.values())
    return _bounded({t: (1 - weight) * chosen[t] + weight * drawn[t] / whole for t in TIERS})


def _bounded(shares: Mapping[str, float]) -> dict[str, float]:
    """Shares of one whole, each within its bounds, and in proportion as far as these allow."""
    low, high = 0.0, 1.0 / _NEARLY_NONE
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        found = {t: min(MOST, max(LEAST, middle * (s + _NEARLY_NONE))) for t, s in shares.items()}
        low, high = (middle, high) if sum(found.values()) < 1 else (low, middle)
    return {tier: round(share, 4) for tier, share in found.items()}


def _no_split() -> InvalidInputError:
    return InvalidInputError(
        "`split` must say how much of the budget each tier gets",
        remedy='Write "40/40/20", or {"task": 0.4, "project": 0.4, "global": 0.2}',
    )
