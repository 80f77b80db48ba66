"""Waiting for either of two stores.

The hot store is waited for, because it wakes soonest. While anybody waits, a thread waits for the
base and passes on what it hears.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from lamina.errors import LaminaError
from lamina.stores.forking import renew_in_children

if TYPE_CHECKING:
    from lamina.stores.base import Store

_NAP_SECONDS: Final = 0.25
"""How long it may take to notice that the store was closed."""


class Waiting:
    """The pulse of both stores."""

    def __init__(self, base: Store, hot: Store) -> None:
        self._base = base
        self._hot = hot
        self._rings = 0
        self._is_closed = False
        self.renew()
        renew_in_children(self)

    def renew(self) -> None:
        """Begin without threads, which a forked process does not have either."""
        self._lock = threading.Condition()
        self._waiters = 0
        self._threads: dict[str, threading.Thread] = {}

    def pulse(self) -> int:
        """A number that differs after every change in either."""
        return self._base.pulse() + self._hot.pulse()

    def wait(self, pulse: int, seconds: float) -> bool:
        """Sleep until something may have changed in either, or the time is up."""
        with self._lock:
            self._begin()
            rings = self._rings
            self._waiters += 1
            self._lock.notify_all()
        try:
            # What changed before the threads began to look shows here.
            if self.pulse() != pulse:
                return True
            with self._lock:
                return self._lock.wait_for(lambda: self._rings != rings, seconds)
        finally:
            with self._lock:
                self._waiters -= 1

    def close(self) -> None:
        """End the threads."""
        with self._lock:
            self._is_closed = True
            self._lock.notify_all()
            threads = list(self._threads.values())
        for thread in threads:
            # They must not meet a store that is closed under their hands.
            thread.join()

    def _begin(self) -> None:
        for name, store in (("base", self._base), ("hot", self._hot)):
            if name not in self._threads:
                self._threads[name] = threading.Thread(
                    target=self._follow, args=(store, store.pulse()), name=f"lamina-{name}",
                    daemon=True,
                )  # fmt: skip
                self._threads[name].start()

    def _follow(self, store: Store, pulse: int) -> None:
        """Ring whenever one store has changed, for as long as anybody waits."""
        while True:
            with self._lock:
                while not self._waiters and not self._is_closed:
                    self._lock.wait()
                if self._is_closed:
                    return
            with suppress(LaminaError):
                store.wait(pulse, _NAP_SECONDS)
                now = store.pulse()
                if now != pulse:
                    pulse = now
                    with self._lock:
                        self._rings += 1
                        self._lock.notify_all()
