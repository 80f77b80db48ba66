"""Requests that are wrong: the right status, a stable code, no traceback, and a server alive."""

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

import lamina
from lamina import Memory
from lamina.errors import StoreUnavailableError
from lamina.surfaces.http.engine import Engine, Limits
from tests.http.asking import Api, api, plain
from tests.serving import Served, serving

__all__ = ["api", "plain"]
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("body", "headers", "status", "code", "named"),
    [
        (b'{"text": "x"}', {"Content-Type": "text/plain"}, 415, "unsupported_media_type", "JSON"),
        (b'{"text": "x"}', {}, 415, "unsupported_media_type", "JSON"),
        (b"text=x", {"Content-Type": "application/x-www-form-urlencoded"}, 415,
         "unsupported_media_type", "JSON"),
        (b'{"text": "x"}', {"Content-Type": "application/json; charset=latin-1"}, 415,
         "unsupported_media_type", "JSON"),
        (b'{"text": "x", "text": "y"}', JSON, 422, "invalid_input", "twice"),
        (b'{"text": "x", "data": {"a": 1, "a": 2}}', JSON, 422, "invalid_input", "twice"),
        (b'{"text": "x", "importance": NaN}', JSON, 422, "invalid_input", "NaN"),
        (b'{"text": "x", "importance": Infinity}', JSON, 422, "invalid_input", "Infinity"),
        (b'{"text": "x", "data": {"n": 1e999}}', JSON, 422, "invalid_input", "data"),
        (b'{"text": "x", "data": {"n": ' + b"9" * 400 + b"}}", JSON, 422, "invalid_input", "64"),
        (b'{"text": "x"', JSON, 422, "invalid_input", "JSON"),
        (b"\xff\xfe", JSON, 422, "invalid_input", "UTF-8"),
        (b"[" * 100_000, JSON, 422, "invalid_input", "nested"),
        (b'{"text": "\\ud800"}', JSON, 422, "invalid_input", "text"),
        (b'{"text": "a\\u0000b"}', JSON, 422, "invalid_input", "text"),
        (b"", JSON, 422, "invalid_input", "missing"),
        (b"null", JSON, 422, "invalid_input", "body"),
        (b"[]", JSON, 422, "invalid_input", "body"),
        (b"{}", JSON, 422, "invalid_input", "text"),
        (b'{"text": 3}', JSON, 422, "invalid_input", "text"),
        (b'{"text": "x", "importance": "1"}', JSON, 422, "invalid_input", "importance"),
        (b'{"text": "x", "importance": true}', JSON, 422, "invalid_input", "importance"),
        (b'{"text": "x", "colour": "red"}', JSON, 422, "invalid_input", "colour"),
        (b'{"records": [{"text": "x"}], "trust": "user"}', JSON, 422, "invalid_input", "trust"),
        (b'{"records": []}', JSON, 422, "invalid_input", "records"),
    ],
)  # fmt: skip
def test_a_body_that_is_wrong_is_refused_by_name(
    api: Api, body: bytes, headers: dict[str, str], status: int, code: str, named: str
) -> None:
    found = api.refused("POST", "/api/records", content=body, headers=headers)
    assert found[:2] == (status, code)
    assert named in found[2]
    assert api.memory.count() == 0


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/records?colour=red", 422, "invalid_input"),
        ("GET", "/api/records?limit=1&limit=2", 422, "invalid_input"),
        ("GET", "/api/records?limit=0", 422, "invalid_input"),
        ("GET", "/api/records?limit=1001", 422, "invalid_input"),
        ("GET", "/api/records?layer=none%00", 422, "invalid_input"),
        ("GET", "/api/records?project=../etc", 422, "invalid_input"),
        ("GET", "/api/records?project=web&agent=user", 422, "invalid_input"),
        ("GET", "/healthz?x=1", 422, "invalid_input"),
        ("PUT", "/api/records", 405, "method_not_allowed"),
        ("GET", "/api/undo", 405, "method_not_allowed"),
        ("GET", "/api/nowhere", 404, "not_found"),
        ("GET", "/api/records/01kaf5r8q4m3n2p7d6s9t0v1w2", 404, "not_found"),
        ("GET", "/api/records/%00", 422, "invalid_input"),
        ("DELETE", "/api/memory/knowledge/nonsense", 404, "not_found"),
    ],
)
def test_an_address_that_is_wrong_is_refused(
    api: Api, method: str, path: str, status: int, code: str
) -> None:
    assert api.refused(method, path)[:2] == (status, code)


def test_an_address_says_every_method_that_it_takes(api: Api) -> None:
    answer = api.ask("PUT", "/api/records/some-key")
    assert answer.headers["allow"] == "DELETE, GET, PATCH"


def test_nobody_is_let_in_by_what_they_send_and_nothing_is_read_of_it(api: Api) -> None:
    for said in ({"content": b"{"}, {"json": {"text": "x"}}):
        headers = {"Authorization": "", **JSON}
        found = api.refused("POST", "/api/records", headers=headers, **said)
        assert found[:2] == (401, "unauthenticated")


def test_what_nobody_foresaw_is_answered_without_its_story(
    api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("hunter2")

    monkeypatch.setattr(api.memory.store, "census", fail)
    status, code, message = api.refused("GET", "/api/overview")
    assert (status, code) == (500, "internal")
    assert "hunter2" not in message
    assert "hunter2" in caplog.text


def test_a_store_that_may_recover_says_so(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise StoreUnavailableError("the store is busy")

    monkeypatch.setattr(api.memory.store, "commit", fail)
    answer = api.ask("POST", "/api/records", json={"text": "x"})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert answer.json()["error"]["retryable"]


def _sent(served: Served, head: bytes, body: bytes, *, path: bytes = b"/api/records") -> bytes:
    """The answer to a request that no client of good faith would send."""
    host, port = served.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 10) as line:
        line.sendall(
            b"POST " + path + b" HTTP/1.1\r\nHost: " + host.encode()
            + b"\r\nAuthorization: Bearer " + served.key.encode()
            + b"\r\nContent-Type: application/json\r\n" + head + b"\r\n"
        )  # fmt: skip
        found = b""
        try:
            line.sendall(body)
            while part := line.recv(65_536):
                found += part
        except OSError:
            # It has closed before all was said, and may have answered before that.
            pass
        return found


@pytest.fixture
def served(plain: Memory) -> Iterator[Served]:
    """A real server that takes little, and waits for it briefly."""
    with serving(plain, Engine(plain, Limits(body_bytes=10_000, body_seconds=0.2))) as found:
        yield found


CHUNKED = b"Transfer-Encoding: chunked\r\n"
CLOSE = b"Connection: close\r\n"


def test_lies_about_the_length_of_a_body(served: Served, plain: Memory) -> None:
    huge = b"Content-Length: 100000000\r\n"
    status = {
        "a body that is too large is not waited for": (huge, b"", 413),
        "nor read when it comes": (huge, b"x" * 100_000, 413),
        "nor when it says nothing of its size": (CHUNKED, b"4e20\r\n" + b"x" * 20_000, 413),
        "one that never ends is not waited for": (b"Content-Length: 30\r\n", b'{"te', 408),
        "nor its chunks": (CHUNKED, b"5\r\n" + b'{"tex' + b"\r\n", 408),
        "a chunk that is none": (CHUNKED, b"ZZ\r\nx\r\n", 400),
        "a size that is none": (b"Content-Length: -1\r\n", b"x", 400),
        "two sizes": (b"Content-Length: 3\r\nContent-Length: 5\r\n", b"12345", 400),
    }
    for name, (head, body, expected) in status.items():
        answer = _sent(served, head, body)
        assert answer.startswith(f"HTTP/1.1 {expected} ".encode()), (name, answer[:200])
        if expected != 400:
            told = json.loads(answer.partition(b"\r\n\r\n")[2])
            assert told["error"]["code"] in ("too_large", "timeout")
        assert b"Traceback" not in answer
    whole = b'{"text": "alive"}'
    head = CLOSE + b"Content-Length: %d\r\n" % len(whole)
    assert _sent(served, head, whole).startswith(b"HTTP/1.1 200 ")
    assert [one.text for one in plain.query({"layer": "knowledge"})] == ["alive"]


def test_a_hundred_megabytes_are_refused_before_they_are_sent(tmp_path: Any) -> None:
    with lamina.open(":memory:") as opened, serving(opened) as found:
        head = b"Content-Length: 100000000\r\nExpect: 100-continue\r\n"
        answer = _sent(found, head, b"")
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert b"too_large" in answer
