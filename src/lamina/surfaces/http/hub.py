"""The hub: one reader of the log for all the streams of a server.

While anybody listens, one thread follows the log with sight of everything, and what it reads goes
to those who may see it and asked for it. It is the log that is read, so whatever process made a
change, and however many servers there are on a store, every stream hears of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from lamina.core.cursor import HASH_LENGTH, Cursor
from lamina.core.scope import root_of
from lamina.errors import BusyError, LaminaError
from lamina.surfaces.http.follower import Follower

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lamina.core.access import Reach
    from lamina.core.chain import Head
    from lamina.core.changes import Changed
    from lamina.stores.base import Store
    from lamina.surfaces.http.follower import Heard
    from lamina.tokens import Identity

T = TypeVar("T")
_log: Final = logging.getLogger(__name__)
MOST_STREAMS: Final = 4_000
"""How many a server keeps open at once."""
MOST_WAITING: Final = 500
"""How many changes wait for a client that is slow; beyond that it reads from the log again."""
LOOK_SECONDS: Final = 2.0
"""How often it is asked whether those who listen still may."""
_READERS: Final = 2
"""Threads that read what streams have missed: a crowd that comes back leaves some for others."""


class Told:
    """One change as everybody with the same reach is told of it."""

    __slots__ = ("_frames", "change")

    def __init__(self, change: Changed) -> None:
        self.change = change
        self._frames: dict[Callable[[Changed], bytes], bytes] = {}

    def frame(self, form: Callable[[Changed], bytes]) -> bytes:
        """The change as bytes, made once for all."""
        found = self._frames.get(form)
        if found is None:
            found = self._frames[form] = form(self.change)
        return found


class Mailbox:
    """What one stream has yet to tell.

    It holds so much. When it is full it is emptied and says that its owner is behind, who then
    reads from the log: nobody waits for who is slow, and nothing is missed.
    """

    def __init__(self, reach: Reach, takes: Callable[[Changed], bool], identity: Identity) -> None:
        self.reach = reach
        self.takes = takes
        self.identity = identity
        self.behind = True
        """Whether there is something to read from the log first; so it begins."""
        self.closed = False
        self._waiting: deque[Told] = deque()
        self._news = asyncio.Event()

    def start(self) -> None:
        """From now on, hold what comes."""
        self.behind = False

    def put(self, told: Told) -> None:
        """Add what happened, unless it will be read from the log anyway."""
        if self.behind:
            return
        if len(self._waiting) >= MOST_WAITING:
            self._waiting.clear()
            self.behind = True
        else:
            self._waiting.append(told)
        self._news.set()

    def close(self) -> None:
        """Have the stream end."""
        self.closed = True
        self._news.set()

    async def next(self, seconds: float) -> Told | None:
        """The next change; nothing when time is up, or the owner has something else to do."""
        if not self._waiting and not self.behind and not self.closed:
            self._news.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._news.wait()
            except TimeoutError:
                return None
        if self.closed or self.behind:
            return None
        return self._waiting.popleft()


@dataclass(slots=True)
class _Channel:
    """Those who listen with the same reach."""

    reach: Reach
    streams: tuple[str, ...] | None
    boxes: set[Mailbox]

    def tell(self, heard: Heard, hub: Hub) -> None:
        if not heard.is_seen_by(self.reach):
            return
        told = None
        for box in self.boxes:
            if not box.takes(heard.change):
                continue
            if told is None:
                place = hub.place(self.streams, heard.change)
                told = Told(replace(heard.change, place=place))
            box.put(told)


class Hub:
    """Hands what happens to the streams of one server; all but the reading is done in its loop."""

    def __init__(self, store: Store, still: Callable[[Identity], bool]) -> None:
        self._store = store
        self._still = still
        self._channels: dict[Reach, _Channel] = {}
        self._of_stream: dict[str | None, dict[Reach, _Channel]] = {}
        """The channels that each stream of the log concerns; under nothing, those of every one."""
        self._boxes: set[Mailbox] = set()
        self._places: dict[str, tuple[int, str]] = {}
        self._follower: Follower | None = None
        self._ready: asyncio.Future[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._threads: ThreadPoolExecutor | None = None
        self._closed = False

    def __len__(self) -> int:
        return len(self._boxes)

    def check_room(self) -> None:
        """Raise if there is no room for one more stream.

        Raises:
            BusyError: There is none.
        """
        if self._closed or len(self._boxes) >= MOST_STREAMS:
            raise _no_room()

    async def join(self, box: Mailbox) -> None:
        """Tell a mailbox of what happens from now on; what came before is in the log by then."""
        if self._closed:
            box.close()
            return
        self._boxes.add(box)
        channel = self._channels.get(box.reach)
        if channel is None:
            channel = self._channels[box.reach] = _channel(box.reach)
            for stream in _concerned(channel):
                self._of_stream.setdefault(stream, {})[box.reach] = channel
        channel.boxes.add(box)
        await self._listening()

    def leave(self, box: Mailbox) -> None:
        """Tell it of nothing more."""
        if box not in self._boxes:
            return
        self._boxes.remove(box)
        channel = self._channels[box.reach]
        channel.boxes.remove(box)
        if not channel.boxes:
            del self._channels[box.reach]
            for stream in _concerned(channel):
                self._of_stream[stream].pop(box.reach)
        if not self._boxes:
            self._rest()

    def close(self) -> None:
        """End every stream, for good."""
        self._closed = True
        self._end_all()
        if self._threads is not None:
            self._threads.shutdown(wait=False)

    def _end_all(self) -> None:
        for box in self._boxes:
            box.close()
        self._rest()

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Do what may take a while, such as reading from the log."""
        if self._closed:
            raise _no_room()
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_READERS, "lamina-stream")
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def place(self, streams: tuple[str, ...] | None, change: Changed) -> Cursor:
        """The place right behind a change that is being told; it names no other streams."""
        known = self._places
        places = {
            stream: place
            for stream, place in known.items()
            if streams is None or root_of(stream) in streams
        }
        return Cursor(self._store.identity, change.event.at, places, within=streams)

    # -- what the follower tells

    def begin(self, follower: Follower, heads: Mapping[str, Head]) -> None:
        """From here on, what happens is told."""
        if follower is self._follower and self._ready is not None:
            self._places = {
                name: (head.seq, head.hash[:HASH_LENGTH]) for name, head in heads.items()
            }
            if not self._ready.done():
                self._ready.set_result(None)

    def tell(self, follower: Follower, news: list[Heard]) -> None:
        """Hand out what happened."""
        # One that was stopped may have had something in hand still.
        if follower is not self._follower:
            return
        for heard in news:
            event = heard.change.event
            self._places[event.stream] = (event.seq, event.hash[:HASH_LENGTH])
            for stream in (root_of(event.stream), None):
                for channel in self._of_stream.get(stream, {}).values():
                    channel.tell(heard, self)

    def fail(self, follower: Follower, error: Exception) -> None:
        """End every stream: the store is told of to who comes back, in the answer."""
        strange = None if isinstance(error, LaminaError) else error
        _log.warning("streams ended, as the log cannot be read: %s", error, exc_info=strange)
        if follower is self._follower:
            self._end_all()

    # -- what goes on while anybody listens

    async def _listening(self) -> None:
        """Wait until the log is followed."""
        if self._follower is None:
            loop = asyncio.get_running_loop()
            self._ready = loop.create_future()
            self._follower = Follower(self._store, loop, self)
            self._follower.start()
            self._looking = loop.create_task(self._look())
        if self._ready is not None:
            await asyncio.shield(self._ready)

    def _rest(self) -> None:
        """Read no more while nobody listens: it would cost each write something for nothing."""
        if self._follower is not None:
            self._follower.stop()
            self._follower = None
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        if self._ready is not None and not self._ready.done():
            self._ready.set_result(None)

    async def _look(self) -> None:
        """Now and then, end the streams of those who may not listen any more."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            listening = {box.identity for box in self._boxes}
            gone = await self.in_thread(partial(self._gone, listening))
            for box in [one for one in self._boxes if one.identity in gone]:
                box.close()

    def _gone(self, identities: set[Identity]) -> set[Identity]:
        return {one for one in identities if not self._still(one)}


def _no_room() -> BusyError:
    return BusyError(
        "the server has as many streams open as it can, or is about to end",
        remedy="Close some, or try again later",
    )


def _channel(reach: Reach) -> _Channel:
    streams = reach.streams()
    return _Channel(reach, None if streams is None else tuple(sorted(streams)), set())


def _concerned(channel: _Channel) -> Iterator[str | None]:
    return iter((None,) if channel.streams is None else channel.streams)
