"""Who is importing or exporting: one at a time for each key, and few in all."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Final

from lamina.clock import stopwatch
from lamina.errors import BusyError

if TYPE_CHECKING:
    from collections.abc import Callable

_LOOK_SECONDS: Final = 0.05


class Turns:
    """What is under way of one sort, such as imports."""

    def __init__(self, sort: str, most: int) -> None:
        self._sort = sort
        self._most = most
        self._keys: dict[str, Callable[[], None] | None] = {}
        """Each with how it is stopped, once it works."""
        self._lock = threading.Lock()

    async def wait(self, key: str, seconds: float) -> None:
        """Take a turn, and wait a moment for one that is about to end: its client may have gone.

        Raises:
            BusyError: Somebody with the same key is at it, or too many others are.
        """
        until = stopwatch() + seconds
        while True:
            try:
                return self.begin(key)
            except BusyError:
                if stopwatch() >= until:
                    raise
            await asyncio.sleep(_LOOK_SECONDS)

    def begin(self, key: str) -> None:
        """Take a turn.

        Raises:
            BusyError: Somebody with the same key is at it, or too many others are.
        """
        with self._lock:
            if key in self._keys:
                raise BusyError(
                    f"an {self._sort} with this key is under way", remedy="Wait until it has ended"
                )
            if len(self._keys) >= self._most:
                raise BusyError(
                    f"{self._most} {self._sort}s are under way, and no more at once",
                    remedy="Wait until one has ended",
                )
            self._keys[key] = None

    def end(self, key: str) -> None:
        """Leave it to the next."""
        with self._lock:
            self._keys.pop(key, None)

    def works(self, key: str, stop: Callable[[], None]) -> None:
        """Say how an import that has begun to work is stopped."""
        with self._lock:
            if key in self._keys:
                self._keys[key] = stop

    def stop(self, key: str) -> bool:
        """Stop the import of a key behind the batch that is being written; whether there is one."""
        with self._lock:
            stop = self._keys.get(key)
        if stop is not None:
            stop()
        return stop is not None
