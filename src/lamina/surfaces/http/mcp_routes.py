"""The routes of the Model Context Protocol, which answers in its own way once it knows who asks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from lamina.core.permissions import Permission
from lamina.surfaces.http import strict
from lamina.surfaces.http.routing import Called, Caller, Routes, engine_of

ROUTES = Routes(tag="mcp")


@asynccontextmanager
async def _opened(app: FastAPI) -> AsyncIterator[None]:
    async with app.state.engine.mcp.open():
        yield


ROUTES.router.lifespan_context = _opened


class _Passed(Response):
    """An answer that the protocol's own server gives."""

    def __init__(self, request: Request, caller: Caller, profile: str, body: bytes | None) -> None:
        super().__init__()
        self._door = engine_of(request).mcp
        self._caller, self._profile, self._said = caller, profile, body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let it answer."""
        replayed = receive if self._said is None else _replaying(self._said, receive)
        await self._door.answer(self._profile, self._caller.identity, scope, replayed, send)


def _replaying(body: bytes, receive: Receive) -> Receive:
    """What was read already, once more, and then what comes."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


async def _say(request: Request, caller: Called, profile: str = "default") -> Response:
    """Take one message of a client."""
    body = await strict.read_body(request, engine_of(request).limits)
    return _Passed(request, caller, profile, body)


async def _listen_or_leave(request: Request, caller: Called, profile: str = "default") -> Response:
    """Open the stream of a session, or end the session."""
    return _Passed(request, caller, profile, None)


_HIDDEN: dict[str, Any] = {"include_in_schema": False}
for _path in ("/mcp", "/mcp/{profile}"):
    ROUTES.add("POST", _path, Permission.READ, **_HIDDEN)(_say)
    ROUTES.add("GET", _path, Permission.READ, **_HIDDEN)(_listen_or_leave)
    ROUTES.add("DELETE", _path, Permission.READ, **_HIDDEN)(_listen_or_leave)
