"""One server process: a socket, an application, and an end that leaves nothing half done."""

import errno
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import uvicorn

from lamina.errors import BusyError, InvalidInputError
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine
from lamina.surfaces.http.server import Server

_QUEUE: Final = 1_024
"""Connections that may wait to be taken up."""


def bind(host: str, port: int) -> socket.socket:
    """A socket to listen on.

    Raises:
        BusyError: Somebody else has the port.
        InvalidInputError: There is no such address here.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(_QUEUE)
    except OSError as error:
        found.close()
        if error.errno == errno.EADDRINUSE:
            raise BusyError(
                f"port {port} of {host} is taken",
                remedy="Stop what listens there, or take another: --port 0 finds a free one",
            ) from None
        raise InvalidInputError(
            f"`host` cannot be listened on: {host!r:.60}, port {port} ({error.strerror or error})",
            remedy="127.0.0.1 is this machine alone, and ports above 1023 are free to take",
        ) from None
    return found


class _Server(Server):
    """A server that says when it listens."""

    ready: Callable[[], None] = staticmethod(lambda: None)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        if self.started:
            self.ready()


def serve(engine: Engine, where: socket.socket, ready: Callable[[], None], *, log: bool) -> None:
    """Answer until somebody asks it to end, by Ctrl-C or SIGTERM; `log` is of each request."""
    config = uvicorn.Config(
        create_app(engine), log_level="info" if log else "warning", access_log=log,
        server_header=False,
    )  # fmt: skip
    server = _Server(config, engine)
    server.ready = ready
    with _asked_to_end(), where:
        server.run(sockets=[where])


@contextmanager
def _asked_to_end() -> Iterator[None]:
    """Keep the signals that end the server from ending the process before its store is closed.

    The server raises them once more when it has ended.
    """
    before = {one: signal.signal(one, _heard) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for one, what in before.items():
            signal.signal(one, what)


def _heard(*_: Any) -> None:
    return None
