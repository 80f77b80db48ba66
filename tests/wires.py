"""A wire between a client and a Redis that can be cut, held up, and lose an answer."""

from __future__ import annotations

import select
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

_CHUNK = 1 << 16


class Wire:
    """Passes on what comes in at one socket to another, until it is told otherwise."""

    def __init__(self, entry: Path, exit_: Path) -> None:
        self.entry = entry
        self._exit = exit_
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(entry))
        self._door.listen(64)
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._is_down = threading.Event()
        self._flows = threading.Event()
        self._flows.set()
        self._losing: bytes | None = None
        self.lost = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, prefix: str) -> str:
        """The address of the server, by way of this wire."""
        return f"unix://{self.entry}?prefix={prefix}"

    def lose_answer(self, to: bytes) -> None:
        """Deliver the next request that holds these bytes, and cut the wire before its answer."""
        self._losing = to

    def cut(self) -> None:
        """Break every connection, and let no other be made."""
        self._is_down.set()
        self._reset()

    def mend(self) -> None:
        """Let connections be made again."""
        self._is_down.clear()

    def hold(self) -> None:
        """Let nothing through, and break nothing."""
        self._flows.clear()

    def go_on(self) -> None:
        """Let through what has come in meanwhile."""
        self._flows.set()

    def close(self) -> None:
        """End it."""
        self.cut()
        self._flows.set()
        self._door.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _reset(self) -> None:
        with self._lock:
            for line in self._open:
                with suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._door.accept()
            except OSError:
                return
            threading.Thread(target=self._pass, args=(near,), daemon=True).start()

    def _pass(self, near: socket.socket) -> None:
        with near, socket.socket(socket.AF_UNIX) as far, suppress(OSError):
            if self._is_down.is_set():
                return
            far.connect(str(self._exit))
            with self._lock:
                self._open |= {near, far}
            try:
                while self._carry(near, far):
                    pass
            finally:
                with self._lock:
                    self._open -= {near, far}

    def _carry(self, near: socket.socket, far: socket.socket) -> bool:
        for line in select.select([near, far], [], [])[0]:
            said = line.recv(_CHUNK)
            self._flows.wait()
            if not said or self._is_down.is_set():
                return False
            (far if line is near else near).sendall(said)
            if line is near and self._losing is not None and self._losing in said:
                self._losing = None
                self.lost += 1
                # The answer shows that it was carried out; nobody gets to see it.
                far.recv(_CHUNK)
                return False
        return True
