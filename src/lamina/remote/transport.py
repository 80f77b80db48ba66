"""Questions to a server over HTTP: connections that are kept, limits on time, errors as ours.

Nothing here knows what is asked. An answer that is an error comes back as the class that it was at
the server, with its message and its way out. A server that is away is `StoreUnavailableError`; the
next question finds out by itself that it is back.
"""

from __future__ import annotations

import json
import os
import select
import socket
import time
from collections import deque
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from lamina import errors
from lamina.core import canonical
from lamina.errors import (
    InvalidInputError,
    LaminaError,
    StoreError,
    StoreUnavailableError,
    UnauthenticatedError,
)
from lamina.web import Failing, endpoint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.core.canonical import Json

_CONNECT_SECONDS: Final = 5.0
_SHOW_A_KEY: Final = (
    "Pass `key`, or set LAMINA_KEY; where the store is, `lamina token create NAME` makes one"
)
_IDLE_SECONDS: Final = 3.0
"""A server closes what was silent for longer; a question sent into that might get lost."""
_TRIES: Final = 3
_PAUSE_SECONDS: Final = 0.1
_NAME: Final = "the server"
_FAILING: Final = Failing(
    StoreError, StoreUnavailableError, StoreUnavailableError, "give `timeout` more seconds"
)
_KINDS: Final = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, LaminaError)
}


class Transport:
    """A way to one server. Safe to share between threads."""

    def __init__(self, url: str, key: str | None, timeout: float) -> None:
        service = endpoint(_NAME, url, "url", _FAILING, key=key or "")
        self.url = service.url
        self._parts = urlsplit(service.url)
        self._timeout = timeout
        self._idle: deque[tuple[HTTPConnection, float]] = deque()
        """Connections that nobody uses, the one used last at the end, and since when."""
        self._open: set[HTTPConnection] = set()
        self._process = os.getpid()
        self._closed = False
        self.most_bytes: int | None = None
        """How much the server takes at once, as soon as it has said so."""
        self.asked = 0
        """How many questions were sent, for measuring."""
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if service.key:
            self._headers["Authorization"] = f"Bearer {service.key}"

    def ask(self, path: str, question: Json, *, again: bool, seconds: float = 0.0) -> Json:
        """The answer to a question, which may take so many seconds longer than usual.

        Raises:
            LaminaError: What the server says is wrong, or that it is away.
        """
        body = self._written(question)
        for left in range(_TRIES - 1, -1, -1):
            connection, is_new = self._connection(self._timeout + seconds)
            try:
                response = self._sent(connection, path, body)
                answer = response.read()
            except (OSError, HTTPException) as error:
                self._drop(connection)
                # What was never connected was never heard.
                unheard = is_new and isinstance(error, ConnectionRefusedError)
                if not left or not (again or unheard) or isinstance(error, TimeoutError):
                    raise self._away(error) from None
                time.sleep(_PAUSE_SECONDS * (_TRIES - 1 - left))
                continue
            if response.will_close or self._closed:
                self._drop(connection)
            else:
                self._idle.append((connection, time.monotonic()))
            return _understood(response.status, answer)
        raise AssertionError("the last try returns or raises")

    def lines(self, path: str, question: Json) -> Iterator[Json]:
        """The lines of a long answer as they come, over a connection of their own."""
        connection = self._opened(self._timeout)
        try:
            response = self._sent(connection, path, self._written(question))
            if response.status != 200:
                _understood(response.status, response.read())
            while (line := response.readline().strip()) not in (b"", b"[]"):
                yield _parsed(line)
            if not line:
                raise StoreUnavailableError(
                    "the answer of the server stopped halfway", remedy="Ask again"
                )
        except (OSError, HTTPException) as error:
            raise self._away(error) from None
        finally:
            self._drop(connection)

    def close(self) -> None:
        """End every connection; nothing can be asked any more."""
        self._closed = True
        for connection in list(self._open):
            with suppress(OSError, AttributeError):
                # A thread that waits for an answer is not woken by closing alone.
                connection.sock.shutdown(socket.SHUT_RDWR)
            self._drop(connection)

    # -- inside

    def _written(self, question: Json) -> bytes:
        body = canonical.dumps(question).encode()
        # Beyond that a server hangs up, and why it did might not be heard.
        if self.most_bytes is not None and len(body) > self.most_bytes:
            raise InvalidInputError(
                f"what is sent at once takes {len(body):,} bytes; the server takes"
                f" {self.most_bytes:,}",
                remedy="Make several calls of it; each is then a transaction of its own",
            )
        return body

    def _sent(self, connection: HTTPConnection, path: str, body: bytes) -> HTTPResponse:
        self.asked += 1
        connection.request("POST", self._parts.path + path, body, self._headers)
        return connection.getresponse()

    def _connection(self, seconds: float) -> tuple[HTTPConnection, bool]:
        """A connection for one question, and whether it is a new one."""
        if self._process != os.getpid():
            # In a forked child: what is open belongs to the parent.
            self._idle, self._open, self._process = deque(), set(), os.getpid()
        while self._idle:
            try:
                found, since = self._idle.pop()
            except IndexError:
                # Another thread was faster.
                break
            fresh = time.monotonic() - since < _IDLE_SECONDS
            if fresh and found.sock and _is_silent(found.sock):
                found.sock.settimeout(seconds)
                return found, False
            self._drop(found)
        return self._opened(seconds), True

    def _opened(self, seconds: float) -> HTTPConnection:
        if self._closed:
            raise StoreError("the connection is closed", remedy="Connect anew")
        kind = HTTPSConnection if self._parts.scheme == "https" else HTTPConnection
        made = kind(self._parts.hostname or "", self._parts.port, timeout=_CONNECT_SECONDS)
        try:
            made.connect()
        except OSError as error:
            raise self._away(error) from None
        made.sock.settimeout(seconds)
        self._open.add(made)
        return made

    def _drop(self, connection: HTTPConnection) -> None:
        self._open.discard(connection)
        with suppress(OSError):
            connection.close()

    def _away(self, error: Exception) -> StoreError:
        if self._closed:
            return StoreError("the connection is closed", remedy="Connect anew")
        if isinstance(error, TimeoutError):
            return StoreUnavailableError(
                f"the server at {self.url} did not answer within {self._timeout:g} seconds",
                remedy="Try again, or give `timeout` more seconds",
            )
        why = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
        return StoreUnavailableError(
            f"the server at {self.url} cannot be reached: {why}",
            remedy="Start it with `lamina serve`, or correct its address",
        )


def _is_silent(sock: socket.socket) -> bool:
    """Whether nothing came over it that nobody has asked for, such as its end."""
    # Not `select`, which knows no more than 1,024 open files.
    looking = select.poll()
    looking.register(sock, select.POLLIN)
    return not looking.poll(0)


def _understood(status: int, body: bytes) -> Json:
    if status == 200:
        return _parsed(body)
    told: Any = None
    with suppress(ValueError, RecursionError):
        told = json.loads(body)
    error = told.get("error") if isinstance(told, dict) else None
    if not isinstance(error, dict):
        unknown = StoreUnavailableError if status >= 500 else StoreError
        raise unknown(
            f"the server answered with status {status}", remedy="Is that address Lamina's?"
        )
    # A code of a newer server still says whether it may pass.
    other = StoreUnavailableError if error.get("retryable") is True else LaminaError
    kind = _KINDS.get(str(error.get("code")), other)
    # The way out that a server tells is for who writes requests by hand.
    remedy = _SHOW_A_KEY if kind is UnauthenticatedError else str(error.get("remedy") or "")
    raise kind(str(error.get("message", ""))[:2000], remedy=remedy[:2000])


def _parsed(body: bytes) -> Json:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise StoreError(
            "the server did not answer in JSON", remedy="Is that address Lamina's?"
        ) from None
