"""Near-duplicates and diversity: the same thing is not said twice, unless there is room for it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from lamina.core.ranking.candidates import Ranked
from lamina.core.text import tokens

SAME: Final = 0.9
"""The share of common words and word pairs from which on two texts say the same."""
_NEAR: Final = 0.5
"""Log-odds that are further apart do not belong to the same text: reading it can be saved."""
_LENGTHS: Final = 0.8
"""The same for lengths, as a share of the longer one."""
_READ: Final = 2000
"""How many characters are compared."""
_LOOKED_AT: Final = 3
"""How many times the limit is looked at for duplicates and for variety."""
_MOST: Final = 120
"""And no more than so many: each is compared with all others."""
_SHORT: Final = 4
"""Texts of fewer words are the same only if they are equal: one word may turn them round."""

Shingles = frozenset[tuple[str, ...]]


def collapsed(ranked: Sequence[Ranked], limit: int) -> list[Ranked]:
    """Leave out what nearly repeats a better one; the newer of two stands for both.

    Only the front is looked at, and what is left out is named by what stands for it.
    """
    front = list(ranked[: min(limit * _LOOKED_AT, _MOST)])
    groups: list[list[Ranked]] = []
    # Only records of one place repeat each other.
    places: dict[tuple[str, str], list[list[Ranked]]] = {}
    for hit in front:
        there = places.setdefault((hit.record.scope, hit.record.layer), [])
        same = next((group for group in there if repeats(hit, group[0])), None)
        if same is None:
            there.append([hit])
            groups.append(there[-1])
        else:
            same.append(hit)
    kept = [_newest(group) for group in groups]
    return sorted(kept, key=lambda hit: -hit.score) + list(ranked[len(front) :])


def diverse(ranked: Sequence[Ranked], limit: int, strength: float) -> list[Ranked]:
    """Order anew so that each next one is likely to be relevant and unlike those before it."""
    waiting = list(ranked[: min(limit * _LOOKED_AT, _MOST)])
    nearest = {hit.record.id: 0.0 for hit in waiting}
    chosen: list[Ranked] = []
    while waiting:
        best = max(
            waiting,
            key=lambda hit: (1 - strength) * hit.probability - strength * nearest[hit.record.id],
        )
        waiting.remove(best)
        chosen.append(best)
        for hit in waiting:
            alike = likeness(shingles(hit.record.text), shingles(best.record.text))
            nearest[hit.record.id] = max(nearest[hit.record.id], alike)
    return chosen + list(ranked[len(chosen) :])


def repeats(hit: Ranked, other: Ranked) -> bool:
    """Whether two records of one place say nearly the same.

    What comes from elsewhere does not stand for what a user said unless it is the same to the
    letter: one word that is missing may turn it round.
    """
    one, two = hit.record, other.record
    if (one.scope, one.layer) != (two.scope, two.layer):
        return False
    if one.text == two.text:
        return True
    if one.trust != two.trust:
        return False
    if abs(hit.score - other.score) > _NEAR:
        return False
    shorter, longer = sorted((len(one.text), len(two.text)))
    if shorter < longer * _LENGTHS:
        return False
    return nearly_same(one.text, two.text)


def nearly_same(one: str, other: str) -> bool:
    """Whether two texts that are long enough have nearly all their words and pairs in common."""
    first, second = shingles(one), shingles(other)
    shorter, longer = sorted((len(first), len(second)))
    # So many words have one pair less than words.
    if shorter < 2 * _SHORT - 1 or shorter < SAME * longer:
        return False
    # If they are, one of any so many pairs is common: most texts need not be compared further.
    return not sample(one).isdisjoint(second) and likeness(first, second) >= SAME


@lru_cache(maxsize=512)
def shingles(text: str) -> Shingles:
    """The words of a text and the pairs of neighbours among them."""
    words = tokens(text[:_READ])
    return frozenset((word,) for word in words) | frozenset(zip(words, words[1:], strict=False))


@lru_cache(maxsize=512)
def sample(text: str) -> Shingles:
    """As many pairs of a text as can be missing in another that is nearly the same, and one more.

    Where so few pairs make up a text, all that it has.
    """
    found = shingles(text)
    pairs = sorted(one for one in found if len(one) > 1)
    most_missing = int(len(found) * (1 - SAME) / SAME + 1e-9)
    return frozenset(pairs[: most_missing + 1]) if len(pairs) > most_missing else found


def likeness(one: Shingles, other: Shingles) -> float:
    """The share of what two texts have in common, from 0 to 1."""
    if not one and not other:
        return 1.0
    return len(one & other) / len(one | other)


def _newest(group: Sequence[Ranked]) -> Ranked:
    """The newest of those that are trusted most, which knows of the others."""
    if len(group) == 1:
        return group[0]
    most = max(hit.record.trust.rank for hit in group)
    trusted = [hit for hit in group if hit.record.trust.rank == most]
    newest = max(trusted, key=lambda hit: hit.record.valid_from or hit.record.created_at)
    others = tuple(hit.record.id for hit in group if hit is not newest)
    return replace(newest, duplicates=others)
