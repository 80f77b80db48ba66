"""A question and its answer over HTTP, whole in JSON or line by line, with limits on everything.

A service may be down, slow, wrong or chatty. None of that may hold up the caller for longer than
it agreed to, fill the memory, lead to another host, or bring a key into a message.
"""

from __future__ import annotations

import json
import re
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request

from lamina.connecting import Waiting, opener
from lamina.errors import InvalidInputError, LaminaError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from http.client import HTTPResponse

_LARGEST_COMPLAINT: Final = 1 << 16
_CHUNK: Final = 1 << 16
_LONGEST_PAUSE_SECONDS: Final = 5.0
BUSY: Final = (429, 503)
PASSING: Final = (408, 425, *BUSY)
_PIECE: Final = 8
"""Fewer characters of a key in a row tell nobody anything."""
_WORD: Final = re.compile(r"\S+")
_LATER: Final = "Nothing is lost; it is asked again later"
_ELSEWHERE: Final = "Is that address the right one?"


@dataclass(frozen=True, slots=True)
class Failing:
    """What it is called when a sort of service fails, and what can be done about it."""

    wrong: type[LaminaError]
    """It says what makes no sense."""
    unavailable: type[LaminaError]
    """It is not there, too slow, busy or broken."""
    halfway: type[LaminaError]
    """The same, but it was asked, and may have worked at an answer."""
    patience: str
    """How to let it take longer."""
    later: str = _LATER


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one answer may take, how much it may be, and when a service is asked again."""

    seconds: float
    retries: int = 0
    connect_seconds: float | None = None
    again: tuple[int, ...] = BUSY
    """The statuses after which it is asked again."""
    pause_seconds: float = 0.5
    """How long to wait before the second try, unless the service says; twice as long each time."""
    most: int = 64 << 20
    """How many bytes an answer may have."""
    whole_seconds: float | None = None
    """How long an answer in pieces may take altogether; each piece has `seconds`."""
    again_if_cut: bool = False
    """Whether it is asked again as well when it hung up before it said a word."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A service: what people call it, where it is, what opens it, and how its failures are told."""

    name: str
    url: str
    failing: Failing
    key: str = field(default="", repr=False)


class RefusedError(Exception):
    """The service answered that it will not do this; `status` is its reason in HTTP."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


def endpoint(name: str, url: str, origin: str, failing: Failing, *, key: str = "") -> Endpoint:
    """A service at an address that can be one.

    Raises:
        InvalidInputError: The address is not one, or the key cannot be sent. Neither is shown:
            people put passwords into addresses.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    odd = usable and (parts.query or parts.fragment or {"@", "%"} & {*parts.netloc})
    if not usable or odd or not url.isprintable():
        raise InvalidInputError(
            f"`{origin}` is not the address of a service",
            remedy="Write it as http://HOST:PORT or https://HOST/PATH, without user and password",
        )
    if not (key.isascii() and key.isprintable()):
        raise InvalidInputError(
            f"the key for {name} holds characters that cannot be sent", remedy="Copy it again"
        )
    return Endpoint(name, url.rstrip("/"), failing, key)


def post(service: Endpoint, path: str, question: object, patience: Patience) -> Any:
    """Ask `service`, again if it is busy, and return what it says.

    Raises:
        RefusedError: It says no.
        LaminaError: As `service.failing` has it.
    """
    with _answering(service, path, question, patience, patience.seconds) as response:
        body = _read(response, patience.most)
    if len(body) > patience.most:
        raise _too_much(service, patience)
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise service.failing.wrong(
            f"{service.name} did not answer in JSON", remedy=_ELSEWHERE
        ) from None


def lines(service: Endpoint, path: str, question: object, patience: Patience) -> Iterator[str]:
    """Ask `service`, again if it is busy, and hand on the lines of what it says as they come.

    Raises:
        RefusedError: It says no.
        LaminaError: As `service.failing` has it.
    """
    whole_seconds = patience.whole_seconds or patience.seconds
    with _answering(service, path, question, patience, whole_seconds) as response:
        read, rest = 0, bytearray()
        while chunk := response.read1(_CHUNK):
            read += len(chunk)
            if read > patience.most:
                raise _too_much(service, patience)
            rest += chunk
            # A line that comes in many pieces is put together once.
            if b"\n" in chunk:
                *whole, last = bytes(rest).split(b"\n")
                rest = bytearray(last)
                for line in whole:
                    yield line.decode(errors="replace").rstrip("\r")
        yield rest.decode(errors="replace").rstrip("\r")


@contextmanager
def _answering(
    service: Endpoint, path: str, question: object, patience: Patience, whole_seconds: float
) -> Iterator[HTTPResponse]:
    """An answer that ends within so many seconds; what goes wrong while it is read is told, too."""
    request = Request(
        service.url + path, data=json.dumps(question).encode(), headers=_headers(service)
    )
    try:
        with _opened(service, request, patience, whole_seconds) as response:
            yield response
    except (TimeoutError, HTTPException, OSError) as error:
        raise _unreachable(service, error, patience) from None


def _opened(
    service: Endpoint, request: Request, patience: Patience, whole_seconds: float
) -> HTTPResponse:
    for left in range(patience.retries, -1, -1):
        waiting = Waiting(time.monotonic() + whole_seconds, patience.connect_seconds)
        pause = patience.pause_seconds * 2 ** (patience.retries - left)
        try:
            found: HTTPResponse = opener(service.url, waiting).open(
                request, timeout=patience.seconds
            )
        except HTTPError as error:
            asked = _asked_to_wait(error)
            pause = pause if asked is None else asked
            if error.code not in patience.again or not left or pause > _LONGEST_PAUSE_SECONDS:
                raise _complaint(service, error) from None
            error.close()
        except ConnectionError:
            if not left or not patience.again_if_cut:
                raise
        except ValueError as error:
            raise _unreachable(service, error, patience) from None
        else:
            return found
        time.sleep(min(pause, _LONGEST_PAUSE_SECONDS))
    raise AssertionError("the last try returns or raises")


def _asked_to_wait(error: HTTPError) -> float | None:
    """How many seconds a service asks to be left alone for, in the two ways to say that."""
    after = str(error.headers.get("Retry-After", "")).strip()
    if after.isdecimal():
        return float(after)
    try:
        # By its own clock: ours may be another.
        until, now = map(parsedate_to_datetime, (after, str(error.headers.get("Date", ""))))
        return max(0.0, until.timestamp() - now.timestamp())
    except (ValueError, OverflowError):
        return None


def _headers(service: Endpoint) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if service.key:
        headers["Authorization"] = f"Bearer {service.key}"
    return headers


def _read(response: HTTPResponse | HTTPError, most: int) -> bytes:
    body = bytearray()
    while chunk := response.read1(_CHUNK):
        body += chunk
        if len(body) > most:
            return bytes(body)
    if getattr(response, "length", None):
        raise ConnectionError("the answer stopped halfway")
    return bytes(body)


def _too_much(service: Endpoint, patience: Patience) -> LaminaError:
    return service.failing.wrong(
        f"{service.name} answered with more than {patience.most >> 20} MiB", remedy=_ELSEWHERE
    )


def _complaint(service: Endpoint, error: HTTPError) -> Exception:
    with error:
        if error.code in BUSY:
            return service.failing.unavailable(
                f"{service.name} is busy", remedy=service.failing.later
            )
        said = _said(service, error)
    if error.code >= 500 or error.code in PASSING:
        return service.failing.unavailable(
            f"{service.name} failed with status {error.code}{said}", remedy=service.failing.later
        )
    return RefusedError(f"{service.name} refused with status {error.code}{said}", status=error.code)


def _said(service: Endpoint, error: HTTPError) -> str:
    """What the service gives as its reason, in the two shapes there are, without the key."""
    try:
        told = json.loads(_read(error, _LARGEST_COMPLAINT))
        told = told.get("error", "") if isinstance(told, dict) else ""
        told = told.get("message", "") if isinstance(told, dict) else told
    except (HTTPException, OSError, ValueError, RecursionError):
        return ""
    text = without_key(" ".join(str(told).split()), service.key)
    return f": {text:.300}" if text else ""


def without_key(text: str, key: str) -> str:
    """A text in which neither a key stands nor a piece of it: services quote those, too."""
    parts = {key[at : at + _PIECE] for at in range(max(1, len(key) - _PIECE + 1))} - {""}

    def hidden(word: re.Match[str]) -> str:
        return "[key]" if any(part in word[0] for part in parts) else word[0]

    return _WORD.sub(hidden, text)


def _unreachable(service: Endpoint, error: Exception, patience: Patience) -> LaminaError:
    failing = service.failing
    # What is wrapped went wrong before the question was with the service.
    was_asked = not isinstance(error, URLError | ValueError)
    reason = error.reason if isinstance(error, URLError) else error
    unavailable = failing.halfway if was_asked else failing.unavailable
    if isinstance(reason, TimeoutError):
        return unavailable(
            f"{service.name} at {service.url} did not answer within {patience.seconds:g} seconds",
            remedy=f"Nothing is lost; {failing.patience}",
        )
    why = (reason.strerror if isinstance(reason, OSError) else None) or type(reason).__name__
    return unavailable(
        f"{service.name} at {service.url} cannot be reached: {why}",
        remedy="Nothing is lost; start it, or correct its address",
    )
