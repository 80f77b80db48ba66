"""A file that is sent, put down piece by piece before anybody reads it."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from lamina.clock import stopwatch
from lamina.errors import InvalidInputError
from lamina.surfaces.http.problems import Refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from fastapi import Request

    from lamina.surfaces.http.engine import Limits

_AT_ONCE: Final = 1 << 20
_LONGEST_NAME: Final = 120
_CLOSE: Final = {"Connection": "close"}
_UNFIT: Final = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Spooled:
    """Where a file lies that was sent, and what is always the same about it."""

    path: Path
    digest: str


def file_name(said: str) -> str:
    """What a file that is sent may be called: never more than a name, whatever was said."""
    base = _UNFIT.sub("", said.replace("\\", "/").rpartition("/")[2]).strip()
    # The ending tells what it is, so that a long name is cut before it.
    return base[-_LONGEST_NAME:].lstrip(". ") or "upload"


async def spool(request: Request, limits: Limits, folder: Path, name: str) -> Spooled:
    """Put the body of a request into a file of a folder, no further than one may send.

    Raises:
        Refusal: It is too large, stops coming, or there is no room for it.
        InvalidInputError: It is empty.
    """
    said = request.headers.get("content-length")
    if said is not None and said.isdecimal() and int(said) > limits.import_bytes:
        raise _too_large(limits)
    path = folder / file_name(name)
    try:
        digest = await _put_down(request, limits, path)
    except ClientDisconnect:
        raise Refusal(
            HTTPStatus.BAD_REQUEST, "invalid_input", "the file ended before it was whole"
        ) from None
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise Refusal(
            HTTPStatus.INSUFFICIENT_STORAGE, "store_full", "the server has no room for the file",
            "Make room where the server keeps temporary files", headers=_CLOSE,
        ) from None  # fmt: skip
    return Spooled(path, digest)


async def _put_down(request: Request, limits: Limits, path: Path) -> str:
    digest, size, waiting, begun = hashlib.sha256(), 0, bytearray(), stopwatch()
    parts = request.stream()
    with path.open("wb") as file:
        while (part := await _next(parts, limits)) is not None:
            size += len(part)
            if size > limits.import_bytes:
                raise _too_large(limits)
            if stopwatch() - begun > limits.body_seconds + size / limits.import_pace:
                # Few can import at once: nobody holds a place by a byte now and then.
                raise _too_slow(f"less than {limits.import_pace:,} bytes of the file came a second")
            digest.update(part)
            waiting += part
            if len(waiting) >= _AT_ONCE:
                await run_in_threadpool(file.write, bytes(waiting))
                waiting.clear()
        await run_in_threadpool(file.write, bytes(waiting))
    if not size:
        raise InvalidInputError("the body is empty", remedy="Send the file as the body")
    return digest.hexdigest()


async def _next(parts: AsyncIterator[bytes], limits: Limits) -> bytes | None:
    try:
        async with asyncio.timeout(limits.body_seconds):
            return await anext(parts, None)
    except TimeoutError:
        raise _too_slow(
            f"nothing more of the file came within {limits.body_seconds:g} seconds"
        ) from None


def _too_slow(why: str) -> Refusal:
    return Refusal(
        HTTPStatus.REQUEST_TIMEOUT, "timeout", why,
        "Send it again: what came in before is known again", headers=_CLOSE,
    )  # fmt: skip


def _too_large(limits: Limits) -> Refusal:
    return Refusal(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large",
        f"the file has more than {limits.import_bytes:,} bytes",
        "Use `lamina import` where the store is, which has no such limit", headers=_CLOSE,
    )  # fmt: skip
