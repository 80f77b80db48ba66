"""What every request passes before anything else looks at it: routes, streams and `/mcp` alike."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers, MutableHeaders

from lamina.clock import stopwatch
from lamina.surfaces.http.bearer import shown_in
from lamina.surfaces.http.origins import Allowed, hides_key, refusal_of
from lamina.surfaces.http.problems import Refusal
from lamina.tokens import forms

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from lamina.surfaces.http.engine import Engine

_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
}
"""What an answer says unless it says otherwise itself."""
_SECONDS: Final = 60.0
_WATCHED: Final = 10_000
_POLICY_VIOLATION: Final = 1008
_TOO_MANY: Final = Refusal(
    HTTPStatus.TOO_MANY_REQUESTS, "too_many_attempts", "this was refused too often",
    "Wait a minute, then try again with a key that is valid",
    headers={"Retry-After": f"{_SECONDS:.0f}"},
)  # fmt: skip


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, engine: Engine) -> None:
        self._app = app
        self._allowed = Allowed(engine.hosts, engine.origins)
        self._attempts = Attempts(engine.limits.attempts)
        self._keys = engine.keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._guarded(scope, receive, send)
        else:
            # Nothing here speaks in web sockets, which pages open wherever they like.
            hides_key(scope)
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        shown = shown_in(headers)
        attempt = _attempt(scope, shown)
        refused = refusal_of(scope, headers, self._allowed)
        # Who was let in with the same before is no guesser, whatever others send in their name.
        if refused is None and self._attempts.are_spent(attempt) and not self._keys.met(shown):
            refused = _TOO_MANY

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                if message["status"] == HTTPStatus.UNAUTHORIZED:
                    self._attempts.count(attempt)
                told = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    told.setdefault(name, value)
            await send(message)

        await (self._app if refused is None else refused.answer())(scope, receive, send_on)


class Attempts:
    """How often somebody was refused lately, by address and by what is no secret of a key.

    So guessing at one key is slow, and neither another key nor another place suffers from it.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._seen: dict[tuple[str, str], tuple[float, int]] = {}
        """Since when, and how often."""

    def are_spent(self, who: tuple[str, str] | None) -> bool:
        """Whether there were too many."""
        since, times = self._seen.get(who, (0.0, 0)) if who else (0.0, 0)
        return times >= self._most and stopwatch() - since < _SECONDS

    def count(self, who: tuple[str, str] | None) -> None:
        """One more was refused."""
        if who is None:
            return
        now = stopwatch()
        since, times = self._seen.get(who, (now, 0))
        if now - since >= _SECONDS:
            since, times = now, 0
        if who not in self._seen and len(self._seen) >= _WATCHED:
            del self._seen[next(iter(self._seen))]
        self._seen[who] = (since, times + 1)


def _attempt(scope: Scope, shown: str | None) -> tuple[str, str] | None:
    """Where a request comes from and which key or token it names; nothing without a real one."""
    if shown is None or forms.read(shown) is None:
        return None
    client = scope.get("client")
    return (client[0] if client else "", shown.rpartition("_")[0])
