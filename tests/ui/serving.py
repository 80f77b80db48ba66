"""A real server in a process of its own, that can be killed and started again on the same port."""

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Self
from urllib.request import Request, urlopen

import lamina
from lamina import Memory

LAMINA = (sys.executable, "-m", "lamina")


class Server:
    """`lamina serve` on a store, by the clock or at one moment for ever."""

    def __init__(self, store: Path, moment: datetime | None = None) -> None:
        self.store = store
        self._command: tuple[str, ...] = LAMINA
        self.poisoned: list[str] = []
        """What attacks, where a test has put that in."""
        if moment is not None:
            self._command = (sys.executable, "-m", "tests.ui.moment", moment.isoformat())
        self.port = 0
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def key(self) -> str:
        """The owner's."""
        return (self.store / "server.key").read_text(encoding="utf-8").strip()

    def start(self) -> Self:
        """Start it, on the port that it had before."""
        command = [*self._command, "--dir", str(self.store), "serve", "--port", str(self.port)]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        self.port = int(said.strip().rpartition(":")[2])
        return self

    def kill(self) -> None:
        """End it without a warning."""
        assert self._process is not None
        self._process.kill()
        self._process.communicate()

    def entry(self, key: str = "") -> str:
        """An address that lets a browser in, once; as the owner, or as who has the key."""
        shown = {"Authorization": f"Bearer {key or self.key}"}
        asked = Request(f"{self.url}/api/auth/codes", method="POST", headers=shown)
        with urlopen(asked, timeout=30) as answer:
            return f"{self.url}/#/enter/{json.loads(answer.read())['code']}"

    def entry_of_command(self) -> str:
        """The same, as `lamina ui` tells it."""
        command = [*LAMINA, "--dir", str(self.store), "ui", "--port", str(self.port)]
        done = subprocess.run(
            [*command, "--no-browser"], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def memory(self) -> Memory:
        """The same store, from this process."""
        return lamina.open(self.store)
