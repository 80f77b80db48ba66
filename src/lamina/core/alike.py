"""Texts that say nearly the same, of many: found without holding each against each.

Two texts have a share of words and pairs in common only if they share one of their rarest, so only
those are looked up. What is found differs somewhere, perhaps in the one word that matters: it is
for a person to look at, and no reason to do anything.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

from lamina.core.ranking.duplicates import Shingles, likeness, shingles

NEAR: Final = 0.6
"""From which share of common words and pairs on two texts are shown beside each other."""
_LEAST: Final = 7
"""Texts of fewer words and pairs are alike by chance."""
_CROWD: Final = 50
"""What so many texts share is a form that they are written in."""


def alike(texts: Sequence[str], least: float = NEAR) -> list[list[int]]:
    """Groups of texts, by place, of which each is so much like the first; the likest groups first.

    No text is in two groups.
    """
    sets = [shingles(text) for text in texts]
    often = Counter(one for of in sets for one in of)
    where: dict[tuple[str, ...], list[int]] = defaultdict(list)
    near: dict[int, dict[int, float]] = defaultdict(dict)
    for place, of in enumerate(sets):
        if len(of) < _LEAST:
            continue
        rarest = sorted(of, key=lambda one: (often[one], one))
        front = [one for one in rarest[: len(of) - int(least * len(of)) + 1]
                 if often[one] <= _CROWD]  # fmt: skip
        for other in {there for one in front for there in where[one]}:
            share = _share(of, sets[other], least)
            if share >= least:
                near[other][place] = near[place][other] = share
        for one in front:
            where[one].append(place)
    return _groups(near)


def _share(one: Shingles, other: Shingles, least: float) -> float:
    if min(len(one), len(other)) < least * max(len(one), len(other)):
        return 0.0
    return likeness(one, other)


def _groups(near: dict[int, dict[int, float]]) -> list[list[int]]:
    """The likest pair first, with all that are like its first one, until none is left."""
    pairs = sorted((-share, one, two) for one, of in near.items() for two, share in of.items())
    taken: set[int] = set()
    found: list[list[int]] = []
    for _, one, two in pairs:
        if one in taken or two in taken:
            continue
        group = [one, *(other for other in sorted(near[one]) if other not in taken)]
        taken |= {*group}
        found.append(group)
    return found
