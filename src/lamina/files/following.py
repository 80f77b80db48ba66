"""Files and store kept together while people and agents work."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from lamina.clock import stopwatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.files.desk import SyncReport
    from lamina.files.keeper import Files

_LOOK_SECONDS: Final = 0.5
"""How often files are looked at, when the store has nothing new."""
_GATHER_SECONDS: Final = 0.1
"""How long to wait for more, once something has changed."""


def follow(
    files: Files, tell: Callable[[SyncReport], None], *, patience: float | None = None
) -> None:
    """Sync whenever a file or the store changes; for ever, or until nothing has for so long."""
    last = stopwatch()
    first = True
    while patience is None or stopwatch() - last < patience:
        report = files.sync()
        if first or report.written or report.changes or report.asides or report.clashes:
            tell(report)
            last, first = stopwatch(), False
        if files.wait(_LOOK_SECONDS):
            time.sleep(_GATHER_SECONDS)
