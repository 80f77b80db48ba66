"""`lamina ui` where something listens already: its own server, another's, or somebody else."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest

import lamina
from lamina import Memory
from lamina.surfaces.cli.main import main
from tests.places import plain
from tests.serving import serving

__all__ = ["plain"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store that nobody has asked for a key of yet."""
    return _made(tmp_path / "store")


def _made(folder: Path) -> Path:
    with lamina.open(folder) as memory:
        memory.configure("recall.embedder", "off")
    return folder


def opened(folder: Path, port: int, capsys: pytest.CaptureFixture[str]) -> tuple[int, Any]:
    """How `lamina ui` ends on a port, and what it says."""
    status = main(["--dir", str(folder), "--json", "ui", "--port", str(port), "--no-browser"])
    return status, json.loads(capsys.readouterr().out)


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


@contextmanager
def somebody(answer: bytes) -> Iterator[tuple[int, list[str]]]:
    """Listens on a port, says the same whatever it is asked, and keeps what it hears."""
    heard: list[str] = []

    class Listening(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            heard.append(f"{self.requestline}\n{self.headers}{self.rfile.read(size).decode()}")
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_said: Any) -> None:
            """It is heard by the test alone."""

    with HTTPServer(("127.0.0.1", 0), Listening) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], heard
        server.shutdown()


def test_a_server_of_the_store_is_used(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with lamina.open(folder) as memory, serving(memory) as served:
        status, told = opened(folder, port_of(served.url), capsys)
        assert status == 0
        address, _, code = told["url"].partition("/#/enter/")
        assert address == served.url
        entered = httpx2.post(f"{served.url}/api/auth/enter", json={"code": code})
        assert entered.json()["principal"]["role"] == "admin"


def test_a_server_of_another_store_is_not(
    folder: Path, plain: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(plain) as served:
        status, told = opened(folder, port_of(served.url), capsys)
    assert (status, told["error"]["code"]) == (75, "busy")
    assert "--port 0" in told["error"]["remedy"]


@pytest.mark.parametrize(
    "answer",
    [b"", b"hello", b"[]", b"{}", b'{"next_code": 7}', b'{"next_code": "lmc_nothing"}',
     b"x" * 100_000],
)  # fmt: skip
def test_whoever_listens_is_shown_no_key(
    folder: Path, capsys: pytest.CaptureFixture[str], answer: bytes
) -> None:
    with somebody(answer) as (port, heard):
        status, told = opened(folder, port, capsys)
    assert (status, told["error"]["code"]) == (75, "busy")
    [said] = heard
    assert "lmc_" in said
    assert "lmk_" not in said


def test_it_signs_in_the_owner_and_nobody_else(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--dir", str(folder), "--json", "--role", "reader", "ui", "--port", "0"]
    assert main(asked) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == "invalid_input"
    assert "lamina token create" in error["remedy"]


def test_no_proxy_is_asked(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with somebody(b"{}") as (proxy, heard), lamina.open(folder) as memory:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy}")
        with serving(memory) as served:
            assert opened(folder, port_of(served.url), capsys)[0] == 0
    assert heard == []
