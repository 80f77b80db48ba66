"""Connections to a service: to nobody else, and not waited for any longer than was said."""

from __future__ import annotations

import ipaddress
from http.client import HTTPConnection, HTTPSConnection
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
    from http.client import HTTPResponse


def opener(url: str, connect_seconds: float | None = None) -> OpenerDirector:
    """What opens connections to the service at `url`."""
    handlers: list[BaseHandler] = [_Stay()]
    if is_here(url):
        # A proxy meant for the outside would not know what 127.0.0.1 is here.
        handlers.append(ProxyHandler({}))
    if connect_seconds is not None:
        handlers += [_Plain(connect_seconds), _Encrypted(connect_seconds)]
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


class _Quick(HTTPConnection):
    """Waits less for a connection than for an answer."""

    connect_seconds: float

    def connect(self) -> None:
        patience, self.timeout = self.timeout, self.connect_seconds
        super().connect()
        self.timeout = patience
        self.sock.settimeout(patience)


class _QuickAndSafe(_Quick, HTTPSConnection):
    """The same, encrypted."""


class _Plain(HTTPHandler):
    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(self._connection, req)

    def _connection(self, host: str, /, **more: Any) -> HTTPConnection:
        made = _Quick(host, **more)
        made.connect_seconds = self._seconds
        return made


class _Encrypted(HTTPSHandler):
    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(self._connection, req)

    def _connection(self, host: str, /, **more: Any) -> HTTPConnection:
        made = _QuickAndSafe(host, **more)
        made.connect_seconds = self._seconds
        return made
