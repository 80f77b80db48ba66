"""Subscriptions as the revisions before 2026 know them: one address at a time, per connection."""

import asyncio
from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.shared.subscriptions import ResourceUpdated, ServerEvent
from mcp_types import EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams

from lamina.surfaces.mcp.following import ChangeBus

_STATE: Final = "lamina.watched"
_MOST: Final = 1_000
"""How many addresses one connection may watch."""


class Watching:
    """What each connection wants to hear of."""

    def __init__(self, bus: ChangeBus) -> None:
        self._bus = bus
        self._sending: set[asyncio.Task[None]] = set()

    async def subscribe(
        self, ctx: ServerRequestContext[Any, Any], params: SubscribeRequestParams
    ) -> EmptyResult:
        """From now on, tell this connection when an address has something new."""
        # A session lasts one message, its connection as long as the client stays.
        connection = ctx.session._connection
        watched = connection.state.get(_STATE)
        if watched is None:
            watched = connection.state[_STATE] = dict[str, None]()

            def tell(event: ServerEvent) -> None:
                if isinstance(event, ResourceUpdated) and event.uri in watched:
                    self._send(connection.send_resource_updated(event.uri))

            connection.exit_stack.callback(self._bus.subscribe(tell))
        watched[str(params.uri)] = None
        for oldest in list(watched)[:-_MOST]:
            del watched[oldest]
        return EmptyResult()

    async def unsubscribe(
        self, ctx: ServerRequestContext[Any, Any], params: UnsubscribeRequestParams
    ) -> EmptyResult:
        """Tell this connection no more of an address."""
        watched = ctx.session._connection.state.get(_STATE)
        if watched is not None:
            watched.pop(str(params.uri), None)
        return EmptyResult()

    def _send(self, message: Any) -> None:
        # A task that nobody holds may be collected before it has run.
        task = asyncio.ensure_future(message)
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
