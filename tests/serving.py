"""A real server for tests: our application under uvicorn, on a port of its own."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from lamina import Memory
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine


@contextmanager
def serving(memory: Memory) -> Iterator[str]:
    """Serve a store from a thread of this process; yields the address, without a slash."""
    with listening(create_app(Engine(memory))) as url:
        yield url


@contextmanager
def listening(app: FastAPI) -> Iterator[str]:
    """Serve an application from a thread of this process; yields the address."""
    settings = uvicorn.Config(app, port=0, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.005)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)
