"""`lamina serve` as a process: it says where it listens, and ends when it is asked to."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

import lamina
import lamina.surfaces.http
from lamina.errors import BusyError, InvalidInputError
from lamina.surfaces.cli.main import main
from lamina.surfaces.cli.serve import callable_name
from lamina.surfaces.http.running import bind
from lamina.tokens import Keys
from tests.serving import bearing


def test_it_serves_until_it_is_asked_to_end(tmp_path: Path) -> None:
    folder = str(tmp_path / "store")
    with lamina.open(folder) as memory:
        memory.configure("recall.embedder", "off")
        headers = bearing(Keys(memory).create("user", "admin").text)
    command = [sys.executable, "-m", "lamina", "serve", "--dir", folder, "--port", "0"]
    with subprocess.Popen(
        [*command, "--upkeep", "1h", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        told = b""
        while b"}" not in told:
            told += server.stdout.readline()
        url = json.loads(told)["url"]
        kept = httpx2.post(f"{url}/api/records", json={"text": "alive"}, headers=headers)
        assert kept.status_code == 200
        server.send_signal(signal.SIGTERM)
        assert server.wait(20) == 0
        assert server.stderr.read() == b""
    with lamina.open(folder) as memory:
        assert [one.text for one in memory.query({"layer": "knowledge"})] == ["alive"]


def test_a_place_that_cannot_be_listened_on_is_told() -> None:
    with bind("127.0.0.1", 0) as taken, pytest.raises(BusyError, match="is taken"):
        bind("127.0.0.1", taken.getsockname()[1])
    with pytest.raises(InvalidInputError, match="`host`"):
        bind("192.0.2.1", 8484)


def test_without_its_packages_it_says_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "lamina.surfaces.http.running", None)
    monkeypatch.delattr(lamina.surfaces.http, "running")
    assert main(["serve", "--dir", str(tmp_path), "--json"]) == 6
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == "unsupported"
    assert "lamina[server]" in error["remedy"]
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["bench", "http", "--json"]) == 6
    assert "lamina[server]" in json.loads(capsys.readouterr().out)["error"]["remedy"]
    assert not list(tmp_path.iterdir())


def test_the_line_to_try_is_one_that_a_shell_takes(tmp_path: Path) -> None:
    folder = tmp_path / "Meine Märchen"
    with lamina.open(folder) as memory:
        memory.configure("recall.embedder", "off")
    command = [sys.executable, "-m", "lamina", "serve", "--dir", str(folder), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        tried = next(one for one in server.stderr if one.startswith("Try: "))
        line = tried.removeprefix("Try: ").replace("curl", "curl -sS --fail")
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
        server.terminate()
    assert json.loads(done.stdout)["records"] == []


@pytest.mark.parametrize(
    ("host", "names", "called"),
    [
        ("127.0.0.1", (), "127.0.0.1"), ("::1", (), "[::1]"),
        ("0.0.0.0", ("memory.example.com", "other"), "memory.example.com"), ("::", (), "127.0.0.1"),
    ],
)  # fmt: skip
def test_the_address_that_is_told_is_one_it_answers_to(
    host: str, names: tuple[str, ...], called: str
) -> None:
    assert callable_name(host, names) == called


@pytest.mark.parametrize("given", ["", "nowhere"])
def test_a_workspace_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: str
) -> None:
    asked = ["--dir", str(tmp_path / "store"), "--json", "serve", "--port", "0"]
    assert main([*asked, "--workspace", given]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert "`--workspace` is not a folder" in error["message"]
    assert error["remedy"]


@pytest.mark.parametrize(
    ("option", "value"), [("records", "0"), ("records", "-1"), ("rounds", "0")]
)
def test_what_cannot_be_measured_is_refused_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    asked = ["--dir", str(tmp_path), "--json", "bench", "ui", f"--{option}", value]
    assert main(asked) == 2
    assert f"`{option}` must be from 1" in json.loads(capsys.readouterr().out)["error"]["message"]
