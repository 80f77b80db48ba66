"""How much a message has to do with what is being done: the objective, next steps, open tasks."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from lamina.core.scope import GLOBAL
from lamina.core.text.stop import stop_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.compaction.archiving import Door
    from lamina.core.record import Record
    from lamina.core.scope import Scope

_OPEN: Final = ["open", "active", "blocked"]
_MOST_TASKS: Final = 50
_WORD: Final = re.compile(r"\w{3,}")


def focus(door: Door, home: Scope) -> frozenset[str]:
    """The words of what is being done at a place."""
    now = {"layer": "now", "scope": home.path, "key": {"$in": ["objective", "next_steps"]}}
    root = (door.principal.root or GLOBAL).path
    tasks = {"layer": "task", "scope": root, "data.status": {"$in": _OPEN}}
    found = [*door.query(now, limit=2), *door.query(tasks, limit=_MOST_TASKS)]
    return frozenset().union(*(words(record.text) for record in found))


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
