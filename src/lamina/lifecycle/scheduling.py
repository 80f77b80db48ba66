"""The scheduler: upkeep again and again in a thread, until it is stopped."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from lamina import clock
from lamina.core.instants import check_span
from lamina.errors import InvalidInputError, LaminaError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Self

    from lamina.lifecycle.upkeep import Upkeep

_JITTER: Final = 0.1
"""By how much of the interval runs are moved, so that many processes do not all begin at once."""
_DRAWN: Final = 0xFFFF
_PATIENCE: Final = 10.0
"""How many seconds are waited for a run in hand to end."""
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of one run."""

    at: datetime
    upkeep: Upkeep | None = None
    error: Exception | None = None
    """Why there was none: another process was at it, the store failed, or whatever it was."""


class Runs(Protocol):
    """What does upkeep, as `Lifecycle` does."""

    def run(self, *only: str, confirm: bool = False) -> Upkeep:
        """Do what is due."""


class Scheduler:
    """Runs upkeep every so often, never twice at once; what asks waits for a person."""

    def __init__(
        self,
        lifecycle: Runs,
        every: str = "1h",
        *only: str,
        confirm: bool = False,
        told: Callable[[Turn], None] = lambda turn: None,
    ) -> None:
        self._lifecycle = lifecycle
        self._seconds = check_span(every, "every").total_seconds()
        if not 0 < self._seconds < threading.TIMEOUT_MAX:
            raise InvalidInputError(f"`every` is no interval: {every!r:.40}", remedy="As 1h")
        self._only = only
        self._confirm = confirm
        self._told = told
        self._ended = threading.Event()
        self._at_it = threading.Lock()
        self._thread: threading.Thread | None = None
        self.last: Turn | None = None
        """What came of the last run; nothing before the first has ended."""
        self.turns = 0
        """How many runs there were."""

    @property
    def is_running(self) -> bool:
        """Whether its thread is alive and goes on."""
        is_alive = self._thread is not None and self._thread.is_alive()
        return is_alive and not self._ended.is_set()

    def start(self) -> Self:
        """Begin in the background, the first run at once; a second start changes nothing."""
        if not self.is_running:
            # Its own: one that was stopped and has a run in hand ends with that all the same.
            self._ended = threading.Event()
            self._thread = threading.Thread(
                target=self._until, args=(self._ended,), name="lamina-upkeep", daemon=True
            )
            self._thread.start()
        return self

    def stop(self) -> None:
        """Begin no further run, and wait a while for the one in hand."""
        self._ended.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(_PATIENCE)

    def loop(self) -> None:
        """Run here and now, again and again, until it is stopped."""
        self._until(self._ended)

    def _until(self, ended: threading.Event) -> None:
        while not ended.is_set():
            self.turn()
            drawn = int.from_bytes(clock.fresh_salt()[:2]) / _DRAWN
            ended.wait(self._seconds * (1 + _JITTER * (2 * drawn - 1)))

    def turn(self) -> Turn:
        """One run now, whether or not it is time; waits for the one in hand."""
        with self._at_it:
            try:
                turn = Turn(clock.now(), self._lifecycle.run(*self._only, confirm=self._confirm))
            except Exception as error:
                # A store that is busy or full now may not be the next time; nor is whatever else
                # goes wrong a reason never to look again.
                _log.warning("upkeep failed: %s", error, exc_info=_is_strange(error))
                turn = Turn(clock.now(), error=error)
            self.last = turn
            self.turns += 1
        self._told(turn)
        return turn

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.stop()


def _is_strange(error: Exception) -> bool:
    """Whether where it came from matters: nobody has raised it on purpose."""
    return not isinstance(error, LaminaError | OSError)
