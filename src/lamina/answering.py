"""How recalls went, in this process: how many were asked, and how many found nothing relevant.

Counted where recall is done and nowhere kept: what other processes ask of the same store is theirs
to know. Apart for those confined to different roots, as counts of use are.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina import clock
from lamina.core.scope import stream_of

if TYPE_CHECKING:
    from datetime import datetime

    from lamina.core.access import Reach
    from lamina.results import Recall

_LATEST: Final = 500
"""So many times are remembered of each root: what was slow an hour ago need not be so now."""
_ROOTS: Final = 1_000
"""Of more roots than this, the newer ones are not counted."""


@dataclass(frozen=True, slots=True)
class Answered:
    """How recalls went."""

    since: datetime
    """When counting began."""
    asked: int = 0
    abstained: int = 0
    """Those to which nothing relevant was found, so that nothing was returned."""
    median_ms: float | None = None
    """Of the latest; `None` while there are none."""


class _Count:
    def __init__(self) -> None:
        self.asked = 0
        self.abstained = 0
        self.took_ms: deque[float] = deque(maxlen=_LATEST)


class Answers:
    """The counts of one process on one store. Safe to share between threads."""

    def __init__(self) -> None:
        self._since = clock.now()
        self._lock = threading.Lock()
        self._counts: dict[str, _Count] = {}

    def note(self, root: str, found: Recall) -> None:
        """Somebody confined to a root, or to none, was answered."""
        with self._lock:
            if root not in self._counts and len(self._counts) >= _ROOTS:
                return
            count = self._counts.setdefault(root, _Count())
            count.asked += 1
            count.abstained += found.abstained
            count.took_ms.append(found.took_ms)

    def within(self, reach: Reach) -> Answered:
        """What is known within a reach: all of it for who sees everything, else one's own."""
        streams = reach.streams()
        with self._lock:
            counts = [
                count
                for root, count in self._counts.items()
                if streams is None or (root and stream_of(root) in streams)
            ]
            times = [took for count in counts for took in count.took_ms]
            asked = sum(count.asked for count in counts)
            abstained = sum(count.abstained for count in counts)
        # Loaded late: it takes longer than to read a memory, and few ask.
        from statistics import median

        middle = round(median(times), 3) if times else None
        return Answered(self._since, asked, abstained, middle)
