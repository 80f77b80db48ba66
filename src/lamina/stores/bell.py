"""The bell: wakes those in this process who wait for a change, whoever made it.

A commit of this process rings it. Commits of others are noticed by looking at the store now and
then; of all the threads that wait, one looks for everybody. There is no thread of its own.
"""

import threading
from collections.abc import Callable
from typing import Final

from lamina.clock import stopwatch

_BUSY_PAUSE_SECONDS: Final = 0.015
_IDLE_PAUSE_SECONDS: Final = 0.045
"""Between two looks: a change gets across within 50 ms, and idling costs next to nothing."""
_BUSY_FOR_SECONDS: Final = 1.0
"""One change is often followed by another, so for so long the looks are closer together."""


class Bell:
    """Counts changes, and lets threads wait until the count has moved."""

    def __init__(self, look: Callable[[], object] | None = None) -> None:
        self._condition = threading.Condition()
        self._look = look
        self._seen: object = None
        self._rings = 0
        self._rang_at = stopwatch()
        self._someone_looks = False

    def pulse(self) -> int:
        """The count as of now; ask before reading what there is, then wait with it."""
        with self._condition:
            self._glance()
            return self._rings

    def ring(self) -> None:
        """Something was committed in this process."""
        with self._condition:
            self._count()

    def wait(self, pulse: int, seconds: float) -> bool:
        """Sleep until something has changed since `pulse`, or the time is up; whether it has."""
        deadline = stopwatch() + seconds
        with self._condition:
            try:
                while self._rings == pulse:
                    left = deadline - stopwatch()
                    if left <= 0:
                        return False
                    self._sleep(left)
            finally:
                # If this was the one who looked, another of those waiting takes over.
                self._condition.notify()
            return True

    def _sleep(self, left: float) -> None:
        if self._look is None or self._someone_looks:
            self._condition.wait(left)
            return
        self._someone_looks = True
        try:
            busy = stopwatch() - self._rang_at < _BUSY_FOR_SECONDS
            pause = _BUSY_PAUSE_SECONDS if busy else _IDLE_PAUSE_SECONDS
            self._condition.wait(min(left, pause))
            self._glance()
        finally:
            self._someone_looks = False

    def _glance(self) -> None:
        seen = None if self._look is None else self._look()
        if seen != self._seen:
            self._seen = seen
            self._count()

    def _count(self) -> None:
        self._rings += 1
        self._rang_at = stopwatch()
        self._condition.notify_all()
