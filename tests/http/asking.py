"""The application in this process, asked by whoever has a key."""

from functools import cache
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

import lamina
from lamina import Memory
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine
from tests.places import plain
from tests.serving import bearing

__all__ = ["Api", "api", "plain"]


class Api:
    """An application on a memory; its owner asks unless another does."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.engine = Engine(memory)
        app = _application()
        app.state.engine = self.engine
        self.client = TestClient(app, "http://127.0.0.1", raise_server_exceptions=False)
        self.owner = bearing(self.engine.keys.create("user", "admin").text)

    def key(self, name: str, role: str, project: str | None = None) -> dict[str, str]:
        """What somebody else sends along."""
        return bearing(self.engine.keys.create(name, role, project=project).text)

    def ask(self, method: str, path: str, **said: Any) -> Any:
        """The answer to a request."""
        headers = {**self.owner, **said.pop("headers", {})}
        return self.client.request(method, path, headers=headers, **said)

    def told(self, method: str, path: str, **said: Any) -> dict[str, Any]:
        """What a request that succeeds is answered with."""
        answer = self.ask(method, path, **said)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def refused(self, method: str, path: str, **said: Any) -> tuple[int, str, str]:
        """How a request is refused: status, code and message, in the one shape there is."""
        answer = self.ask(method, path, **said)
        assert answer.headers["content-type"] == "application/problem+json", answer.text
        body = answer.json()
        error = body["error"]
        assert body["type"] == f"urn:lamina:error:{error['code']}"
        assert (body["status"], body["detail"]) == (answer.status_code, error["message"])
        assert error.keys() == {"code", "message", "remedy", "retryable"}
        assert "Traceback" not in answer.text
        return answer.status_code, error["code"], error["message"]


@cache
def _application() -> FastAPI:
    """One for all tests of a process, each of which puts its own engine into it."""
    with lamina.open(":memory:") as memory:
        return create_app(Engine(memory))


@pytest.fixture
def api(plain: Memory) -> Api:
    """An application on an empty memory."""
    return Api(plain)
