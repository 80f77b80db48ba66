"""Who watches what: the change feed as notifications, for each principal apart.

A follower reads the log in a thread of its own, as one principal sees it, while anybody of that
principal listens. So nobody is told of what they may not see, whichever process has done it.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated, ServerEvent

from lamina.errors import LaminaError
from lamina.surfaces.mcp.here import memory_here
from lamina.surfaces.mcp.resources import changes_the_list, touched

if TYPE_CHECKING:
    from lamina.core.changes import Changed
    from lamina.core.principal import Principal
    from lamina.memory import Memory

_log = logging.getLogger(__name__)
_AGAIN_SECONDS: Final = 1.0
"""How long a follower waits when the store could not be read."""

Listener = Callable[[ServerEvent], None]


class ChangeBus:
    """Tells listeners of changes in the store, by whatever process."""

    def __init__(self) -> None:
        self._followers: dict[Principal, _Follower] = {}
        self._lock = threading.Lock()

    async def publish(self, event: ServerEvent) -> None:
        """Tell everybody of what is no memory: that the tools or prompts are others now."""
        with self._lock:
            followers = list(self._followers.values())
        for follower in followers:
            follower.tell(event)
        await asyncio.sleep(0)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Tell a listener what changes for whoever is asking; returns what ends it."""
        memory, loop = memory_here(), asyncio.get_running_loop()

        def tell(event: ServerEvent) -> None:
            # The loop may be closed already, and then nobody listens.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(listener, event)

        with self._lock:
            follower = self._followers.get(memory.principal)
            if follower is None:
                follower = self._followers[memory.principal] = _Follower(memory)
            follower.listeners.add(tell)

        def leave() -> None:
            with self._lock:
                follower.listeners.discard(tell)
                if not follower.listeners:
                    follower.close()
                    if self._followers.get(memory.principal) is follower:
                        del self._followers[memory.principal]

        return leave


class _Follower:
    """One principal's view of the log, read as it grows."""

    def __init__(self, memory: Memory) -> None:
        self.listeners: set[Listener] = set()
        self._memory = memory
        self._ended = threading.Event()
        # From before the listener hears that it is one: what happens next is told.
        self._feed = memory.changes(memory.cursor(), follow=True)
        threading.Thread(target=self._follow, name="lamina-mcp-follower", daemon=True).start()

    def tell(self, event: ServerEvent) -> None:
        """Hand an event to all who listen."""
        for listener in tuple(self.listeners):
            listener(event)

    def close(self) -> None:
        """Read no further."""
        self._ended.set()
        self._feed.close()

    def _follow(self) -> None:
        while not self._ended.is_set():
            try:
                for change in self._feed:
                    self._tell_of(change)
            except LaminaError as error:
                # The feed is where it was, so nothing is missed once the store is back.
                _log.warning("the change feed is read again: %s", error.message)
                self._ended.wait(_AGAIN_SECONDS)

    def _tell_of(self, change: Changed) -> None:
        for uri in touched(self._memory, change):
            self.tell(ResourceUpdated(uri=uri))
        if changes_the_list(self._memory, change):
            self.tell(ResourcesListChanged())
