"""The server: uvicorn, which hangs up on the silent, and at its end ends the streams first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import uvicorn

from lamina.clock import stopwatch
from lamina.surfaces.http.waking import let_go

if TYPE_CHECKING:
    import socket

    from lamina.surfaces.http.engine import Engine

GRACE_SECONDS: Final = 3
"""How long requests that were begun may take when the server ends."""
HEAD_SECONDS: Final = 15.0
"""How long a client may take from one request to the head of the next."""
READING_SECONDS: Final = 60.0
"""How long a client may take nothing of an answer that is there for it."""
_TICKS: Final = 10
"""A server looks around ten times a second; once is enough for this."""


class Server(uvicorn.Server):
    """A server of one engine."""

    def __init__(self, config: uvicorn.Config, engine: Engine) -> None:
        config.timeout_graceful_shutdown = config.timeout_graceful_shutdown or GRACE_SECONDS
        # What a client says of where it comes from is not believed, nor written into a log.
        config.proxy_headers = False
        super().__init__(config)
        self._engine = engine
        self._still: dict[Any, tuple[object, float]] = {}
        """For each connection on which a client is waited for: at what, and since when."""

    async def on_tick(self, counter: int) -> bool:
        """Do what is to be done now and then."""
        if counter % _TICKS == 0:
            self._hang_up()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End, without waiting for streams and for those who wait for a change."""
        self._engine.hub.close()
        self._engine.mcp.close()
        self._engine.stock.close()
        let_go()
        await super().shutdown(sockets)

    def _hang_up(self) -> None:
        """End the connections whose clients take too long: each of them costs a place."""
        now, before = stopwatch(), self._still
        self._still = {}
        for one in self.server_state.connections:
            patience, at = _awaited(one)
            if patience is None:
                continue
            was_at, since = before.get(one, (None, now))
            self._still[one] = (at, since if was_at == at else now)
            if was_at == at and now - since >= patience:
                # What was written goes out, if they take it now.
                end = one.transport.abort if one.transport.is_closing() else one.transport.close
                end()


def _awaited(connection: Any) -> tuple[float | None, object]:
    """How long a connection's client may go on as it is; the rest differs when it does something.

    What it owes is a request, or to take what waits for it; otherwise it is its turn to wait.
    """
    cycle, waiting = connection.cycle, connection.transport.get_write_buffer_size()
    at = (cycle, waiting)
    if waiting:
        return READING_SECONDS, at
    is_idle = cycle is None or cycle.response_complete
    return (HEAD_SECONDS if is_idle else None), at
