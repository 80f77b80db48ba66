"""Embedding services to talk to: real ones, on a socket, that behave as each test wants."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from lamina.config import EmbeddingServices, Origin
from lamina.embedders.checking import CheckedEmbedder
from lamina.embedders.registry import open_embedder

DIMENSIONS = 8
KEY = "sk-very-secret-0123456789"
Behaviour = Callable[["Exchange"], None]


def vector_of(text: str) -> list[float]:
    """Something that depends on the whole text, and is not of unit length."""
    return [float(1 + (sum(text.encode()) * (place + 3)) % 97) for place in range(DIMENSIONS)]


@dataclass
class Asked:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Service:
    """A running service: where it is, what it was asked, and how it behaves next."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    behaviours: list[Behaviour] = field(default_factory=list)
    """Used up one for each request; the last one stays."""

    @property
    def texts(self) -> list[list[str]]:
        return [asked.body["input"] for asked in self.asked]


class Exchange(BaseHTTPRequestHandler):
    """One request and the means to answer it well or badly."""

    service: Service
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked = Asked(self.path, dict(self.headers), body)
        self.service.asked.append(self.asked)
        left = self.service.behaviours
        behaviour = left.pop(0) if len(left) > 1 else left[0]
        behaviour(self)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is given
        """Tests are quiet."""

    def send(self, content: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def say(self, told: object, status: int = 200, **headers: str) -> None:
        self.send(json.dumps(told).encode(), status, **headers)


def ollama(exchange: Exchange) -> None:
    rows = [vector_of(text) for text in exchange.asked.body["input"]]
    exchange.say({"model": exchange.asked.body["model"], "embeddings": rows})


def openai(exchange: Exchange) -> None:
    """In reverse, which the protocol allows: `index` says what belongs to what."""
    rows = [
        {"object": "embedding", "index": place, "embedding": vector_of(text)}
        for place, text in enumerate(exchange.asked.body["input"])
    ]
    exchange.say({"object": "list", "data": rows[::-1]})


def limited(behaviour: Behaviour, characters: int, told: object) -> Behaviour:
    """`behaviour` for texts that are short enough, else a refusal of the whole batch."""

    def answer(exchange: Exchange) -> None:
        if any(len(text) > characters for text in exchange.asked.body["input"]):
            exchange.say(told, 400)
        else:
            behaviour(exchange)

    return answer


def failing(status: int, told: object = None, **headers: str) -> Behaviour:
    return lambda exchange: exchange.say(told, status, **headers)


def saying(told: object) -> Behaviour:
    return lambda exchange: exchange.say(told)


def garbage(exchange: Exchange) -> None:
    exchange.send(b"<html>welcome to the hotel</html>")


def closing(exchange: Exchange) -> None:
    exchange.close_connection = True


def stopping_halfway(exchange: Exchange) -> None:
    exchange.send_response(200)
    exchange.send_header("Content-Length", "1000")
    exchange.end_headers()
    exchange.wfile.write(b'{"embeddings": [[')
    exchange.close_connection = True


@contextmanager
def serving(*behaviours: Behaviour) -> Iterator[Service]:
    """A service on a port of its own."""
    service = Service(behaviours=list(behaviours))
    handler = type("Handler", (Exchange,), {"service": service})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        service.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield service
        finally:
            server.shutdown()
            thread.join()


def services(service: Service, *, seconds: float = 5.0) -> EmbeddingServices:
    """Both protocols at this service."""
    place = Origin(service.url, "test")
    return EmbeddingServices(place, place, KEY, seconds)


def opened(spec: str, service: Service, *, seconds: float = 5.0) -> CheckedEmbedder:
    """The embedder called `spec`, at this service."""
    embedder = open_embedder(spec, services(service, seconds=seconds))
    assert embedder is not None
    return embedder


over_both = pytest.mark.parametrize(
    ("spec", "behaviour"),
    [
        pytest.param("ollama:plain", ollama, id="ollama"),
        pytest.param("openai:plain", openai, id="openai"),
    ],
)
