"""Locks between processes: who has the store open, and who writes next.

SQLite's own lock keeps the file whole. Those who wait for it, however, look again after a pause of
growing length, so under load some go round and round while one stands still. A queue beside it
gives everyone a turn. It is a courtesy, never a condition: who waits in vain (the one in front was
stopped, say) goes past it, and SQLite's lock decides.

The kernel drops a lock when its holder dies, so nobody has to clean up after a crash.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
import weakref
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final

from lamina.errors import StoreUnavailableError
from lamina.stores.filesystem import meaning

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCKS: Final = "locks"
_PATIENCE_SECONDS: Final = 5.0
"""How long to queue; many times what a crowd of writers needs, and short for a person."""
_DISTRUST_SECONDS: Final = 30.0
"""How long to do without the queue after it did not move."""
_OPENING_SECONDS: Final = 30.0
_PAUSE_SECONDS: Final = 0.01


class _LockFile:
    """An open file to lock; each has its own, also after a fork."""

    def __init__(self, folder: Path, name: str) -> None:
        self.handle = -1
        place = folder / LOCKS
        try:
            place.mkdir(mode=0o700, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            self.handle = os.open(place / name, flags, 0o600)
        except OSError as error:
            raise meaning(place, error) from error
        _OPEN.add(self)

    @property
    def is_gone(self) -> bool:
        """Whether the file was removed, so that others can no longer meet us at it."""
        return os.fstat(self.handle).st_nlink == 0

    def take(self, how: int) -> bool:
        """Lock without waiting; whether that worked."""
        try:
            fcntl.flock(self.handle, how | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        fcntl.flock(self.handle, fcntl.LOCK_UN)

    def close(self) -> None:
        handle, self.handle = self.handle, -1
        if handle >= 0:
            os.close(handle)

    def __del__(self) -> None:
        """A store that was dropped without being closed is in nobody's way."""
        self.close()


_OPEN: Final[weakref.WeakSet[_LockFile]] = weakref.WeakSet()


def _let_go() -> None:
    """In a forked child: locks belong to the parent, and must not outlive it in here."""
    for file in list(_OPEN):
        file.close()


os.register_at_fork(after_in_child=_let_go)


class Presence:
    """That this process has the store open: what a restore or an upgrade must not go past."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = _LockFile(folder, "open")

    def enter(self) -> bool:
        """Join those who have the store open; true when there is nobody else, until `share`."""
        is_alone = self._enter()
        while self._file.is_gone:
            # The store was taken away while we waited: what is there now has another lock.
            self._file.close()
            self._file = _LockFile(self._folder, "open")
            is_alone = self._enter()
        return is_alone

    def _enter(self) -> bool:
        if self._file.take(fcntl.LOCK_EX):
            return True
        deadline = time.monotonic() + _OPENING_SECONDS
        while not self._file.take(fcntl.LOCK_SH):
            if time.monotonic() > deadline:
                raise StoreUnavailableError(
                    "the store is being restored or upgraded by another process",
                    remedy="Try again when it is done",
                )
            time.sleep(_PAUSE_SECONDS)
        return False

    def share(self) -> None:
        """Let others in again."""
        fcntl.flock(self._file.handle, fcntl.LOCK_SH)

    def leave(self) -> None:
        """Let go: this process has the store open no longer."""
        self._file.close()


@contextlib.contextmanager
def duty(folder: Path, name: str) -> Iterator[bool]:
    """Take up a duty that one process at a time sees to; whether it is this one's now."""
    file = _LockFile(folder, f"duty-{name}")
    try:
        yield file.take(fcntl.LOCK_EX)
    finally:
        file.close()


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Have a store to oneself, with no process in it; refused where one is."""
    presence = Presence(folder)
    try:
        if not presence.enter():
            raise StoreUnavailableError(
                "other processes have this store open", remedy="Stop them, then try again"
            )
        yield
    finally:
        presence.leave()


class Turns:
    """The queue of those who want to write.

    Two locks make it fair. Whoever is next holds the first one and waits for the second; whoever
    has just written must line up behind the first, and so cannot snatch the second again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._line: _Line | None = None
        self._distrusted_until = 0.0

    @contextlib.contextmanager
    def one(self) -> Iterator[None]:
        """Wait for a turn, within reason, and hold it."""
        try:
            self._enter()
            yield
        finally:
            # Also after an interrupt in the middle of entering; to release twice does no harm.
            if self._line is not None:
                self._line.leave()

    def close(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            line.end()

    def _enter(self) -> None:
        if time.monotonic() < self._distrusted_until:
            return
        if self._line is None or self._line.ended:
            self._line = _Line(self._folder)
        if not self._line.enter():
            self._distrusted_until = time.monotonic() + _DISTRUST_SECONDS


class _Line:
    """The two locks, and a thread that waits for them, so that the caller can stop waiting.

    The thread is only there once somebody had to wait.
    """

    def __init__(self, folder: Path) -> None:
        self._next = _LockFile(folder, "next")
        self._turn = _LockFile(folder, "turn")
        self._wanted: SimpleQueue[tuple[_LockFile, threading.Lock] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self.ended = False

    def enter(self) -> bool:
        """Whether it became this process's turn in time; if not, the line is ended."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        for file in (self._next, self._turn):
            if not file.take(fcntl.LOCK_EX) and not self._wait(file, deadline):
                return False
        self._next.release()
        return True

    def leave(self) -> None:
        """Let the next one have its turn."""
        if not self.ended:
            self._turn.release()
            self._next.release()

    def end(self) -> None:
        """Close the files, or have the thread do it that may be waiting with them."""
        self.ended = True
        if self._thread is None:
            self._close()
        else:
            self._wanted.put(None)

    def _wait(self, file: _LockFile, deadline: float) -> bool:
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="lamina-turn", daemon=True)
            self._thread.start()
        came = threading.Lock()
        came.acquire()
        self._wanted.put((file, came))
        in_time = False
        try:
            in_time = came.acquire(timeout=max(0.0, deadline - time.monotonic()))
        finally:
            if not in_time:
                # Whatever the thread gets from now on, it gives back by closing.
                self._next.release()
                self.end()
        return in_time

    def _serve(self) -> None:
        while (wanted := self._wanted.get()) is not None:
            file, came = wanted
            fcntl.flock(file.handle, fcntl.LOCK_EX)
            came.release()
        self._close()

    def _close(self) -> None:
        self._next.close()
        self._turn.close()
