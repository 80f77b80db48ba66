"""Notices of this process that are not in the file yet.

Telling what was read must cost the reader nothing: it is written down here, and a moment later, by
a thread of its own, many of them at once.
"""

import os
import threading
from collections.abc import Callable, Sequence
from typing import Final

from lamina.core.announcements import MOST_NOTICES, Notice
from lamina.errors import LaminaError
from lamina.stores.sql.soon import Soon

_MOMENT_SECONDS: Final = 0.25
_FULL: Final = 100


class Notepad:
    """Collects notices and hands them on in batches; what cannot be written waits for the next."""

    def __init__(
        self, last_erase: Callable[[], int], write: Callable[[Sequence[Notice], int], None]
    ) -> None:
        self._last_erase = last_erase
        self._write = write
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._draining = threading.Lock()
        self._waiting: list[Notice] = []
        self._since = 0
        """The erase that was the last when the first of those waiting came."""
        self._soon = Soon(self.drain, _MOMENT_SECONDS)

    def add(self, notices: Sequence[Notice]) -> None:
        """Take notices; they are written within a moment, and sooner if there are many."""
        self._check_process()
        with self._lock:
            if not self._waiting:
                self._since = self._last_erase()
            self._waiting += notices
            del self._waiting[:-MOST_NOTICES]
            self._soon.ask(now=len(self._waiting) >= _FULL)

    def take(self) -> tuple[list[Notice], int]:
        """Everything that waits, for whoever writes anyway, and the erase it came after."""
        self._check_process()
        with self._lock:
            taken, self._waiting = self._waiting, []
            return taken, self._since

    def drain(self) -> None:
        """Write what waits; if that is not possible now, it goes on waiting."""
        self._check_process()
        # Whoever comes while another thread writes leaves with everything written, too.
        with self._draining:
            taken, since = self.take()
            if not taken:
                return
            try:
                self._write(taken, since)
            except (LaminaError, OSError):
                with self._lock:
                    self._waiting = [*taken, *self._waiting][-MOST_NOTICES:]
                    self._since = since

    def _check_process(self) -> None:
        if self._pid != os.getpid():
            # What the parent collected, the parent writes; its locks and threads stay with it.
            self._reset()
