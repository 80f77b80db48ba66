"""What time it is, as far as a store believes its machine's clock.

Reading asks this before it leaves out what has run out, and writing before it stamps anything; the
rule itself is `lamina.core.timekeeping`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina import clock
from lamina.core.instants import to_text
from lamina.core.timekeeping import ACCEPT, LEAP, accepted_in, believed, is_plausible
from lamina.stores.base import Finding, Severity, Store

if TYPE_CHECKING:
    from datetime import datetime, timedelta


class StoreClock:
    """The clock for one handle on a store.

    It asks the store once. Only a clock in doubt makes it ask again: one that has gone back, or one
    that the newest change known does not bear out.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._newest: datetime | None = None
        self._looked_at: datetime | None = None

    def now(self) -> datetime:
        """The time in force: never before the newest change, nor years beyond it.

        A clock that was set back does not bring back what had run out by then.
        """
        now, before = clock.now(), self._looked_at
        self._looked_at = now
        went_on = before is None or before <= now
        if went_on and self._newest is not None and is_plausible(now, self._newest):
            return now
        self._newest = self._store.newest_instant()
        if self._newest is None:
            return now
        return max(believed(now, self._newest, self._accepted()), self._newest)

    def finding(self) -> Finding:
        """Whether the clock is believed, for people."""
        now, newest = clock.now(), self._store.newest_instant()
        in_force = believed(now, newest, self._accepted())
        if in_force == now or newest is None:
            return Finding("clock", Severity.OK, "nothing wrong")
        if now < newest:
            return Finding(
                "clock", Severity.NOTE,
                f"the clock is {_years(newest - now)} behind the newest change; time stands still",
                "Set the clock of this machine",
            )  # fmt: skip
        return Finding(
            "clock", Severity.NOTE,
            f"the clock is {_years(now - newest)} ahead of the newest change; expiry waits",
            f"If the clock is right: lamina config set {ACCEPT} {to_text(now)[:19]}Z",
        )  # fmt: skip

    def _accepted(self) -> datetime | None:
        return accepted_in(self._store.settings().get(ACCEPT))


def _years(span: timedelta) -> str:
    return f"{span / (LEAP / 2):.0f} years"
