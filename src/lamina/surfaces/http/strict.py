"""What a request must look like before anybody reads it: its size, its pace, its type, its names.

A body is never read further than the limit, nor for longer than a client may take; what two readers
could understand differently, such as a name twice in one object, is refused.
"""

import asyncio
from email.message import Message
from http import HTTPStatus
from typing import Any, Final

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from lamina.core import canonical
from lamina.errors import InvalidInputError
from lamina.surfaces.http.engine import Limits
from lamina.surfaces.http.problems import Refusal, not_json

_CLOSE: Final = {"Connection": "close"}
"""What is not read stays in the connection, so nothing else can come over it."""
_LONG: Final = 50_000
"""Bytes of a body that take long enough to read to be read in a thread."""


def check_query(request: Request, known: frozenset[str]) -> None:
    """Refuse a parameter that nobody would read, and one that is said twice."""
    seen = set[str]()
    for name, value in request.query_params.multi_items():
        if name not in known:
            raise InvalidInputError(
                f"`{name:.60}` is not something this address can be asked",
                remedy=f"It takes: {', '.join(sorted(known)) or 'nothing'}",
            )
        if name in seen:
            raise InvalidInputError(f"`{name}` is said twice", remedy="Say it once")
        canonical.check_text(value, name)
        seen.add(name)


async def read_json(request: Request, limits: Limits) -> None:
    """Read the body of a request, and keep what it says for whoever asks the request."""
    body = await read_body(request, limits)
    # What the framework reads later: the same bytes, parsed by our rules.
    request._body = body
    if body:
        _check_type(request)
        if len(body) < _LONG:
            request._json = _understood(body)
        else:
            # Nobody else waits while it is read.
            request._json = await run_in_threadpool(_understood, body)


async def read_body(request: Request, limits: Limits) -> bytes:
    """Read the body of a request, within the limits of what one may send."""
    said = request.headers.get("content-length")
    if said is not None and said.isdecimal() and int(said) > limits.body_bytes:
        raise _too_large(limits)
    try:
        async with asyncio.timeout(limits.body_seconds):
            return await _read(request, limits)
    except TimeoutError:
        raise Refusal(
            HTTPStatus.REQUEST_TIMEOUT,
            "timeout",
            f"the body did not arrive within {limits.body_seconds:g} seconds",
            "Send it in one go, or in smaller parts",
            headers=_CLOSE,
        ) from None
    except ClientDisconnect:
        raise Refusal(
            HTTPStatus.BAD_REQUEST, "invalid_input", "the body ended before it was whole"
        ) from None


async def _read(request: Request, limits: Limits) -> bytes:
    parts = bytearray()
    async for part in request.stream():
        parts += part
        if len(parts) > limits.body_bytes:
            raise _too_large(limits)
    return bytes(parts)


def _check_type(request: Request) -> None:
    told = Message()
    told["content-type"] = request.headers.get("content-type", "")
    kind, subtype = told.get_content_maintype(), told.get_content_subtype()
    charset: Any = told.get_param("charset", "utf-8")
    is_json = kind == "application" and (subtype == "json" or subtype.endswith("+json"))
    if not is_json or str(charset).lower() not in ("utf-8", "utf8"):
        raise not_json()


def _understood(body: bytes) -> Any:
    try:
        said = body.decode()
    except UnicodeDecodeError:
        raise InvalidInputError("`body` is not UTF-8", remedy="Send JSON in UTF-8") from None
    return canonical.loads(said, "body")


def _too_large(limits: Limits) -> Refusal:
    return Refusal(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "too_large",
        f"the body has more than {limits.body_bytes:,} bytes",
        "Send it in several requests, or keep the bulk in a file",
        headers=_CLOSE,
    )
