"""How much a message has to do with what is being done, by its words."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from lamina.core.text.stop import stop_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.record import Record

_WORD: Final = re.compile(r"\w{3,}")


def words(text: str) -> frozenset[str]:
    """The words of a text that tell something."""
    return frozenset(_WORD.findall(text.casefold())) - stop_tokens()


def scores(messages: Sequence[Record], about: frozenset[str]) -> list[float]:
    """For each message how much it is about these words, from 0 to 1; rare ones count more."""
    if not about:
        return [0.0] * len(messages)
    held = [about.intersection(_WORD.findall(message.text.casefold())) for message in messages]
    often = Counter(word for found in held for word in found)
    rarity = {word: math.log((1 + len(messages)) / many) for word, many in often.items()}
    most = sum(rarity.values())
    return [sum(rarity[word] for word in found) / most if most else 0.0 for found in held]
