"""The change feed across processes: how soon a subscriber hears of a write, and what waiting costs.

A subscriber in a process of its own waits in vain for a while, which gives the price of waiting.
Then writes come, with pauses that differ, so that no rhythm of its own can help or hinder it.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from lamina import clock
from lamina.bench.crowds import Child
from lamina.bench.drafts import draft
from lamina.bench.measure import Phase, Spread
from lamina.memory import Memory

CPU_AIM_PERCENT: Final = 0.5
_WAKES: Final = 100
_LONGEST_PAUSE_SECONDS: Final = 0.06
_STEPS: Final = 20


@dataclass(frozen=True, slots=True)
class Feed:
    """What a subscriber in another process saw."""

    wakes: int
    wake: Spread
    """From the acknowledgement of a write to its arrival; one that arrives sooner took no time."""
    idle_seconds: float
    idle_cpu_percent: float
    """What an idle subscriber took of one core."""

    def to_json(self) -> dict[str, Any]:
        """The figures with what they aim at."""
        return {**asdict(self), "idle_cpu_aim_percent": CPU_AIM_PERCENT}


def measure(store: Path, mem: Memory, seconds: float, phase: Phase) -> Feed:
    """Let a subscriber wait, then write to it."""
    wakes = max(2, int(_WAKES * min(1.0, seconds)))
    with (
        Child("follow", store, wakes) as child,
        phase("Change feed", _STEPS + wakes) as advance,
    ):
        child.hear()
        for step in range(_STEPS):
            time.sleep(2 * seconds / _STEPS)
            advance(step + 1)
        # The first write ends the wait and is not counted.
        mem.remember(**draft(0))
        idle = child.hear()
        acknowledged = _write(mem, wakes, lambda done: advance(_STEPS + done))
        heard = child.hear()
    late = [max(0.0, heard[one] - at) for one, at in acknowledged.items()]
    share = 100 * idle["cpu"] / idle["wall"]
    return Feed(wakes, Spread.of(late), round(idle["wall"], 3), round(share, 3))


def _write(mem: Memory, wakes: int, tell: Callable[[int], None]) -> dict[str, float]:
    """When each of so many writes was acknowledged, by the id of its record."""
    chance = Random(wakes)
    acknowledged: dict[str, float] = {}
    for number in range(wakes):
        time.sleep(chance.uniform(0, _LONGEST_PAUSE_SECONDS))
        receipt = mem.remember(**draft(number))
        acknowledged[receipt.id] = clock.stopwatch()
        tell(number + 1)
    return acknowledged
