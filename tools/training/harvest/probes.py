"""Asks about a text in its own telling words, as somebody who half remembers would."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from .items import Item, pair

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(r"[A-Za-z][A-Za-z'\-]+|\d[\d.,:]*")
_COMMON = frozenset(
    """a about above after again all also always am an and any anything are as ask at back be
    because been before being but by can cannot come could couldn't day did didn't do does
    doesn't doing don't down each else even ever every few find first for found from get
    give go going good got great had has have haven't having he hello help her here hers
    hey hi him his how i i'd i'll i'm i've if in into is isn't it it's its just know let
    let's like little ll look looking lot made make many may maybe me might mine more most
    much must my myself name need never new next nice no not nothing now of off oh ok okay
    on one only or other our ours out over own please put quite really right said same say
    see set she should since so some something sorry still such sure take tell than thank
    thanks that that's the their them then there these they thing things think this those
    thought time to today too try two under until up us use used using very want was
    wasn't way we well were what what's when where which while who why will wish with
    won't would wouldn't yeah yes yet you you'd you'll you're you've your yours""".split()
)
_ABOUT_A_PERSON = (
    "What did {name} say about {words}?",
    "When did {name} mention {words}?",
    "What does {name} think of {words}?",
    "Why does {name} talk about {words}?",
    "Where does {name} {words}?",
    "What is it with {name} and {words}?",
    "How does {name} feel about {words}?",
    "Has {name} ever {words}?",
    "Who is {name}'s {words}?",
    "{name} {words}",
)
_ABOUT_A_THING = (
    "{words}",
    "{words}?",
    "What about {words}?",
    "When was {words}?",
    "How do I {words}?",
    "Where was {words}?",
    "Which {words} was it?",
    "How many {words}?",
    "Do you remember {words}?",
    "What did we decide on {words}?",
    "Did I tell you about {words}?",
    "Can you remind me of {words}?",
)


class Prober:
    """Draws speakers' names and probes; the same seed draws the same."""

    def __init__(self, first_names: list[str], seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._names = first_names

    def names(self, speakers: set[str]) -> dict[str, str]:
        """A first name for each speaker, none used twice."""
        drawn = self._random.sample(self._names, len(speakers))
        return dict(zip(sorted(speakers), drawn, strict=True))

    def probe(self, name: str, said: str, share: float = 0.5) -> Iterator[Item]:
        """A question about what was said, for a share of the texts with enough to ask about."""
        telling = [word for word in _WORD.findall(said) if word.lower() not in _COMMON]
        if len(telling) < 3 or self._random.random() > share:
            return
        start = self._random.randrange(len(telling) - 1)
        words = telling[start : start + self._random.choice((1, 2, 2, 3, 4))]
        if self._random.random() < 0.3 and len(telling) > 4:
            words = self._random.sample(telling, 2)
        personal = bool(name) and self._random.random() < 0.6
        template = self._random.choice(_ABOUT_A_PERSON if personal else _ABOUT_A_THING)
        question = template.format(name=name, words=" ".join(words))
        yield from pair("probe", question, f"{name}: {said}" if name else said)
