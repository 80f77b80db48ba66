"""A stream of server-sent events: what a client missed, from the log, and then what happens.

Each frame has the cursor behind it as its id. A client that was cut off comes back with the last
one it saw, to whatever server of the store, and goes on with nothing missed and nothing twice.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from lamina.clock import stopwatch
from lamina.errors import LaminaError
from lamina.layers.subscription import to_news
from lamina.surfaces.http.hub import Mailbox
from lamina.surfaces.wire import change_out
from lamina.surfaces.wire_layers import news_out

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.types import Receive, Scope, Send

    from lamina.core.access import Reach
    from lamina.core.changes import Changed
    from lamina.core.cursor import Cursor
    from lamina.feed import Feed
    from lamina.surfaces.http.hub import Hub, Told
    from lamina.tokens import Identity

HEARTBEAT_SECONDS: Final = 15.0
RETRY_MS: Final = 1_000
"""After how long a browser comes back."""
_PAGE: Final = 100
_STALLED_SECONDS: Final = 60.0
"""How long a client may read nothing at all before it is cut off."""
_HEARTBEAT: Final = b": still here\n\n"
_HEADERS: Final = {
    "Cache-Control": "no-store, no-transform",
    # For proxies that would collect frames before they pass them on.
    "X-Accel-Buffering": "no",
}


def frame(name: str, shape: dict[str, Any]) -> bytes:
    """An event with its cursor as id; JSON holds no line break of its own."""
    told = json.dumps(shape, ensure_ascii=False, separators=(",", ":"))
    return f"id: {shape['cursor']}\nevent: {name}\ndata: {told}\n\n".encode()


def change_frame(change: Changed) -> bytes:
    """A change of the feed."""
    return frame("change", change_out(change))


def news_frame(change: Changed) -> bytes:
    """A change of a board."""
    return frame("news", news_out(to_news(change)))


@dataclass(frozen=True, slots=True)
class Source:
    """What a stream tells of, and to whom."""

    open: Callable[[str], Feed]
    """Reads what happened behind a cursor."""
    reach: Reach
    takes: Callable[[Changed], bool]
    form: Callable[[Changed], bytes]
    identity: Identity
    patience: float | None = None
    """After how many seconds without a frame it ends."""


class EventStream(Response):
    """The response that does not end by itself."""

    media_type = "text/event-stream"

    def __init__(self, hub: Hub, source: Source, feed: Feed) -> None:
        super().__init__(headers=_HEADERS)
        del self.headers["content-length"]
        self._hub = hub
        self._source = source
        self._feed = feed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell until the client goes, may not listen any more, or the server ends."""
        source = self._source
        box = Mailbox(source.reach, source.takes, source.identity)
        gone = asyncio.ensure_future(_until_gone(receive, box))
        try:
            start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
            await send(start)
            async for told in _Telling(self._hub, source, box, self._feed).frames():
                async with asyncio.timeout(_STALLED_SECONDS):
                    await send({"type": "http.response.body", "body": told, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except TimeoutError:
            # Nothing more is sent, which cuts the connection.
            return
        finally:
            gone.cancel()
            self._hub.leave(box)


async def _until_gone(receive: Receive, box: Mailbox) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
    box.close()


class _Telling:
    """Where one stream is."""

    def __init__(self, hub: Hub, source: Source, box: Mailbox, feed: Feed) -> None:
        self._hub = hub
        self._source = source
        self._box = box
        self._feed: Feed | None = feed
        self._place: Cursor = feed.place
        self._is_level = False
        """Whether it is as far as the hub, whose cursors are then its own."""
        self._told_at = stopwatch()

    async def frames(self) -> AsyncIterator[bytes]:
        """Everything to send, beginning with the place to come back to before anything happens."""
        yield f"retry: {RETRY_MS}\nid: {self._place.to_text()}\n\n".encode()
        await self._hub.join(self._box)
        try:
            while not self._box.closed:
                if self._box.behind:
                    # It collects what happens first, so nothing falls between log and hub.
                    self._box.start()
                    async for missed in self._missed():
                        yield missed
                    self._told_at = stopwatch()
                elif (told := await self._box.next(self._pause())) is not None:
                    if (live := self._live(told)) is not None:
                        self._told_at = stopwatch()
                        yield live
                elif not (self._box.closed or self._box.behind):
                    if self._is_over():
                        return
                    yield _HEARTBEAT
        except LaminaError:
            # The store failed, or was put back to an earlier state: who comes back is told.
            return

    async def _missed(self) -> AsyncIterator[bytes]:
        source, self._is_level = self._source, False
        feed = self._feed
        if feed is None:
            behind = self._place.to_text()
            feed = await self._hub.in_thread(lambda: source.open(behind))
        self._feed = None
        while not self._box.closed:
            page = await self._hub.in_thread(lambda: list(islice(feed, _PAGE)))
            for change in page:
                if source.takes(change):
                    self._told_at = stopwatch()
                    yield source.form(change)
            self._place = feed.place
            if len(page) < _PAGE:
                return
            if stopwatch() - self._told_at > HEARTBEAT_SECONDS:
                yield _HEARTBEAT

    def _live(self, told: Told) -> bytes | None:
        """What to send of a change that the hub told, unless the log did already."""
        change = told.change
        event, place = change.event, change.place
        assert place is not None, "the hub says where a change is"
        if event.seq <= self._place.seq_of(event.stream):
            return None
        if not self._is_level:
            self._is_level = place.covers(self._place)
        if self._is_level:
            self._place = place
            return told.frame(self._source.form)
        self._place = self._place.moved(event.stream, event.seq, event.hash, event.at)
        return self._source.form(replace(change, place=self._place))

    def _pause(self) -> float:
        patience = self._source.patience
        if patience is None:
            return HEARTBEAT_SECONDS
        return min(HEARTBEAT_SECONDS, max(0.0, self._told_at + patience - stopwatch()))

    def _is_over(self) -> bool:
        patience = self._source.patience
        return patience is not None and stopwatch() - self._told_at >= patience
