"""Questions of many sorts about generated texts, to ask of a store of any size."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from lamina.bench.texts import SMALL, Texts, scope_of

EACH: Final = 50
_FREQUENT: Final = 200
_SEED: Final = 4


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, of which sort it is, and the text that it was made from."""

    kind: str
    text: str
    about: int

    @property
    def scope(self) -> str:
        """Where the text lies that it was made from."""
        return scope_of(self.about)


class Mix:
    """Questions about the first texts, so that the same ones can be asked at every size."""

    def __init__(self, texts: Texts, least: int) -> None:
        self._frequent = texts.words[:_FREQUENT]
        self._rank = {word: rank for rank, word in enumerate(texts.words)}
        self._names = frozenset(texts.names)
        self._block = texts.block(0)[:least]

    def questions(self, each: int = EACH, *, seed: int = _SEED) -> list[Asked]:
        """So many of each sort, one sort after the other in turn; the same ones for a seed."""
        chance = random.Random(seed)
        sorts: dict[str, Callable[[list[str], random.Random], str]] = {
            "rare words": self._rare,
            "common words": self._common,
            "long question": self._long,
            "name": self._name,
            "misspelt": self._misspelt,
            "short question": self._short,
        }
        found = []
        for _ in range(each):
            for kind, make in sorts.items():
                about = chance.randrange(len(self._block))
                words = self._block[about].rstrip(".").split()
                found.append(Asked(kind, make(words, chance), about))
        return found

    def _content(self, words: Sequence[str]) -> list[str]:
        """The words of a text that mean something, the rarest first."""
        known = {word for word in words if word in self._rank}
        return sorted(known, key=lambda word: -self._rank[word]) or list(words)

    def _rare(self, words: list[str], _: random.Random) -> str:
        return " ".join(self._content(words)[:2])

    def _common(self, _: list[str], chance: random.Random) -> str:
        return " ".join(chance.sample(self._frequent, 3))

    def _long(self, words: list[str], chance: random.Random) -> str:
        said = " ".join(chance.sample(words, len(words)))
        return f"Can you tell me again what it was that we had said about {said}?"

    def _name(self, words: list[str], chance: random.Random) -> str:
        who = next((word for word in words if word in self._names), None)
        who = who or chance.choice(sorted(self._names))
        return f"What did {who} say about the {self._content(words)[-1]}?"

    def _misspelt(self, words: list[str], chance: random.Random) -> str:
        rare, *others = self._content(words)
        at = chance.randrange(1, max(2, len(rare) - 2))
        wrong = rare[:at] + rare[at + 1 : at + 2] + rare[at] + rare[at + 2 :]
        return " ".join((wrong, *others[-1:]))

    def _short(self, words: list[str], chance: random.Random) -> str:
        content = self._content(words)
        first, second, third = chance.choices(content, k=3)
        return f"Which {first} was {chance.choice(SMALL)} the {second} for {third}?"
