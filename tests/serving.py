"""A real server for tests: our application under uvicorn, on a port of its own."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from lamina import Memory
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine
from lamina.surfaces.http.server import Server


@contextmanager
def serving(memory: Memory) -> Iterator[str]:
    """Serve a store from a thread of this process; yields the address, without a slash."""
    engine = Engine(memory)
    server = Server(uvicorn.Config(create_app(engine), port=0, log_level="warning"), engine)
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
