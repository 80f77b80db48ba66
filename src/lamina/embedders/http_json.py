"""One question and one answer in JSON over HTTP, with limits on everything.

A service may be down, slow, wrong or chatty. None of that may hold up the caller for longer than
it agreed to, fill the memory, lead to another host, or bring a key into a message.
"""

from __future__ import annotations

import ipaddress
import json
import time
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPRedirectHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
)

from lamina.errors import EmbedderError, EmbedderUnavailableError, InvalidInputError

if TYPE_CHECKING:
    from http.client import HTTPResponse

LARGEST_ANSWER: Final = 64 << 20
_LARGEST_COMPLAINT: Final = 1 << 16
_CHUNK: Final = 1 << 16
_LONGEST_PAUSE_SECONDS: Final = 5.0
_BUSY: Final = (429, 503)
_PASSING: Final = (408, 425, *_BUSY)


class RefusedError(EmbedderError):
    """The service answered that it will not do this; `status` is its reason in HTTP."""

    def __init__(self, message: str, *, status: int, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.status = status


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one answer may take, and how often a busy service is asked again."""

    seconds: float
    retries: int = 0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A service: what people call it, where it is, and what opens it."""

    name: str
    url: str
    key: str = field(default="", repr=False)


def endpoint(name: str, url: str, origin: str, *, key: str = "") -> Endpoint:
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
    if not usable or parts.query or parts.fragment or "@" in parts.netloc or not url.isprintable():
        raise InvalidInputError(
            f"`{origin}` is not the address of a service",
            remedy="Write it as http://HOST:PORT or https://HOST/PATH, without user and password",
        )
    if not (key.isascii() and key.isprintable()):
        raise InvalidInputError(
            f"the key for {name} holds characters that cannot be sent", remedy="Copy it again"
        )
    return Endpoint(name, url.rstrip("/"), key)


def post(service: Endpoint, path: str, question: object, patience: Patience) -> Any:
    """Ask `service`, again if it is busy, and return what it says.

    Raises:
        EmbedderUnavailableError: Not there, too slow, busy or broken.
        RefusedError: It says no.
        EmbedderError: What it says is not JSON, or too much.
    """
    request = Request(
        service.url + path, data=json.dumps(question).encode(), headers=_headers(service)
    )
    for left in range(patience.retries, -1, -1):
        try:
            return _ask(service, request, patience.seconds)
        except _BusyError as busy:
            if left:
                time.sleep(busy.pause(patience.retries - left))
    raise EmbedderUnavailableError(
        f"{service.name} is busy", remedy="Nothing is lost; it is asked again later"
    )


class _BusyError(Exception):
    def __init__(self, after: str) -> None:
        super().__init__()
        self._after = after

    def pause(self, tried: int) -> float:
        asked = float(self._after) if self._after.isdecimal() else 0.5 * 2**tried
        return min(asked, _LONGEST_PAUSE_SECONDS)


class _Stay(HTTPRedirectHandler):
    """Follows nothing: another host must not get the texts, and a moved one can be named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _headers(service: Endpoint) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if service.key:
        headers["Authorization"] = f"Bearer {service.key}"
    return headers


def _ask(service: Endpoint, request: Request, seconds: float) -> Any:
    deadline = time.monotonic() + seconds
    try:
        with _opener(service).open(request, timeout=seconds) as response:
            body = _read(response, deadline, LARGEST_ANSWER)
    except HTTPError as error:
        raise _complaint(service, error, deadline) from None
    except (TimeoutError, HTTPException, OSError, ValueError) as error:
        raise _unreachable(service, error, seconds) from None
    if len(body) > LARGEST_ANSWER:
        raise EmbedderError(
            f"{service.name} answered with more than {LARGEST_ANSWER >> 20} MiB",
            remedy="Is that address the right one?",
        )
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise EmbedderError(
            f"{service.name} did not answer in JSON", remedy="Is that address the right one?"
        ) from None


def _opener(service: Endpoint) -> OpenerDirector:
    # A proxy meant for the outside would not know what 127.0.0.1 is here.
    direct = [ProxyHandler({})] if _is_here(service.url) else []
    return build_opener(_Stay(), *direct)


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _read(response: HTTPResponse | HTTPError, deadline: float, most: int) -> bytes:
    body = bytearray()
    while chunk := response.read1(_CHUNK):
        body += chunk
        if len(body) > most:
            return bytes(body)
        if time.monotonic() > deadline:
            raise TimeoutError
    if getattr(response, "length", None):
        raise ConnectionError("the answer stopped halfway")
    return bytes(body)


def _complaint(service: Endpoint, error: HTTPError, deadline: float) -> Exception:
    with error:
        if error.code in _BUSY:
            return _BusyError(error.headers.get("Retry-After", "").strip())
        said = _said(service, error, deadline)
    if error.code >= 500 or error.code in _PASSING:
        return EmbedderUnavailableError(
            f"{service.name} failed with status {error.code}{said}",
            remedy="Nothing is lost; it is asked again later",
        )
    return RefusedError(f"{service.name} refused with status {error.code}{said}", status=error.code)


def _said(service: Endpoint, error: HTTPError, deadline: float) -> str:
    """What the service gives as its reason, in the two shapes there are, without the key."""
    try:
        told = json.loads(_read(error, deadline, _LARGEST_COMPLAINT))
        told = told.get("error", "") if isinstance(told, dict) else ""
        told = told.get("message", "") if isinstance(told, dict) else told
    except (HTTPException, OSError, ValueError, RecursionError):
        return ""
    text = " ".join(str(told).split())
    if service.key:
        text = text.replace(service.key, "[key]")
    return f": {text:.300}" if text else ""


def _unreachable(service: Endpoint, error: Exception, seconds: float) -> EmbedderUnavailableError:
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, TimeoutError):
        return EmbedderUnavailableError(
            f"{service.name} at {service.url} did not answer within {seconds:g} seconds",
            remedy="Nothing is lost; LAMINA_EMBED_TIMEOUT sets how long to wait",
        )
    why = (reason.strerror if isinstance(reason, OSError) else None) or type(reason).__name__
    return EmbedderUnavailableError(
        f"{service.name} at {service.url} cannot be reached: {why}",
        remedy="Nothing is lost; start it, or correct its address",
    )
