"""`lamina serve` as a process: it says where it listens, and ends when it is asked to."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

import lamina
from lamina.tokens import Keys
from tests.serving import bearing


def _lamina(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "lamina", *arguments]


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_it_is_asked_to_end(tmp_path: Path, ending: signal.Signals) -> None:
    folder = str(tmp_path / "store")
    with lamina.open(folder) as memory:
        memory.configure("recall.embedder", "off")
        headers = bearing(Keys(memory).create("user", "admin").text)
    command = _lamina("serve", "--dir", folder, "--port", "0", "--upkeep", "1h", "--json")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        told = b""
        while b"}" not in told:
            told += server.stdout.readline()
        url = json.loads(told)["url"]
        kept = httpx2.post(f"{url}/api/records", json={"text": "alive"}, headers=headers)
        assert kept.status_code == 200
        taken = subprocess.run(
            _lamina("serve", "--dir", folder, "--port", url.rpartition(":")[2], "--json"),
            capture_output=True, check=False,
        )  # fmt: skip
        assert json.loads(taken.stdout)["error"]["code"] == "busy"
        server.send_signal(ending)
        assert server.wait(20) == 0
        assert server.stderr.read() == b""
    with lamina.open(folder) as memory:
        assert [one.text for one in memory.query({"layer": "knowledge"})] == ["alive"]
    with pytest.raises(OSError), socket.create_connection(("127.0.0.1", int(url.split(":")[2]))):
        pass


def test_without_its_packages_it_says_how_to_get_them(tmp_path: Path) -> None:
    hidden = (
        "import sys; sys.modules['uvicorn'] = None; from lamina.surfaces.cli.main import main; "
    )
    call = f"sys.exit(main(['serve', '--dir', {str(tmp_path)!r}, '--json']))"
    child = subprocess.run([sys.executable, "-c", hidden + call], capture_output=True, check=False)
    error = json.loads(child.stdout)["error"]
    assert (child.returncode, error["code"]) == (6, "unsupported")
    assert "lamina[server]" in error["remedy"]
    assert not list(tmp_path.iterdir())
