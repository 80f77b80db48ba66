"""Waking those who wait: a message from Redis says that something happened, never what.

One thread of each process that waits listens. A message may get lost with its connection, so who
waits also looks at the server's count of changes now and then.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from lamina import clock
from lamina.clock import stopwatch
from lamina.errors import LaminaError
from lamina.stores.bell import Bell
from lamina.stores.forking import renew_in_children

if TYPE_CHECKING:
    from lamina.stores.redis.server import Server

_LOOK_SECONDS: Final = 1.0
"""How long a lost message may keep somebody waiting."""
_NAP_SECONDS: Final = 0.25
"""Between two attempts to listen again."""


class Waking:
    """The bell of one process, rung by whatever process changes something."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._ended = threading.Event()
        self._farewell = f"end:{clock.fresh_id()}"
        self.renew()
        renew_in_children(self)

    def renew(self) -> None:
        """Begin without a thread, which a forked process does not have either."""
        self._bell = Bell()
        self._lock = threading.Lock()
        self._seen: bytes | None = None
        self._listens = threading.Event()
        """Set while messages come in, so that nobody need look."""
        self._thread: threading.Thread | None = None

    def ring(self) -> None:
        """Something was changed by this process."""
        self._bell.ring()

    def pulse(self) -> int:
        """The count as of now; ask before reading what there is, then wait with it."""
        self._begin()
        if not self._listens.is_set():
            # The count that is known will do until the server is back.
            with suppress(LaminaError):
                self._look()
        return self._bell.pulse()

    def wait(self, pulse: int, seconds: float) -> bool:
        """Sleep until something may have changed, or the time is up."""
        self._begin()
        deadline = stopwatch() + seconds
        while True:
            left = deadline - stopwatch()
            if self._bell.wait(pulse, max(0.0, min(left, _LOOK_SECONDS))):
                return True
            if left <= _LOOK_SECONDS:
                return False
            with suppress(LaminaError):
                self._look()

    def close(self) -> None:
        """End the thread that listens."""
        self._ended.set()
        if self._thread is not None:
            # By a message: to close a connection that another thread reads from is asking for it.
            with suppress(LaminaError):
                self._server.ask(("PUBLISH", self._server.key(self._farewell), ""))
            self._thread.join(2 * _LOOK_SECONDS)

    def _look(self) -> None:
        [count] = self._server.ask(("GET", self._server.key("pulse")))
        with self._lock:
            is_new, self._seen = count != self._seen, count
        if is_new:
            self._bell.ring()

    def _begin(self) -> None:
        with self._lock:
            if self._thread is not None or self._ended.is_set():
                return
            self._thread = threading.Thread(target=self._listen, name="lamina-redis", daemon=True)
            self._thread.start()

    def _listen(self) -> None:
        while not self._ended.is_set():
            with suppress(LaminaError):
                self._hear()
            self._listens.clear()
            self._ended.wait(_NAP_SECONDS)

    def _hear(self) -> None:
        """Ring for every message, until the connection breaks."""
        with self._server.listening("wake", self._farewell) as next_message:
            # What happened before it began to listen was told to nobody here.
            self._look()
            self._listens.set()
            while not self._ended.is_set():
                count = next_message(_LOOK_SECONDS)
                if count:
                    with self._lock:
                        self._seen = count
                    self._bell.ring()
