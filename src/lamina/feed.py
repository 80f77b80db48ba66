"""The change feed: what happened, in order, once; and then what happens.

A feed reads the log in short steps and holds nothing open in between, so however slow its reader
is, no writer waits for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Self

from lamina.clock import stopwatch
from lamina.core.instants import check_seconds

if TYPE_CHECKING:
    from lamina.core.access import Reach
    from lamina.core.changes import Changed
    from lamina.core.cursor import Cursor
    from lamina.stores.base import Page, Store

_PAGE: Final = 200
_LONGEST_NAP_SECONDS: Final = 1.0
"""How long a waiting feed may take to notice that it was closed by another thread."""


class Following:
    """What can wait for more to happen, and be ended while it does."""

    def __init__(self, store: Store, *, follow: bool, patience: float | None) -> None:
        self._store = store
        self._follow = follow
        self.patience = patience
        """For how many seconds nothing may happen before it ends; may be changed on the way."""
        self._closed = False

    def close(self) -> None:
        """End the feed; an iteration that waits in another thread ends within a second."""
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _wait(self, pulse: int, quiet_since: float) -> bool:
        """Sleep until something may have happened; false when patience has run out."""
        while not self._closed:
            left = _LONGEST_NAP_SECONDS
            if self.patience is not None:
                left = min(left, quiet_since + self.patience - stopwatch())
            if left <= 0:
                return False
            if self._store.wait(pulse, left):
                return True
        return False


class Feed(Following, Iterator["Changed"]):
    """Changes behind a place in history; iterate over it.

    `cursor` is the place behind the last change that was handed out: whoever keeps it can go on
    from there later, with nothing missed and nothing twice.
    """

    def __init__(
        self, store: Store, reach: Reach, start: Cursor, *, follow: bool, patience: float | None
    ) -> None:
        super().__init__(store, follow=follow, patience=patience)
        self._reach = reach
        self._here = start
        self._ahead = start
        """Behind the last event that was read, seen or not."""
        self._ready: deque[Changed] = deque()

    @property
    def cursor(self) -> str:
        """Where the feed is, for going on from there another time."""
        return self._here.to_text()

    @property
    def place(self) -> Cursor:
        """The same place as a value."""
        return self._here

    def __next__(self) -> Changed:
        if not self._ready:
            self._fill()
        if self._closed or not self._ready:
            raise StopIteration
        change = self._ready.popleft()
        event = change.event
        self._here = self._here.moved(event.stream, event.seq, event.hash, event.at)
        if not self._ready:
            # What was hidden behind it is passed as well.
            self._here = self._ahead
        return replace(change, place=self._here)

    def _fill(self) -> None:
        """Read on until there is something to hand out, or an end."""
        quiet_since = stopwatch()
        while not self._closed:
            pulse = self._store.pulse() if self._follow else 0
            page = self._store.changes(self._reach, self._ahead.seqs, _PAGE)
            self._pass(page)
            if self._ready:
                return
            if page.position:
                continue
            if not self._follow or not self._wait(pulse, quiet_since):
                return

    def _pass(self, page: Page) -> None:
        for stream, head in page.position.items():
            self._ahead = self._ahead.moved(stream, head.seq, head.hash, head.at or self._ahead.at)
        self._ready.extend(page.changes)
        if not self._ready:
            self._here = self._ahead


def check_timeout(timeout: object) -> float | None:
    """Return a number of seconds that is not negative, or nothing."""
    return None if timeout is None else check_seconds(timeout, "timeout")
