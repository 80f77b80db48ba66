"""The routes of `lamina.connect`: one for each call of `lamina.remote.calls`.

They are the language of our own client, typed by the dataclasses of the store, and no part of the
public interface: that one is in the schema.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse

from lamina.core import canonical
from lamina.remote.calls import CALLS, PREFIX, WALK, WALKED, Call
from lamina.surfaces.http import strict
from lamina.surfaces.http.gateway import Gateway
from lamina.surfaces.http.routing import Called, Caller, Routes, engine_of
from lamina.surfaces.http.rules import RULES
from lamina.surfaces.http.waking import waking

_LONGEST_WAIT_SECONDS: Final = 25.0
Answering = Callable[[Caller, str], Any]
"""Makes the object that answers a call of this name, once the caller may make it."""


async def _sent(request: Request) -> bytes:
    limits = engine_of(request).limits
    return await strict.read_body(request, replace(limits, body_bytes=limits.client_bytes))


Sent = Annotated[bytes, Depends(_sent)]


def gateway(caller: Caller, name: str) -> Gateway:
    """What answers a caller."""
    found = Gateway(caller.memory, caller.limits.client_bytes)
    found.allow(name)
    return found


def declared(answering: Answering, prefix: str = "") -> Routes:
    """A route for every call, below a prefix."""
    routes = Routes(prefix + PREFIX, "client")
    for call in CALLS.values():
        if call.name != "wait":
            _declare(routes, call, answering)
    _declare_wait(routes, answering)
    _declare_walk(routes, answering)
    return routes


def _declare(routes: Routes, call: Call, answering: Answering) -> None:
    def answer(caller: Called, sent: Sent) -> Response:
        asked = call.read(canonical.loads(sent, "body"))
        found = getattr(answering(caller, call.name), call.name)(**asked)
        return _json(call.answers.write(found))

    answer.__name__ = f"store_{call.name}"
    _add(routes, call.name)(answer)


def _declare_wait(routes: Routes, answering: Answering) -> None:
    call = CALLS["wait"]

    async def store_wait(caller: Called, sent: Sent) -> Response:
        """Answer once something may have changed, or the time is up."""
        asked = await run_in_threadpool(lambda: call.read(canonical.loads(sent, "body")))
        behind = answering(caller, call.name)
        seconds = min(asked["seconds"], _LONGEST_WAIT_SECONDS)
        return _json(await waking(behind.store).until(behind, asked["pulse"], seconds))

    _add(routes, call.name)(store_wait)


def _declare_walk(routes: Routes, answering: Answering) -> None:
    def store_walk(caller: Called, sent: Sent) -> StreamingResponse:
        """Every record of a stream, in lines of some records each."""
        asked = WALK.read(canonical.loads(sent, "body"))
        records = answering(caller, WALK.name).walk(**asked)
        return StreamingResponse(_lines(records), media_type="application/x-ndjson")

    _add(routes, WALK.name)(store_walk)


def _lines(records: Iterator[Any]) -> Iterator[bytes]:
    while some := tuple(_some(records)):
        yield canonical.dumps(WALK.answers.write(some)).encode() + b"\n"
    # So that who reads can tell the end from a cut.
    yield b"[]\n"


def _some(records: Iterator[Any]) -> Iterator[Any]:
    for _, record in zip(range(WALKED), records, strict=False):
        yield record


def _add(routes: Routes, name: str) -> Callable[[Any], Any]:
    return routes.add("POST", f"/{name}", RULES[name].permission, include_in_schema=False)


def _json(value: Any) -> Response:
    return Response(canonical.dumps(value), media_type="application/json")


ROUTES = declared(gateway)
