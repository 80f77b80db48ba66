"""What never reaches a route: other names, other pages, forms, and keys in addresses."""

import logging
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import httpx2
import pytest

import lamina
from lamina import Memory
from lamina.errors import InvalidInputError
from lamina.surfaces.http.binding import engine_at, is_loopback
from lamina.surfaces.http.engine import Engine
from tests.places import plain
from tests.serving import Served, bearing, serving

__all__ = ["plain"]

OPEN = "memory.example.com"
PROXY = "https://proxy.example.com"


@pytest.fixture(scope="module", params=["loopback", "open"])
def server(request: pytest.FixtureRequest) -> Iterator[Served]:
    """A server as it is started by default, and one that others can reach."""
    with lamina.open(":memory:") as memory:
        memory.configure("recall.embedder", "off")
        engine = Engine(memory)
        if request.param == "open":
            engine.keys.create("user", "admin")
            engine = engine_at(memory, "0.0.0.0", [OPEN], [PROXY])
        with serving(memory, engine) as served:
            yield served


def said(server: Served, head: str, body: bytes = b"", shown: str | None = None) -> tuple[int, str]:
    """The status and the rest of what is answered to a request, byte for byte."""
    port = urlsplit(server.url).port
    lines = head.replace("PORT", str(port)).split("\n")
    lines += [f"Authorization: Bearer {shown or server.key}", "Connection: close"]
    sent = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body
    with socket.create_connection(("127.0.0.1", port or 0), timeout=10) as wire:
        wire.sendall(sent)
        answer = b"".join(iter(lambda: wire.recv(65536), b"")).decode("latin-1")
    return int(answer.split(" ", 2)[1]), answer


_ME = "GET /api/auth/me HTTP/1.1"
_KEYS = "POST /api/auth/keys HTTP/1.1"
_JSON = "Content-Type: application/json\nContent-Length: 2"
HOSTS = [
    "evil.com", "evil.com:PORT", "localhost.evil.com", "127.0.0.1.evil.com:PORT", "localhost.",
    "LOCALHOST.EVIL.COM", "xlocalhost", "localhostx", "localhost:PORT.evil.com", "127.0.0.2",
    "127.1", "2130706433", "0x7f000001", "0.0.0.0", "0.0.0.0:PORT", "[::]", "[::2]", "::1",
    "[::ffff:127.0.0.1]", "[::1].evil.com", "[::1", "user@localhost", "localhost@evil.com",
    "localhost:99999", "localhost:-1", "localhost:8484:8484", "localhost:", "localhost,evil.com",
    "localhost evil.com", "localhost/evil", "localhost#", "", "*", "null", "loc\u00e4lhost",
    "memory.example.com.evil.com", "xmemory.example.com", "http://localhost", "localhost%00",
]  # fmt: skip
ORIGINS = [
    "null", "", "http://evil.com", "http://evil.com:PORT", "http://localhost", "http://127.0.0.1",
    "http://localhost:3000", "http://127.0.0.1:1", "http://[::1]:PORT", "http://localhost:PORT/",
    "http://localhost.evil.com:PORT", "http://localhost:PORT.evil.com", "file://", "localhost:PORT",
    "http://localhost:PORT@evil.com", "http://user@localhost:PORT", "//localhost:PORT", "*",
    "chrome-extension://abc", "ftp://localhost:PORT", "http://localhost:PORT http://evil.com",
    "https://xproxy.example.com", "http://proxy.example.com",
]  # fmt: skip
FOREIGN = {
    "two hosts": f"{_ME}\nHost: localhost:PORT\nHost: evil.com",
    "no host": "GET /api/auth/me HTTP/1.0",
    "another in the target": "GET http://evil.com/api/auth/me HTTP/1.1\nHost: localhost:PORT",
    "forwarded": f"{_ME}\nHost: evil.com\nX-Forwarded-Host: localhost:PORT",
    "forwarded in the new way": f"{_ME}\nHost: evil.com\nForwarded: host=localhost",
    "two origins": f"{_ME}\nHost: localhost:PORT\nOrigin: http://localhost:PORT\nOrigin: null",
    "two lengths": f"{_KEYS}\nHost: localhost:PORT\nContent-Type: application/json\n"
    "Content-Length: 2\nTransfer-Encoding: chunked",
    "a preflight": "OPTIONS /api/auth/keys HTTP/1.1\nHost: localhost:PORT\n"
    "Origin: http://localhost:PORT\nAccess-Control-Request-Method: POST",
    "a web socket": f"{_ME}\nHost: localhost:PORT\nUpgrade: websocket\nConnection: Upgrade\n"
    "Sec-WebSocket-Version: 13\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\nOrigin: http://e.vil",
    "a key in the query": f"GET /api/auth/me?access_token=lmk_{'a' * 16}_x HTTP/1.1\nHost: "
    "localhost:PORT",
    "a token in the path": f"GET /lmt_{'a' * 16}_0 HTTP/1.1\nHost: localhost:PORT",
    "a quoted key": f"GET /healthz?q=%256cmk%5F{'a' * 16}_x HTTP/1.1\nHost: localhost:PORT",
} | {
    f"from {site}": f"{_KEYS}\nHost: localhost:PORT\nSec-Fetch-Site: {site}\n{_JSON}"
    for site in ("cross-site", "same-site", "", "same-origin, cross-site")
}  # fmt: skip
FORMS = [
    "Content-Type: text/plain\nContent-Length: 2",
    "Content-Type: text/plain; charset=application/json\nContent-Length: 2",
    "Content-Type: application/x-www-form-urlencoded\nContent-Length: 2",
    "Content-Type: multipart/form-data; boundary=x\nContent-Length: 2",
    "Content-Type: TEXT/PLAIN\nContent-Length: 2",
    "Content-Type: application/json\nContent-Type: text/plain\nContent-Length: 2",
    "Content-Length: 2",
    "Content-Type: text/plain\nTransfer-Encoding: chunked",
]


def test_there_are_enough_of_them() -> None:
    assert len({*HOSTS, *ORIGINS, *FOREIGN, *FORMS}) >= 80


def test_under_another_name_nobody_answers(server: Served) -> None:
    heads = {host: f"{_ME}\nHost: {host}" for host in HOSTS}
    answers = {host: said(server, head)[0] for host, head in heads.items()}
    assert {host: status for host, status in answers.items() if status not in (400, 421)} == {}


def test_pages_of_other_addresses_are_refused(server: Served) -> None:
    heads = {origin: f"{_ME}\nHost: localhost:PORT\nOrigin: {origin}" for origin in ORIGINS}
    answers = {origin: said(server, head)[0] for origin, head in heads.items()}
    assert {origin: status for origin, status in answers.items() if status not in (400, 403)} == {}


def test_whatever_else_a_page_can_send_is_refused(server: Served) -> None:
    heads = {"a form, " + form: f"{_KEYS}\nHost: localhost:PORT\n{form}" for form in FORMS}
    for name, head in (FOREIGN | heads).items():
        status, answer = said(server, head, b"{}")
        assert status in (400, 403, 415, 421), name
        assert "access-control" not in answer.lower()
    assert [key.label for key in server.engine.keys.all()][-1] == "tests"


def test_who_is_meant_to_call_is_answered(server: Served) -> None:
    for host in ("localhost:PORT", "127.0.0.1:PORT", "[::1]:PORT", "LocalHost", "localhost:9"):
        assert said(server, f"{_ME}\nHost: {host}")[0] == 200
    own = "Host: localhost:PORT\nOrigin: http://localhost:PORT"
    assert said(server, f"{_ME}\n{own}")[0] == 200
    for site in ("same-origin", "none"):
        head = f"{_KEYS}\n{own}\nSec-Fetch-Site: {site}\n{_JSON}"
        assert said(server, head, b"{}")[0] == 422
    assert said(server, "POST /api/auth/token HTTP/1.1\nHost: localhost")[0] == 200
    # Who follows a link from elsewhere comes with a safe request, and shows no key of their own.
    assert said(server, f"{_ME}\nHost: localhost\nSec-Fetch-Site: cross-site")[0] == 200
    is_open = OPEN in server.engine.hosts
    assert said(server, f"{_ME}\nHost: {OPEN}")[0] == (200 if is_open else 421)
    by_proxy = f"{_KEYS}\nHost: localhost\nOrigin: {PROXY}\nSec-Fetch-Site: cross-site\n{_JSON}"
    assert said(server, by_proxy, b"{}")[0] == (422 if is_open else 403)


def test_a_refusal_is_a_problem_and_every_answer_is_wary(plain: Memory) -> None:
    with serving(plain) as server:
        refused = httpx2.get(f"{server.url}/healthz", headers={"Host": "evil.com"})
        let_in = httpx2.get(f"{server.url}/api/auth/me", headers=server.headers)
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["error"]["code"] == "misdirected"
    for answer in (refused, let_in):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


def test_odd_headers_are_refused_and_the_server_lives(plain: Memory) -> None:
    with serving(plain) as server:
        for shown in ("é" * 80, "\x7f", "a" * 60_000, server.key + "\u00a0", '"' + server.key):
            assert said(server, f"{_ME}\nHost: localhost", shown=shown)[0] in (400, 401)
        # Shown twice, it is unclear who calls.
        assert said(server, f"{_ME}\nHost: localhost\nAuthorization: Bearer {server.key}")[0] == 401
        with suppress(ConnectionResetError):
            assert said(server, f"{_ME}\nHost: localhost\nX: {'a' * 200_000}")[0] in (400, 431)
        assert said(server, f"{_ME}\nHost: localhost\nX: a\0b")[0] == 400
        assert said(server, f"{_ME}\nHost: localhost")[0] == 200


def test_guessing_at_one_key_is_slow_and_hurts_nobody_else(plain: Memory) -> None:
    with serving(plain) as server, httpx2.Client(base_url=server.url) as client:
        wrong = server.key[:-8] + "aaaaaaaa"
        token = client.post("/api/auth/token", headers=server.headers).json()["token"]
        tries = [client.get("/api/auth/me", headers=bearing(wrong)) for _ in range(12)]
        assert [one.status_code for one in tries] == [401] * 10 + [429] * 2
        assert tries[-1].headers["retry-after"] == "60"
        # Who was let in before is not locked out by that; a key nobody has used yet is not seen.
        for others in (server.headers, bearing(token), server.headers_of("finn", "agent")):
            assert client.get("/api/auth/me", headers=others).status_code == 200
        unused = server.headers_of("maya", "agent")
        guess = unused["Authorization"][7:-8] + "aaaaaaaa"
        tries = [client.get("/api/auth/me", headers=bearing(guess)) for _ in range(10)]
        assert client.get("/api/auth/me", headers=unused).status_code == 429


def test_a_key_in_an_address_is_in_no_log(plain: Memory, caplog: pytest.LogCaptureFixture) -> None:
    target = f"/mcp?token=lmk_{'a' * 16}_{'b' * 52}"
    socketed = "Upgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Version: 13\n"
    socketed += "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
    lied = "X-Forwarded-For: 10.1.2.3\x1b[31m"
    with serving(plain) as server, ExitStack() as after:
        for name in ("uvicorn.access", "uvicorn.error"):
            after.enter_context(caplog.at_level("INFO", name))
            logging.getLogger(name).addHandler(caplog.handler)
            after.callback(logging.getLogger(name).removeHandler, caplog.handler)
        for head in (
            f"GET {target} HTTP/1.1\nHost: localhost",
            f"GET {target} HTTP/1.1\nHost: evil.com",
            f"GET {target} HTTP/1.0",
            f"GET http://localhost{target} HTTP/1.1\nHost: localhost",
            f"GET {target} HTTP/1.1\nHost: localhost\n{socketed}",
            f"GET {target.replace('_', '%2525255f')} HTTP/1.1\nHost: localhost",
            f"GET /healthz HTTP/1.1\nHost: localhost\n{lied}",
        ):
            said(server, head)
    assert len([one for one in caplog.messages if "HTTP/1" in one]) >= 6
    assert not [one for one in caplog.messages if "bbbb" in one or "10.1.2.3" in one]


def test_a_server_that_others_can_reach_needs_keys_and_a_name(plain: Memory) -> None:
    for host in ("0.0.0.0", "::", "", "192.168.1.7", "example.com", "localhost.evil.com", "127.1"):
        assert not is_loopback(host)
        with pytest.raises(InvalidInputError, match="no name"):
            engine_at(plain, host)
        with pytest.raises(InvalidInputError, match="no keys"):
            engine_at(plain, host, [OPEN])
    for name in ("*", "", "a:80", "http://a", "a/b", "a b", "ä"):
        with pytest.raises(InvalidInputError, match="allow-host"):
            engine_at(plain, "127.0.0.1", [name])
    for origin in ("*", "", "null", "a.com", "http://", "https://a/b", "https://u@a"):
        with pytest.raises(InvalidInputError, match="allow-origin"):
            engine_at(plain, "127.0.0.1", [], [origin])
    assert all(is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "127.0.0.5"))
    assert engine_at(plain, "127.0.0.1").hosts == ("127.0.0.1", "localhost", "[::1]")
