"""Waiting for a server: one long question for all that wait here, however short their patience.

A feed looks every second whether it was closed. If each look was a question of its own, those who
only wait would keep a server busy.
"""

from __future__ import annotations

import os
import threading
from typing import Any, Final, Protocol

from lamina.clock import stopwatch
from lamina.errors import LaminaError

_LONGEST_SECONDS: Final = 20.0
_SHORT_SECONDS: Final = 0.25
"""Who waits no longer wants to know, rather than to sleep, and waits for the answer."""


class Asking(Protocol):
    """What can be asked."""

    def ask(self, name: str, /, *, patience: float = 0.0, **arguments: Any) -> Any:
        """An answer."""


class _Question:
    """A question that is under way."""

    def __init__(self) -> None:
        self.answered = threading.Event()
        self.moved = False
        self.error: LaminaError | None = None


class Waits:
    """Those of this process who wait for a server."""

    def __init__(self, server: Asking) -> None:
        self._server = server
        self._lock = threading.Lock()
        self._asked: dict[tuple[int, int], _Question] = {}
        """By process, as threads are not forked, and by the pulse that has to change."""

    def wait(self, pulse: int, seconds: float) -> bool:
        """Sleep until something may have changed since `pulse`, or the time is up."""
        if seconds <= _SHORT_SECONDS:
            return bool(self._server.ask("wait", pulse=pulse, seconds=max(seconds, 0.0)))
        end = stopwatch() + seconds
        while (left := end - stopwatch()) > 0:
            question = self._question(pulse)
            if question.answered.wait(left) and question.error is not None:
                raise question.error
            if question.moved:
                return True
        return False

    def _question(self, pulse: int) -> _Question:
        place = os.getpid(), pulse
        with self._lock:
            found = self._asked.get(place)
            if found is None:
                found = self._asked[place] = _Question()
                threading.Thread(
                    target=self._ask, args=(place, found), name="lamina-wait", daemon=True
                ).start()
            return found

    def _ask(self, place: tuple[int, int], question: _Question) -> None:
        longest = _LONGEST_SECONDS
        try:
            question.moved = self._server.ask(
                "wait", patience=longest, pulse=place[1], seconds=longest
            )
        except LaminaError as error:
            question.error = error
        finally:
            with self._lock:
                self._asked.pop(place, None)
            question.answered.set()
