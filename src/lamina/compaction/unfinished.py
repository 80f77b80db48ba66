"""What of a transcript is still needed, because what was asked for has not come to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.compaction.pairing import pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.record import Record

RUN: Final = "run"
FINAL: Final = "final"
"""How messages tell the run they belong to, and that it ended with this one."""


def needed(messages: Sequence[Record]) -> set[int]:
    """The places of what the last run was asked, and of calls whose results may still come."""
    run = next((one.data[RUN] for one in reversed(messages) if one.data.get(RUN)), None)
    ours = [number for number, one in enumerate(messages) if run and one.data.get(RUN) == run]
    if any(messages[number].data.get(FINAL) is True for number in ours):
        ours = []
    asked = {n for n in ours if messages[n].kind == "user" and messages[n].key == run}
    answered = set(pairs(messages).values())
    # Whoever keeps a loop of their own names no runs: what was called last waits there.
    waiting = {*ours, *range(_last_words(messages), len(messages))}
    return asked | {n for n in waiting - answered if messages[n].kind == "tool_call"}


def _last_words(messages: Sequence[Record]) -> int:
    """The place behind the last message that is neither a call nor a result."""
    for number in reversed(range(len(messages))):
        if messages[number].kind not in ("tool_call", "tool_result"):
            return number + 1
    return 0
