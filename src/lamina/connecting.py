"""Connections to a service: to nobody else, and not waited for any longer than was said."""

from __future__ import annotations

import ipaddress
import time
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import (
    BaseHandler,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
)

if TYPE_CHECKING:
    from socket import socket


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long a connection and what comes over it may take."""

    until: float
    """When the whole answer has to be there, its head as well, by `time.monotonic`."""
    connect_seconds: float | None = None
    """How long a connection may take; as long as an answer is silent, unless given."""


def opener(url: str, waiting: Waiting) -> OpenerDirector:
    """What opens a connection to the service at `url`."""
    handlers: list[BaseHandler] = [_Stay(), _Plain(waiting), _Encrypted(waiting)]
    if is_here(url):
        # A proxy meant for the outside would not know what 127.0.0.1 is here.
        handlers.append(ProxyHandler({}))
    return build_opener(*handlers)


def is_here(url: str) -> bool:
    """Whether an address is one of this machine."""
    try:
        host = urlsplit(url).hostname or ""
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class _Stay(HTTPRedirectHandler):
    """Follows nothing: another host must not get the texts, and a moved one can be named."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _Timely(HTTPConnection):
    """Waits less for a connection than for an answer, and for an answer only until its time."""

    waiting: Waiting

    def connect(self) -> None:
        patience = self.timeout
        if self.waiting.connect_seconds is not None:
            self.timeout = self.waiting.connect_seconds
        # Until then a proxy may answer in drops, too.
        self.response_class = partial(_response, self.waiting.until)  # type: ignore[assignment]
        super().connect()
        self.timeout = patience
        self.sock.settimeout(patience)


class _TimelyAndSafe(_Timely, HTTPSConnection):
    """The same, encrypted."""


class _Plain(HTTPHandler):
    def __init__(self, waiting: Waiting) -> None:
        super().__init__()
        self._waiting = waiting

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(self._connection, req)

    def _connection(self, host: str, /, **more: Any) -> HTTPConnection:
        made = _Timely(host, **more)
        made.waiting = self._waiting
        return made


class _Encrypted(HTTPSHandler):
    def __init__(self, waiting: Waiting) -> None:
        super().__init__()
        self._waiting = waiting

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(self._connection, req)

    def _connection(self, host: str, /, **more: Any) -> HTTPConnection:
        made = _TimelyAndSafe(host, **more)
        made.waiting = self._waiting
        return made


def _response(until: float, sock: socket, /, *how: Any, **more: Any) -> HTTPResponse:
    return HTTPResponse(_Heard(sock, until), *how, **more)  # type: ignore[arg-type]


class _Heard:
    """A socket, as far as an answer reads from it."""

    def __init__(self, sock: socket, until: float) -> None:
        self._sock = sock
        self._until = until

    def makefile(self, _mode: str) -> BufferedReader:
        return BufferedReader(_Bytes(self._sock, self._until))


class _Bytes(RawIOBase):
    """The bytes of an answer: none of them comes late, not even of its head.

    A time limit of the socket alone begins anew with every byte.
    """

    def __init__(self, sock: socket, until: float) -> None:
        super().__init__()
        self._sock = sock
        self._patience = sock.gettimeout()
        self._until = until
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(left if self._patience is None else min(self._patience, left))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()
