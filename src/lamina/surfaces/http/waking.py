"""Waiting for a store to change, for all who do so from afar: one thread waits for everybody."""

import asyncio
import threading
from collections.abc import Hashable
from contextlib import suppress
from typing import Final, Protocol
from weakref import WeakKeyDictionary

from starlette.concurrency import run_in_threadpool

from lamina.clock import stopwatch
from lamina.errors import LaminaError
from lamina.stores.base import Store

_NAP_SECONDS: Final = 1.0
"""How long the thread stays when nobody waits any more."""
_PAUSE_SECONDS: Final = 0.04
"""Between two looks of one who waits, while others write all the time."""


class Pulse(Protocol):
    """What tells whether anything has changed for somebody."""

    @property
    def about(self) -> Hashable:
        """What the number is about: it is the same for all who have the same here."""

    def pulse(self) -> int:
        """A number that differs after every change."""


class Waking:
    """Those who wait for one store, in one event loop."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._waiting: set[asyncio.Event] = set()
        self._closed = False
        self._ready: asyncio.Future[None] | None = None
        """There while a thread waits for the store; done once nothing is missed any more."""
        self._looks: dict[Hashable, asyncio.Future[int]] = {}
        """What was found out since something happened last, by what it is about."""

    async def until(self, pulse: Pulse, seen: int, seconds: float) -> bool:
        """Whether a pulse differs in time from what was seen; asked when something happened."""
        end = stopwatch() + seconds
        woken = asyncio.Event()
        try:
            while True:
                await self._watched(woken)
                woken.clear()
                if await self._found(pulse) != seen:
                    return True
                looked = stopwatch()
                if looked >= end or self._closed:
                    return False
                with suppress(TimeoutError):
                    async with asyncio.timeout(end - looked):
                        await woken.wait()
                        await asyncio.sleep(looked + _PAUSE_SECONDS - stopwatch())
        finally:
            with self._lock:
                self._waiting.discard(woken)

    def close(self) -> None:
        """Let everybody go: the server is about to end."""
        self._closed = True
        for woken in self._waiting:
            woken.set()

    async def _found(self, pulse: Pulse) -> int:
        """The pulse, which those share who ask for the same."""
        about = pulse.about
        if about not in self._looks:
            self._looks[about] = asyncio.ensure_future(run_in_threadpool(pulse.pulse))
        try:
            return await asyncio.shield(self._looks[about])
        except LaminaError:
            self._looks.pop(about, None)
            raise

    async def _watched(self, woken: asyncio.Event) -> None:
        """Be woken from now on."""
        with self._lock:
            self._waiting.add(woken)
            if self._ready is None:
                self._ready = self.loop.create_future()
                threading.Thread(target=self._watch, name="lamina-waking", daemon=True).start()
            ready = self._ready
        await asyncio.shield(ready)

    def _watch(self) -> None:
        """Wait for the store, in a thread, for as long as anybody is there."""
        ready = self._ready
        try:
            while self._is_wanted():
                # First where it stands, then those who look, then the wait: nothing is missed.
                pulse = self._store.pulse()
                self._wake(ready)
                while not self._store.wait(pulse, _NAP_SECONDS) and self._is_wanted():
                    continue
        except LaminaError:
            # It is closed or cannot be read: those who look are told so.
            with self._lock:
                self._ready = None
            self._wake(ready)

    def _is_wanted(self) -> bool:
        with self._lock:
            if not self._waiting:
                self._ready = None
            return self._ready is not None

    def _wake(self, ready: asyncio.Future[None] | None) -> None:
        def wake() -> None:
            if ready is not None and not ready.done():
                ready.set_result(None)
            self._looks.clear()
            for woken in self._waiting:
                woken.set()

        # The loop may have ended, and then nobody waits.
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(wake)


_ALL: Final[WeakKeyDictionary[Store, Waking]] = WeakKeyDictionary()


def waking(store: Store) -> Waking:
    """Those who wait for a store in the event loop that runs."""
    found = _ALL.get(store)
    if found is None or found.loop is not asyncio.get_running_loop():
        found = _ALL[store] = Waking(store)
    return found


def let_go() -> None:
    """Have nobody wait any longer in the event loop that runs."""
    for one in list(_ALL.values()):
        if one.loop is asyncio.get_running_loop():
            one.close()
