"""Files that follow the store by themselves, in the processes that write to it."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from lamina.background import Worker
from lamina.clock import stopwatch
from lamina.core import settings
from lamina.errors import LaminaError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from lamina.files import Files
    from lamina.memory import Memory
    from lamina.stores.base import ScrubReport

_GATHER_SECONDS: Final = 0.2
"""How long to wait for more, once something was written."""
_LOOK_SECONDS: Final = 0.01
_ENDING_SECONDS: Final = 5.0
_ASK_SECONDS: Final = 5.0
"""How long it may take until a process notices that files are wanted from now on."""


class Live:
    """The files in the directory of a store, written anew soon after each commit.

    Whatever goes wrong there costs nobody a write: the next sync makes up for it.
    """

    def __init__(self, mem: Memory, root: Path | None) -> None:
        """Take the whole store and its directory, if it has one of its own."""
        self._mem = mem
        self._root = root
        self._behind = threading.Event()
        self._worker: Worker | None = None
        self._asked_at: float | None = None
        self._on = False

    def heal(self) -> None:
        """Make up for what a process that died left undone."""
        with suppress(LaminaError, OSError):
            if self._is_on() and self._is_behind():
                self.wrote()

    def ask_again(self) -> None:
        """Look at the store's settings anew before the next write."""
        self._asked_at = None

    def wrote(self) -> None:
        """Something was committed."""
        if not self._is_on():
            return
        self._behind.set()
        if self._worker is None or not self._worker.is_here():
            self._worker = Worker(self._work)
        self._worker.wake()

    def close(self) -> None:
        """Write what is still to be written."""
        if self._worker is not None and self._worker.is_here():
            self._worker.end(_ENDING_SECONDS)
        self._worker = None
        if self._behind.is_set():
            self._sync()

    def scrub(self, probes: Sequence[bytes]) -> ScrubReport:
        """Write every file anew, wherever this store has any, and remove copies of what is gone."""
        from lamina.files.scrubbing import scrub

        return scrub(self._mem, self._root, probes)

    def showing(self, probes: Sequence[bytes]) -> tuple[str, ...]:
        """The files of this store, wherever it has any, that hold what is to be erased."""
        from lamina.files.scrubbing import showing

        return showing(self._mem, self._root, probes)

    def _files(self) -> Files:
        # Imported here: a process that only reads has no use for them.
        from lamina.files import Files

        return Files(self._mem, self._root)

    def _is_behind(self) -> bool:
        """Whether the store has moved on since its files were written."""
        from lamina.files.moved import Moved
        from lamina.files.settled import read_settled

        return self._root is not None and Moved(self._mem, read_settled(self._root).cursor).is_any()

    def _is_on(self) -> bool:
        """Whether the store asks for files: looked up now and then, not with every write."""
        if self._root is None:
            return False
        now = stopwatch()
        if self._asked_at is None or now - self._asked_at > _ASK_SECONDS:
            self._asked_at = now
            chosen = self._mem.store.settings()
            self._on = settings.in_force(chosen, settings.LIVE) == "on"
        return self._on

    def _work(self, is_over: Callable[[], bool]) -> bool:
        # What is written together is read together; who closes the store is not kept waiting.
        start = stopwatch()
        while not is_over() and stopwatch() - start < _GATHER_SECONDS:
            time.sleep(_LOOK_SECONDS)
        return is_over() or self._sync()

    def _sync(self) -> bool:
        self._behind.clear()
        with suppress(LaminaError, OSError):
            self._files().sync()
            return True
        self._behind.set()
        return False
