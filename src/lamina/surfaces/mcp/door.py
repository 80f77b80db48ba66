"""The server behind `/mcp`: begun with the first request, and told for each one who sent it.

A session belongs to the principal that opened it, and to nobody else whatever they show. An answer
that goes on for long, such as a stream of notifications, ends when the key it was asked with does.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import anyio
from anyio import CancelScope, create_task_group, sleep, sleep_forever, to_thread
from starlette.datastructures import Headers

from lamina.core.principal import Surface
from lamina.errors import StoreUnavailableError, UnauthenticatedError
from lamina.surfaces.mcp.sessions import IDLE_SECONDS, MOST, Sessions

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from anyio.abc import TaskGroup, TaskStatus
    from mcp.server import MCPServer
    from mcp.server.context import ServerRequestContext
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.types import Message, Receive, Scope, Send

    from lamina.memory import Memory
    from lamina.surfaces.http.engine import Engine
    from lamina.tokens import Identity

_LOOK_SECONDS: Final = 2.0
"""How often it is asked whether whoever is being answered still may be."""
_CALLER: Final = "lamina.caller"
_SESSION: Final = "mcp-session-id"


class Door:
    """What serves the protocol over HTTP for one engine."""

    def __init__(
        self, engine: Engine, finish: Callable[[MCPServer[Any]], None] = lambda _: None
    ) -> None:
        self._engine = engine
        self._finish = finish
        """Adds to a server what is not ours, before it begins."""
        self._group: TaskGroup | None = None
        self._managers: dict[str, StreamableHTTPSessionManager] = {}
        self._beginning = anyio.Lock()
        self._sessions = Sessions()
        self._answering: dict[CancelScope, Identity] = {}
        """What is going on, and for whom."""

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Be ready to serve for as long as the application runs."""
        async with create_task_group() as group:
            self._group = group
            group.start_soon(self._watch)
            try:
                yield
            finally:
                self._group = None
                self._managers.clear()
                group.cancel_scope.cancel()

    def close(self) -> None:
        """End every answer that is still going on."""
        for answering in self._answering:
            answering.cancel()

    async def answer(
        self, profile: str, identity: Identity, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer one request of somebody who is known."""
        manager = await self._manager(profile)
        told = _Told(send)
        who, named = identity.principal, Headers(scope=scope).get(_SESSION)
        session = self._sessions.begin(who) if named is None else named
        known = {**scope, "user": _user(identity), _CALLER: identity}
        with CancelScope() as answering:
            self._answering[answering] = identity
            try:
                await manager.handle_request(known, receive, told)
            finally:
                del self._answering[answering]
                is_left = scope["method"] == "DELETE" or told.status == HTTPStatus.NOT_FOUND
                if named is None or is_left:
                    self._sessions.ended(who, session)
                going_on = told.session if named is None else named
                if going_on is not None and not is_left and told.status < HTTPStatus.BAD_REQUEST:
                    self._sessions.used(who, going_on)
        await told.end()

    async def _watch(self) -> None:
        """End the answers to those whose keys no longer stand."""
        while True:
            await sleep(_LOOK_SECONDS)
            known = dict(self._answering)
            for answering in await to_thread.run_sync(self._over, known) if known else ():
                answering.cancel()

    def _over(self, known: dict[CancelScope, Identity]) -> list[CancelScope]:
        still = self._engine.keys.still
        return [answering for answering, identity in known.items() if not still(identity)]

    async def _manager(self, profile: str) -> StreamableHTTPSessionManager:
        """What keeps the sessions of a profile."""
        async with self._beginning:
            if profile not in self._managers:
                if self._group is None:
                    raise StoreUnavailableError("the server is ending", remedy="Try again")
                self._managers[profile] = await self._group.start(self._run, profile)
            return self._managers[profile]

    async def _run(
        self, profile: str, *, task_status: TaskStatus[StreamableHTTPSessionManager]
    ) -> None:
        # The protocol takes half a second to import, which only those pay who speak it.
        server = await to_thread.run_sync(self._build, profile)
        async with server.session_manager.run():
            task_status.started(server.session_manager)
            await sleep_forever()

    def _build(self, profile: str) -> MCPServer[Any]:
        from mcp.server.transport_security import TransportSecuritySettings

        from lamina.surfaces.mcp.server import build

        server = build(self._memory, profile)
        self._finish(server)
        hosts = self._engine.hosts
        guards = TransportSecuritySettings(
            allowed_hosts=[*hosts, *(f"{one}:*" for one in hosts)],
            allowed_origins=[*self._engine.origins, *_origins(hosts)],
        )
        server.streamable_http_app(
            transport_security=guards, max_request_body_size=self._engine.limits.body_bytes,
            session_idle_timeout=IDLE_SECONDS, max_sessions=MOST,
        )  # fmt: skip
        return server

    def _memory(self, context: ServerRequestContext[Any, Any]) -> Memory:
        """The store as the one sees it who sent a message."""
        request = context.request
        if request is None or _CALLER not in request.scope:
            raise UnauthenticatedError("nobody has said who they are")
        identity: Identity = request.scope[_CALLER]
        return self._engine.handle(identity.principal, Surface.MCP)


class _Told:
    """Sends an answer, and ends it properly where it is broken off."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._is_open = False
        self.status = 0
        self.session: str | None = None

    async def __call__(self, message: Message) -> None:
        """Pass one part of the answer on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.session = Headers(raw=list(message["headers"])).get(_SESSION)
        self._is_open = message["type"] == "http.response.start" or message.get("more_body", False)
        await self._send(message)

    async def end(self) -> None:
        """Nothing more will come."""
        if self._is_open:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})


def _user(identity: Identity) -> Any:
    """Whose session it is, as the protocol's own code compares it: whichever key they show."""
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken

    whose = replace(identity.principal, surface=Surface.MCP).identity
    return AuthenticatedUser(AccessToken(token="", client_id=whose, scopes=[]))


def _origins(hosts: tuple[str, ...]) -> list[str]:
    return [
        f"{scheme}://{host}{port}"
        for host in hosts
        for scheme in ("http", "https")
        for port in ("", ":*")
    ]
