"""Questions that a store cannot answer, because they are about another one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final

from lamina.bench.sets import Collection, RetrievalSet

SEED: Final = 4
PAIRS: Final = 100
"""How many questions the stores of a set are asked in all, of each origin."""


class Origin(StrEnum):
    """Where a question comes from that a store cannot answer."""

    SAME_SET = "same_set"
    """Another store of the same set: the hard ones, alike in everything but the facts."""
    OTHER_SETS = "other_sets"
    NO_GOLD = "no_gold"
    """The store's own set, which says that nothing answers it."""


@dataclass(frozen=True, slots=True)
class Crossed:
    """A question that went to the wrong store."""

    store: int
    """The place of the store in its set."""
    text: str
    origin: Origin


def crossed(
    chosen: RetrievalSet, every: Sequence[RetrievalSet], pairs: int = PAIRS
) -> list[Crossed]:
    """Questions for the stores of one set, always the same ones, in the order of the stores."""
    chance = Random(f"{SEED} {chosen.name}")
    others = [one for one in every if one.name != chosen.name and one.questions]
    found = [*_within(chosen, pairs, chance), *_from(others, chosen, pairs, chance)]
    return sorted(found, key=lambda one: one.store)


def _within(chosen: RetrievalSet, pairs: int, chance: Random) -> Iterator[Crossed]:
    stores = chosen.collections
    if len(stores) < 2:
        return
    for number in range(pairs):
        at = number % len(stores)
        other = stores[(at + chance.randrange(1, len(stores))) % len(stores)]
        if text := _asked(other, chance):
            yield Crossed(at, text, Origin.SAME_SET)


def _from(
    others: Sequence[RetrievalSet], chosen: RetrievalSet, pairs: int, chance: Random
) -> Iterator[Crossed]:
    for number in range(pairs if others else 0):
        other = chance.choice(others[number % len(others)].collections)
        if text := _asked(other, chance):
            yield Crossed(number % len(chosen.collections), text, Origin.OTHER_SETS)


def _asked(collection: Collection, chance: Random) -> str:
    return chance.choice(collection.questions).text if collection.questions else ""
