"""What remains when a run breaks off: the trace in the log, the way on in NOW.

The transcript stands as it is: the run is not over and goes on at the next step when it is told to
continue.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from lamina.core.complaints import named, trace
from lamina.errors import LaminaError, ModelUnavailableError
from lamina.runtime import standing
from lamina.runtime.journal import STEP, Entry, one_line

if TYPE_CHECKING:
    from lamina.runtime.journal import Journal

_LONGEST: Final = 180


def broke_off(journal: Journal, step: int, asked: str, error: BaseException) -> None:
    """Keep what went wrong and how to recover; never fails itself."""
    what = _what(error)
    logged = Entry(
        "ERROR", f"{what}\n{trace(error)}",
        data={STEP: step, "error": type(error).__name__, "what": "broke_off"},
    )  # fmt: skip
    steps = [f"Recover: {what}", *_ways_out(error), _go_on(step, asked)]
    # Whoever has lost the turn may not write either: NOW belongs to the one who took over.
    with suppress(LaminaError, OSError):
        journal.write(log=[logged], now=standing.broken(journal.memory, steps))


def _what(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "The run was interrupted by hand"
    if isinstance(error, LaminaError):
        return one_line(f"{type(error).__name__}: {error.message}", _LONGEST)
    return one_line(named(error), _LONGEST)


def _ways_out(error: BaseException) -> list[str]:
    if isinstance(error, ModelUnavailableError):
        return ["Wait until the model answers again"]
    if isinstance(error, LaminaError):
        return [error.remedy] if error.remedy.strip() else []
    if isinstance(error, Exception):
        return ["Read the trace in the log; do not try the same thing again unchanged"]
    return []


def _go_on(step: int, asked: str) -> str:
    return f"Then continue after step {step} of: {one_line(asked, 120)}"
