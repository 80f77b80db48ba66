"""Handles that are connected to a server, one server for many tests."""

from collections.abc import Iterator
from contextlib import contextmanager

import lamina
from lamina import Memory
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine
from tests.serving import listening


class Server:
    """A server whose store can be changed for another."""

    def __init__(self) -> None:
        with lamina.open(":memory:") as nothing:
            self.app = create_app(Engine(nothing))
        self.url = ""

    @contextmanager
    def keeping(self, where: str = ":memory:") -> Iterator[Memory]:
        """Serve this store from now on; yields the owner's own handle."""
        with lamina.open(where) as whole:
            self.app.state.engine = Engine(whole)
            yield whole


@contextmanager
def served() -> Iterator[Server]:
    """A server for as many stores as come, one after the other."""
    server = Server()
    with listening(server.app) as server.url:
        yield server
