"""Clients that cost little: requests one after the other on many connections, and listeners.

They speak HTTP/1.1 by themselves and understand only what the server of this measurement answers,
so that what is measured is the server.
"""

import asyncio
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from lamina import clock
from lamina.bench.drafts import draft, question
from lamina.bench.measure import Spread
from lamina.errors import StoreError

SCOPE: Final = "project/bench"
_OK: Final = b"HTTP/1.1 200"
_END: Final = b"\r\n\r\n"
_LENGTH: Final = b"content-length: "
_AT_ONCE: Final = 50
"""Listeners that come in together."""
_ID: Final = b'"record":"'
_ID_LENGTH: Final = 26


@dataclass(frozen=True, slots=True)
class Load:
    """What to ask, how, and for how long."""

    port: int
    what: str
    connections: int
    seconds: float
    first: int
    """The number of the first memory; each is written once."""
    headers: dict[str, str]


class _Caller(asyncio.Protocol):
    """Asks on one connection until time is up."""

    def __init__(self, requests: Iterator[bytes], end: float) -> None:
        self._requests = requests
        self._end = end
        self._answer = b""
        self._sent = 0.0
        self.timings: list[float] = []
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._ask()

    def data_received(self, data: bytes) -> None:
        self._answer += data
        head, end, body = self._answer.partition(_END)
        if not end or len(body) < _length(head):
            return
        now = clock.stopwatch()
        self.timings.append(now - self._sent)
        if not head.startswith(_OK):
            self._finish(StoreError(f"the server answered {head[:40]!r}: {body[:200]!r}"))
        elif now < self._end:
            self._ask()
        else:
            self._finish(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._finish(exc or StoreError("the server hung up"))

    def _ask(self) -> None:
        self._answer = b""
        request = next(self._requests)
        self._sent = clock.stopwatch()
        self._transport.write(request)

    def _finish(self, error: Exception | None) -> None:
        if self.done.done():
            return
        if error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)
        self._transport.close()


def _length(head: bytes) -> int:
    start = head.lower().index(_LENGTH) + len(_LENGTH)
    return int(head[start:].partition(b"\r\n")[0])


async def load(asked: Load) -> dict[str, Any]:
    """Ask for so long, and say how long each answer took and what asking itself did."""
    loop, cpu, start = asyncio.get_running_loop(), time.process_time(), clock.stopwatch()
    end, requests = start + asked.seconds, _requests(asked)
    callers = [
        (await loop.create_connection(lambda: _Caller(requests, end), "127.0.0.1", asked.port))[1]
        for _ in range(asked.connections)
    ]
    await asyncio.gather(*(caller.done for caller in callers))
    took = clock.stopwatch() - start
    timings = [one for caller in callers for one in caller.timings]
    spread = Spread.of(timings)
    return {
        "requests": len(timings),
        "per_second": round(len(timings) / took, 1),
        "p50_ms": spread.p50_ms,
        "p99_ms": spread.p99_ms,
        "client_ms": round(1000 * (time.process_time() - cpu) / len(timings), 4),
    }


def _requests(asked: Load) -> Iterator[bytes]:
    headers = "".join(f"{name}: {value}\r\n" for name, value in asked.headers.items())
    for number in count(asked.first):
        method, path, said = _SAID[asked.what](number)
        body = json.dumps(said).encode() if said else b""
        length = (
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
        )
        yield (
            f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}{length}\r\n".encode() + body
        )


_SAID: Final[dict[str, Callable[[int], tuple[str, str, Any]]]] = {
    "empty": lambda number: ("GET", "/", None),
    "remember": lambda number: ("POST", "/api/records", {**draft(number), "scope": SCOPE}),
    "recall": lambda number: (
        "POST", "/api/search", {"query": question(number % 1000), "scope": SCOPE}
    ),
}  # fmt: skip


class _Listener(asyncio.Protocol):
    """Notes when each change arrives."""

    def __init__(self, request: bytes, heard: list[tuple[str, float]]) -> None:
        self._request = request
        self._heard = heard
        self._rest = b""
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        now = clock.stopwatch()
        *whole, self._rest = (self._rest + data).split(b"\n\n")
        for block in whole:
            if (at := block.find(_ID)) >= 0:
                start = at + len(_ID)
                self._heard.append((block[start : start + _ID_LENGTH].decode(), now))
            elif not self.ready.done():
                self.ready.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ready.done():
            self.ready.set_exception(exc or StoreError(f"no stream: {self._rest[:300]!r}"))


async def listen(port: int, asked: list[tuple[str, dict[str, str]]]) -> None:
    """Open a stream for each path and headers; for each line told, say what was heard since."""
    loop = asyncio.get_running_loop()
    heard: list[tuple[str, float]] = []
    for first in range(0, len(asked), _AT_ONCE):
        listeners = [
            (await loop.create_connection(_listening(one, heard), "127.0.0.1", port))[1]
            for one in asked[first : first + _AT_ONCE]
        ]
        await asyncio.gather(*(listener.ready for listener in listeners))
    _say(len(asked))
    while await loop.run_in_executor(None, sys.stdin.readline):
        _say(heard)
        heard.clear()


def _listening(
    asked: tuple[str, dict[str, str]], heard: list[tuple[str, float]]
) -> Callable[[], _Listener]:
    path, given = asked
    headers = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode()
    return lambda: _Listener(request, heard)


def main() -> None:
    """Do what each line asks for."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "listen" in asked:
            asyncio.run(listen(asked["port"], asked["listen"]))
            return
        _say(asyncio.run(load(Load(**asked))))


def _say(answer: Any) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
