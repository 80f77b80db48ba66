"""Work that goes on behind the calls: a thread that is woken, works, and waits."""

import os
import threading
from collections.abc import Callable
from typing import Final

_PAUSES: Final = (1.0, 2.0, 5.0, 15.0, 60.0)
"""How long to leave alone what failed, in seconds."""


class Worker:
    """A thread that works when it is woken, and leaves what fails alone for a while.

    `work` is told how to find out that it should stop, and says whether all went well.
    """

    def __init__(self, work: Callable[[Callable[[], bool]], bool]) -> None:
        self._work = work
        self._process = os.getpid()
        self._wanted = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lamina-background", daemon=True)
        self._thread.start()

    def is_here(self) -> bool:
        """Whether it runs in this process, which may be a fork of the one that started it."""
        return self._process == os.getpid() and self._thread.is_alive()

    def wake(self) -> None:
        """There is something to do."""
        self._wanted.set()

    def end(self, seconds: float) -> None:
        """Stop after the step in hand, which is waited for no longer than this."""
        self._ended.set()
        self._wanted.set()
        if self.is_here() and threading.current_thread() is not self._thread:
            self._thread.join(seconds)

    def _run(self) -> None:
        failures = 0
        while not self._ended.is_set():
            self._wanted.wait()
            self._wanted.clear()
            if self._ended.is_set() or self._work(self._ended.is_set):
                failures = 0
                continue
            self._ended.wait(_PAUSES[min(failures, len(_PAUSES) - 1)])
            failures += 1
            self._wanted.set()
