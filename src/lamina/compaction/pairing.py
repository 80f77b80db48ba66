"""Which result belongs to which call of a tool, in a list of messages."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.record import Record


def pairs(messages: Sequence[Record]) -> dict[int, int]:
    """The place of the call for that of each result: by the id they share, or else in order."""
    found: dict[int, int] = {}
    named: dict[str, int] = {}
    waiting: deque[int] = deque()
    for place, message in enumerate(messages):
        if message.kind == "tool_call":
            waiting.append(place)
            if message.key is not None:
                named[message.key] = place
        elif message.kind != "tool_result":
            # Nobody goes on before the answers are there: what has none by now gets none.
            waiting.clear()
        else:
            call = named.get(message.key) if message.key is not None else None
            if call is None and waiting:
                call = waiting[0]
            if call is not None:
                found[place] = call
                if call in waiting:
                    waiting.remove(call)
    return found


def whole(places: set[int], messages: Sequence[Record]) -> set[int]:
    """These places, and with each call its result and with each result its call."""
    together = set(places)
    for result, call in pairs(messages).items():
        if result in places or call in places:
            together |= {result, call}
    return together
