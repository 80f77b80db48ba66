"""Clients that say nothing, too much, or what takes long to read: the others do not notice."""

import socket
import threading
import time
from urllib.parse import urlsplit

import httpx2
import pytest

from lamina import Memory
from lamina.surfaces.http import server
from lamina.surfaces.http.engine import Engine, Limits
from tests.places import plain
from tests.serving import Served, serving

__all__ = ["plain"]

SILENT = {
    "nothing": b"",
    "half a head": b"GET /healthz HTTP/1.1\r\nHost: local",
    "all but the end of one": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-More: soon\r\n",
    "a body that nobody asked for": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Length: 1000000\r\n\r\n{",
}


def wired(served: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", urlsplit(served.url).port or 0), timeout=20)


def test_who_says_nothing_is_not_waited_for(plain: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEAD_SECONDS", 0.5)
    with serving(plain) as served, httpx2.Client(base_url=served.url) as busy:
        wires = [wired(served) for _ in SILENT]
        for wire, sent in zip(wires, SILENT.values(), strict=True):
            wire.sendall(sent)
        ended = threading.Event()

        def drip() -> None:
            """One more byte now and then, which is no reason to wait longer."""
            while not ended.wait(0.2):
                for wire in wires[1:]:
                    try:
                        wire.sendall(b"x")
                    except OSError:
                        continue

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            for wire in wires:
                try:
                    while wire.recv(65536):
                        assert busy.get("/healthz").status_code == 200
                except ConnectionResetError:
                    pass
        finally:
            ended.set()
            dripping.join()
            for wire in wires:
                wire.close()


def test_a_connection_in_use_stays(plain: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEAD_SECONDS", 1.2)
    with serving(plain) as served, wired(served) as wire:
        until = time.monotonic() + 3
        while time.monotonic() < until:
            wire.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while not answer.endswith(b'{"status":"ok"}'):
                answer += wire.recv(65536)
            time.sleep(0.3)


def test_our_own_client_sends_no_more_than_it_may(plain: Memory) -> None:
    limits = Limits(client_bytes=100_000, body_seconds=0.3)
    with serving(plain, Engine(plain, limits)) as served:
        headers = {**served.headers, "Content-Type": "application/json"}
        where = f"{served.url}/api/store/get"
        much = b'{"reach": "' + b"a" * 100_000 + b'"}'
        for body in (much, iter([much])):
            answer = httpx2.post(where, content=body, headers=headers)
            assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
        with wired(served) as wire:
            head = "POST /api/store/get HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n"
            head += f"Content-Type: application/json\r\nAuthorization: Bearer {served.key}\r\n\r\n"
            wire.sendall(head.encode() + b"{")
            assert b"408" in wire.recv(65536)


def test_what_takes_long_to_read_keeps_nobody_waiting(plain: Memory) -> None:
    with serving(plain) as served, httpx2.Client(base_url=served.url) as other:
        long = b'{"query": "x", "where": {"data.a": [' + b"1," * 900_000 + b"1]}}"
        answers: list[int] = []

        def ask() -> None:
            headers = {**served.headers, "Content-Type": "application/json"}
            asked = httpx2.post(f"{served.url}/api/search", content=long, headers=headers)
            answers.append(asked.status_code)

        reading = threading.Thread(target=ask)
        reading.start()
        meanwhile = 0
        while reading.is_alive():
            meanwhile += other.get("/healthz").status_code == 200 and not answers
        reading.join()
    assert answers == [422]
    assert meanwhile > 10
