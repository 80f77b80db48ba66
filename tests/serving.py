"""A real server for tests: our application under uvicorn, on a port of its own."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI

from lamina import Memory
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine
from lamina.surfaces.http.server import Server


@dataclass(frozen=True, slots=True)
class Served:
    """A server at work, and a key of the store's owner."""

    url: str
    """The address, without a slash at its end."""
    key: str
    engine: Engine

    @property
    def headers(self) -> dict[str, str]:
        """What the owner sends along."""
        return bearing(self.key)

    def headers_of(self, name: str, role: str, project: str | None = None) -> dict[str, str]:
        """What somebody else sends along, with a new key."""
        return bearing(self.engine.keys.create(name, role, project=project).text)


def bearing(shown: str) -> dict[str, str]:
    """The header that shows a key or token."""
    return {"Authorization": f"Bearer {shown}"}


@contextmanager
def serving(memory: Memory, engine: Engine | None = None, *, port: int = 0) -> Iterator[Served]:
    """Serve a store from a thread of this process."""
    engine = engine or Engine(memory)
    with listening(create_app(engine), engine, port) as served:
        yield served


@contextmanager
def listening(app: FastAPI, engine: Engine, port: int = 0) -> Iterator[Served]:
    """Serve an application from a thread of this process."""
    server = Server(uvicorn.Config(app, port=port, log_level="warning"), engine)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.005)
        port = server.servers[0].sockets[0].getsockname()[1]
        key = engine.keys.create("user", "admin", label="tests").text
        yield Served(f"http://127.0.0.1:{port}", key, engine)
    finally:
        server.should_exit = True
        thread.join(10)
