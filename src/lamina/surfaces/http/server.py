"""The server: uvicorn, which ends the streams first when it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import uvicorn

from lamina.surfaces.http.waking import let_go

if TYPE_CHECKING:
    import socket

    from lamina.surfaces.http.engine import Engine

GRACE_SECONDS: Final = 3
"""How long requests that were begun may take when the server ends."""


class Server(uvicorn.Server):
    """A server of one engine."""

    def __init__(self, config: uvicorn.Config, engine: Engine) -> None:
        config.timeout_graceful_shutdown = config.timeout_graceful_shutdown or GRACE_SECONDS
        super().__init__(config)
        self._engine = engine

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End, without waiting for streams and for those who wait for a change."""
        self._engine.hub.close()
        self._engine.mcp.close()
        let_go()
        await super().shutdown(sockets)
