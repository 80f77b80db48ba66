"""`lamina serve` on a store in a database, as processes of their own."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx2

from tests.meta.children import environment
from tests.meta.tree import ROOT
from tests.surfaces.shell import SOURCE, Answer

_PATIENCE_SECONDS = 40.0


class Started:
    """One server that runs, and how to call it."""

    def __init__(self, process: "subprocess.Popen[bytes]", url: str, errors: Path) -> None:
        self.process = process
        self.url = url
        self._errors = errors
        self.headers: dict[str, str] = {}

    def call(self, method: str, path: str, **more: Any) -> httpx2.Response:
        """Ask it something, as the store's owner."""
        return httpx2.request(
            method, self.url + path, headers=self.headers, timeout=_PATIENCE_SECONDS, **more
        )

    def keep(self, text: str) -> httpx2.Response:
        """Have it keep a memory."""
        return self.call("POST", "/api/records", json={"text": text})

    def texts(self) -> list[str]:
        """What it has kept."""
        found = self.call("GET", "/api/records?layer=knowledge&limit=1000")
        return [record["text"] for record in found.json()["records"]]

    def kill(self) -> None:
        """End it without a word."""
        self.process.kill()
        self.process.wait(_PATIENCE_SECONDS)

    @property
    def log(self) -> str:
        """What it wrote about itself."""
        return self._errors.read_text("utf-8", errors="replace")


@contextmanager
def started(address: str, home: Path, *options: str, program: str = "lamina") -> Iterator[Started]:
    """A server on a store, whose user has that home; ends in order."""
    with ExitStack() as stack:
        errors = stack.enter_context(
            tempfile.NamedTemporaryFile(dir=home, prefix="server-", suffix=".log")
        )
        process = subprocess.Popen(
            [sys.executable, "-m", program, "serve", "--port", "0", "--json", *options],
            stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, cwd=home,
            env=surroundings(address, home),
        )  # fmt: skip
        stack.callback(_end, process)
        assert process.stdout is not None
        stack.enter_context(process.stdout)
        line = process.stdout.readline()
        log = Path(errors.name)
        assert line, log.read_text()
        yield Started(process, json.loads(line)["url"], log)


def surroundings(address: str, home: Path) -> dict[str, str]:
    """The environment of a process on a store, whose user has that home."""
    ours = {"LAMINA_DIR": address, "HOME": str(home), "LAMINA_PROJECT": "", "LAMINA_KEYS": ""}
    return environment(PYTHONPATH=os.pathsep.join((SOURCE, str(ROOT))), **ours)


def ran(address: str, home: Path, program: str, *arguments: str) -> Answer:
    """What came of a command of one version of Lamina or another."""
    done = subprocess.run(
        [sys.executable, "-m", program, *arguments],
        env=surroundings(address, home), cwd=home, capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip
    return Answer(done.returncode, done.stdout, done.stderr)


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(_PATIENCE_SECONDS)


def until(true: Any, seconds: float = _PATIENCE_SECONDS) -> None:
    """Wait until something is so."""
    deadline = monotonic() + seconds
    while not true():
        assert monotonic() < deadline, "it did not come about"
        sleep(0.05)
