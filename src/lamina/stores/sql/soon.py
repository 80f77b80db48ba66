"""Work that is done a moment later, once for all who asked for it meanwhile."""

import threading
from collections.abc import Callable
from contextlib import suppress


class Soon:
    """Calls a function after a while, by a thread that exists only until then.

    It belongs to one process: after a fork the child makes its own.
    """

    def __init__(self, work: Callable[[], None], seconds: float) -> None:
        self._work = work
        self._seconds = seconds
        self._lock = threading.Lock()
        self._hurry = threading.Event()
        self._thread: threading.Thread | None = None

    def ask(self, *, now: bool = False) -> None:
        """Have the work done within the while, or at once."""
        with self._lock:
            if now:
                self._hurry.set()
            if self._thread is None:
                self._start()

    def skip(self) -> None:
        """Let a thread that waits end; the work has been done."""
        with self._lock:
            if self._thread is not None:
                self._hurry.set()

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="lamina-soon", daemon=True)
        # When the interpreter ends no thread can be started; closing the store still works.
        with suppress(RuntimeError):
            thread.start()
            self._thread = thread

    def _run(self) -> None:
        self._hurry.wait(self._seconds)
        with self._lock:
            self._hurry.clear()
            self._thread = None
        self._work()
