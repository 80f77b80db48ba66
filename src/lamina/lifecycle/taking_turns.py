"""Upkeep that many servers of one store are told to do, and one of them does at a time."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from lamina.core.instants import check_span, from_text, to_text
from lamina.lifecycle.upkeep import Upkeep
from lamina.timing import StoreClock

if TYPE_CHECKING:
    from lamina.lifecycle.face import Lifecycle
    from lamina.stores.base import Store

_FRESH: Final = 0.75
"""For how much of the interval a run is good, whichever server has made it: the intervals of
servers are moved a little, and none of them should wait for two."""
_LAST: Final = "upkeep_at"


class Turns:
    """The upkeep of a store, left out while what another server did is good enough.

    The store remembers when it was last done. Who fails or dies in the middle leaves nothing there,
    so the next one does it: as soon as the lease of the dead one has run out.
    """

    def __init__(self, lifecycle: Lifecycle, store: Store, every: str) -> None:
        self._lifecycle = lifecycle
        self._store = store
        self._clock = StoreClock(store)
        self._good_for = timedelta(seconds=_FRESH * check_span(every, "every").total_seconds())

    def run(self, *only: str, **how: Any) -> Upkeep:
        """Do what is due, as `Lifecycle.run`; nothing where it was done a short while ago."""
        now, last = self._clock.now(), self._store.settings().get(_LAST)
        if last is not None and now - from_text(last) < self._good_for:
            return Upkeep(applied=False, at=now)
        done = self._lifecycle.run(*only, **how)
        self._store.configure(_LAST, to_text(now))
        return done
