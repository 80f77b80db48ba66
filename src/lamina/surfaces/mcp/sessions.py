"""How many sessions somebody has open: each takes room until it is ended, or was idle for long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.clock import stopwatch
from lamina.errors import BusyError

if TYPE_CHECKING:
    from lamina.core.principal import Principal

MOST_OF_ONE: Final = 1_000
"""So many at once for one principal, so that nobody takes the room of all others."""
MOST: Final = 5_000
IDLE_SECONDS: Final = 1_800.0
"""After how long a session that is not used ends."""


class Sessions:
    """Who has opened which sessions, and when they were last used."""

    def __init__(self) -> None:
        self._of: dict[Principal, dict[str, float]] = {}
        self._begun = 0

    def begin(self, who: Principal) -> str:
        """Keep room for a session that is about to be opened, under a name for that alone.

        Raises:
            BusyError: Somebody has as many open as one may have.
        """
        mine, now = self._of.get(who, {}), stopwatch()
        for session in [one for one, used in mine.items() if now - used > IDLE_SECONDS]:
            del mine[session]
        if len(mine) >= MOST_OF_ONE:
            raise BusyError(
                f"`{who.name}` has {len(mine)} sessions open, and no more are taken",
                remedy="End some of them with DELETE, or come back later: idle ones end",
            )
        self._begun += 1
        opening = f"opening {self._begun}"
        self.used(who, opening)
        return opening

    def used(self, who: Principal, session: str) -> None:
        """Somebody has opened a session, or said something in it."""
        self._of.setdefault(who, {})[session] = stopwatch()

    def ended(self, who: Principal, session: str) -> None:
        """A session is no more."""
        mine = self._of.get(who, {})
        mine.pop(session, None)
        if not mine:
            self._of.pop(who, None)
