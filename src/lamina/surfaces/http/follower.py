"""The thread that follows the log for a hub."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from lamina.core.access import EVERYTHING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping

    from lamina.core.access import Reach
    from lamina.core.chain import Head
    from lamina.core.changes import Changed
    from lamina.stores.base import Store

_PAGE: Final = 100
_NAP_SECONDS: Final = 1.0
"""How long it may take to notice that it was stopped."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A change, and what decides on who may hear of it."""

    change: Changed
    place: tuple[str, str] | None
    """Its record's scope and layer; nothing once that was erased."""

    def is_seen_by(self, reach: Reach) -> bool:
        """Whether the change exists within a reach, as it does for `Store.changes`."""
        if self.place is None:
            return reach.sees_stream(self.change.event.stream)
        return reach.covers(*self.place)


class Hearing(Protocol):
    """Who is told of what a follower reads; always in the event loop."""

    def begin(self, follower: Follower, heads: Mapping[str, Head]) -> None:
        """It follows from here on."""

    def tell(self, follower: Follower, news: list[Heard]) -> None:
        """This happened, in this order."""

    def fail(self, follower: Follower, error: Exception) -> None:
        """The log cannot be read; the follower has ended."""


class Follower:
    """Reads the log from now on, page by page, and waits until each page was told."""

    def __init__(self, store: Store, loop: asyncio.AbstractEventLoop, hearing: Hearing) -> None:
        self._store = store
        self._loop = loop
        self._hearing = hearing
        self._after: dict[str, int] = {}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lamina-hub", daemon=True)

    def start(self) -> None:
        """Begin, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """End within a second or so; nobody has to wait for it."""
        self._stopped.set()

    def _run(self) -> None:
        try:
            heads = self._store.position()
            self._after = {name: head.seq for name, head in heads.items()}
            self._in_loop(self._hearing.begin, heads)
            while not self._stopped.is_set():
                self._step()
        except Exception as error:
            # Whatever it was: streams that nobody feeds would look alive for ever.
            self._in_loop(self._hearing.fail, error)

    def _step(self) -> None:
        pulse = self._store.pulse()
        page = self._store.changes(EVERYTHING, self._after, _PAGE)
        if page.position:
            self._in_loop(self._hearing.tell, [self._heard(change) for change in page.changes])
            self._after.update({name: head.seq for name, head in page.position.items()})
        else:
            self._store.wait(pulse, _NAP_SECONDS)

    def _heard(self, change: Changed) -> Heard:
        record = change.record or change.before
        if record is None:
            # Erased, or that version is not kept.
            record = next(iter(self._store.get(EVERYTHING, [change.event.record])), None)
        return Heard(change, None if record is None else (record.scope, record.layer))

    def _in_loop(self, work: Callable[..., None], given: Any) -> None:
        """Have it done in the loop, and wait: so no more is read than is told."""
        done = threading.Event()

        def do() -> None:
            try:
                work(self, given)
            finally:
                done.set()

        try:
            self._loop.call_soon_threadsafe(do)
        except RuntimeError:
            # The loop has ended, and all streams with it.
            self._stopped.set()
            return
        while not done.wait(_NAP_SECONDS) and not self._stopped.is_set():
            continue
