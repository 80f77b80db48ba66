"""Handles that are connected to a server, one server for many tests."""

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import FastAPI

import lamina
from lamina import Memory
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine
from tests.serving import Served, listening


class Place:
    """A server whose store can be changed for another."""

    def __init__(self, served: Served, app: FastAPI) -> None:
        self.url = served.url
        self._app = app
        self._engine = served.engine

    @contextmanager
    def keeping(self, where: str = ":memory:") -> Iterator[Memory]:
        """Serve this store from now on; yields the owner's own handle."""
        with lamina.open(where) as whole:
            self._app.state.engine = self._engine = Engine(whole)
            yield whole

    def key_of(self, name: str = "user", role: str = "admin", project: str | None = None) -> str:
        """A new key for the store that is there now."""
        return self._engine.keys.create(name, role, project=project).text

    def connected(self, *who: str) -> Memory:
        """A handle on the store that is there now."""
        return lamina.connect(self.url, key=self.key_of(*who))


@contextmanager
def served() -> Iterator[Place]:
    """A server for as many stores as come, one after the other."""
    with lamina.open(":memory:") as nothing:
        engine = Engine(nothing)
        app = create_app(engine)
        with listening(app, engine) as server:
            yield Place(server, app)
