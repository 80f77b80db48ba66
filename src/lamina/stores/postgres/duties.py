"""Duties that one process of many does at a time, such as maintenance.

Each is a lock of a session on the server. When the process dies, or loses its connection, the duty
is anybody's again, without a clock that machines would have to agree on.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from lamina.stores.postgres import locks
from lamina.stores.postgres.driver import Connection, DriverError
from lamina.stores.postgres.verdicts import translated

_SIGN_SECONDS: Final = 2.0


class Duties:
    """The duties of one process in one store; `connect` opens the session that holds them."""

    def __init__(self, connect: Callable[[], Connection], schema: str) -> None:
        self._connect = connect
        self._schema = schema
        self._lock = threading.Lock()
        self._session: Connection | None = None
        self._held: set[str] = set()

    @contextmanager
    def one(self, name: str) -> Iterator[bool]:
        """Have a duty for the block; whether it is this block's, and not somebody else's."""
        mine = self._take(name)
        try:
            yield mine
        finally:
            if mine:
                self._give_back(name)

    def still(self, name: str) -> bool:
        """Whether a duty is still held; with the connection it would be lost."""
        with self._lock:
            if name not in self._held or self._session is None:
                return False
            if not self._session.is_alive(_SIGN_SECONDS):
                self._drop()
            return name in self._held

    @property
    def pid(self) -> int | None:
        """The session that holds them, while there are any."""
        return None if self._session is None else self._session.pid

    def close(self) -> None:
        """Give up every duty."""
        with self._lock:
            self._drop()

    def _take(self, name: str) -> bool:
        with self._lock:
            # A session may have a lock twice, so threads are kept apart here.
            if name in self._held:
                return False
            if self._session is not None and not self._session.is_alive(_SIGN_SECONDS):
                self._drop()
            if self._session is None:
                self._session = self._connect()
            with translated(self._session.location):
                mine = locks.try_hold(self._session, self._schema, _lock(name))
            if mine:
                self._held.add(name)
            elif not self._held:
                self._drop()
            return mine

    def _give_back(self, name: str) -> None:
        with self._lock:
            self._held.discard(name)
            if self._session is not None:
                # The server takes its time over the end of a session. One that is lost has let go.
                with suppress(DriverError):
                    locks.let_go(self._session, self._schema, _lock(name))
            if not self._held:
                self._drop()

    def _drop(self) -> None:
        session, self._session = self._session, None
        self._held.clear()
        if session is not None:
            session.close()


def _lock(name: str) -> str:
    return f"duty:{name}"
