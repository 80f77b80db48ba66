"""Texts by the million to measure speed with: about something, with words that repeat as in nature.

A few words are everywhere and most are rare; each text keeps to one topic and often names somebody.
Words are put together from common ones, so that a stemmer finds stems and a model finds meaning.
The text with a number is the same on every machine. Texts are made by the block, for that is fast.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from lamina.core.draft import Draft

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK: Final = 5_000
SMALL: Final = (
    "the of and to in is was for with on that it as by at from this be are or has had not but"
    " were which their after when its would been one all there can will more than also who"
).split()
_ROOTS: Final = (
    "stone river field bridge water light night paper glass iron wood garden market street house"
    " school doctor letter number winter summer morning evening window table kitchen engine signal"
    " ship harbour island forest valley mountain weather cloud storm wind snow rain fire smoke"
    " metal silver copper gold salt sugar bread butter apple orange lemon coffee spice cloth"
    " leather cotton wool thread needle button pocket mirror candle lamp clock wheel chain anchor"
    " rope sail paint brush colour shadow picture music song drum voice story poem book page"
    " chapter title index record file folder report budget ledger invoice payment account bank"
    " credit price profit trade cargo order parcel ticket train station track tunnel tower wall"
    " floor roof stair corner door gate lock key guard police court judge law rule vote council"
    " mayor king queen prince soldier captain sailor farmer baker miller smith tailor painter"
    " teacher student reader writer player singer dancer runner rider driver pilot hunter fisher"
    " horse sheep goat wolf bear fox deer hare mouse eagle raven swan goose duck trout salmon"
    " plant seed root leaf flower grass grain wheat barley corn bean berry mushroom moss"
    " heart blood bone skin hand finger shoulder knee muscle nerve brain sleep dream fever pain"
    " server cluster packet socket buffer memory process thread module parser compiler release"
    " branch commit patch review deploy rollback backup restore schema query cache token session"
    " sensor motor battery circuit switch cable antenna filter valve pump pipe tank boiler furnace"
    " planet moon comet orbit rocket lens telescope crystal magnet current voltage pressure heat"
).split()
_ENDINGS: Final = ("", "s", "ing", "ed", "er", "less", "ful", "like", "work", "side")
_FIRST: Final = (
    "Mar Al Ber Cor Dan El Fer Gar Hel Is Jor Kat Lor Mir Nor Os Per Ros Sil Tor".split()
)
_LAST: Final = "a an ella ian ina ette on ius otta wen mund rick bert son ley ton ford well".split()
_TOPICS: Final = 400
_TOPIC_WORDS: Final = 80
_COMPOUNDS: Final = 60_000
_SHIFT: Final = 40
"""What texts are about varies more than their grammar: no such word is in very many of them."""
_SHARES: Final = (0.42, 0.30)
"""Of the words of a text: small words, words at large; the rest keeps to the topic."""
_LENGTH: Final = 29
_NAMED: Final = 0.3


class Texts:
    """All texts of one seed."""

    def __init__(self, seed: int = 4) -> None:
        self._seed = seed

    def block(self, number: int) -> list[str]:
        """The texts from `number * BLOCK` on."""
        chance = np.random.default_rng((self._seed, number))
        lengths = np.clip(chance.poisson(_LENGTH, BLOCK), 6, None)
        topics = chance.integers(0, _TOPICS, BLOCK)
        words = self._words_of(chance, np.repeat(topics, lengths))
        named = chance.random(BLOCK) < _NAMED
        names = chance.integers(0, len(self.names), BLOCK)
        texts, start = [], 0
        for at, length in enumerate(lengths.tolist()):
            said = " ".join(words[start : start + length])
            start += length
            who = f"{self.names[names[at]]} " if named[at] else ""
            texts.append(f"{who}{said}.")
        return texts

    def some(self, first: int, last: int) -> Iterator[list[str]]:
        """The texts from one number up to another, in pieces of at most a block."""
        for number in range(first // BLOCK, -(-last // BLOCK)):
            begin = number * BLOCK
            yield self.block(number)[max(0, first - begin) : last - begin]

    @cached_property
    def words(self) -> list[str]:
        """Words with meaning, the frequent ones first."""
        chance = np.random.default_rng(self._seed)
        roots = list(_ROOTS)
        chance.shuffle(roots)
        formed = [root + ending for ending in _ENDINGS for root in roots]
        pairs = chance.integers(0, len(roots), (_COMPOUNDS, 2)).tolist()
        return list(dict.fromkeys([*formed, *(roots[one] + roots[two] for one, two in pairs)]))

    @cached_property
    def names(self) -> list[str]:
        """People that texts are about."""
        return [first + last for first in _FIRST for last in _LAST]

    @cached_property
    def _topics(self) -> "NDArray[np.int64]":
        """The words of each topic, by number, the most usual first."""
        chance = np.random.default_rng((self._seed, 1))
        return chance.integers(0, len(self.words), (_TOPICS, _TOPIC_WORDS))

    @cached_property
    def _all(self) -> "NDArray[np.object_]":
        return np.array([*SMALL, *self.words], dtype=object)

    def _words_of(self, chance: np.random.Generator, topics: "NDArray[np.int64]") -> list[str]:
        """One word for each entry, which says the topic of its text."""
        many = len(topics)
        kind = chance.random(many)
        small = _ranks(chance, many, len(SMALL))
        large = len(SMALL) + _ranks(chance, many, len(self.words), _SHIFT)
        topical = len(SMALL) + self._topics[topics, _ranks(chance, many, _TOPIC_WORDS, 3)]
        chosen = np.where(kind < _SHARES[0], small, np.where(kind < sum(_SHARES), large, topical))
        return list(self._all[chosen])


def _ranks(
    chance: np.random.Generator, many: int, size: int, shift: int = 0
) -> "NDArray[np.int64]":
    """Ranks below a size, each as frequent as one over it."""
    weights = np.cumsum(1 / np.arange(1 + shift, size + shift + 1))
    found: NDArray[np.int64] = np.searchsorted(weights, chance.random(many) * weights[-1])
    return found


_PROJECTS: Final = (("alpha", 70), ("beta", 15), ("gamma", 10), ("delta", 5))
_SCOPES: Final = tuple(
    f"project/{name}/task/t{number:02}" for name, share in _PROJECTS for number in range(share)
)
"""A hundred scopes in four projects, each of which holds one record in a hundred."""
_LOGGED: Final = 10
"""One record in so many is in the log, where it matters what comes before and after."""


def drafts(texts: list[str], first: int) -> list[Draft]:
    """Texts as memories; the number of the first says where they belong."""
    found = []
    for number, text in enumerate(texts, first):
        draft: Draft = {"text": text, "scope": scope_of(number)}
        if number // len(_SCOPES) % _LOGGED == 0:
            draft |= {"layer": "log", "kind": "SYSTEM"}
        found.append(draft)
    return found


def scope_of(number: int) -> str:
    """Where the text with this number belongs."""
    # By a step that shares no factor with their number, neighbours go to different projects.
    return _SCOPES[number * 37 % len(_SCOPES)]
