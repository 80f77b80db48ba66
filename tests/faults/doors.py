"""The ways in, as a client uses them: a server over HTTP, one on standard streams, the commands."""

import http.client
import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from tests.meta.children import environment
from tests.meta.tree import ROOT

PATIENCE = 60.0
LAMINA = (sys.executable, "-m", "lamina")


class Door(Protocol):
    """One way in, used by one writer."""

    def write(self, text: str) -> str:
        """Have something remembered; the id that it got."""

    def close(self) -> None:
        """Go away."""


class McpDoor:
    """A server on standard streams, spoken to line by line."""

    def __init__(self, place: Path, project: str, name: str) -> None:
        command = ("mcp", "--dir", str(place), "--project", project, "--as", name)
        self._process = subprocess.Popen(
            [*LAMINA, *command], cwd=ROOT, env=environment(), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._name = name
        self._numbers = itertools.count(1)

    def greet(self) -> None:
        """Begin, as every client does; several of them start sooner together."""
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        self._ask("initialize", {**hello, "clientInfo": {"name": self._name, "version": "1"}})
        self._send({"method": "notifications/initialized"})

    def write(self, text: str) -> str:
        """Call the tool `remember`."""
        asked = {"name": "remember", "arguments": {"text": text, "shared": True}}
        answer = self._ask("tools/call", asked)
        assert not answer.get("isError"), answer
        found: str = answer["structuredContent"]["id"]
        return found

    def close(self) -> None:
        """Close its input, upon which it ends."""
        self._process.communicate(timeout=PATIENCE)
        assert self._process.returncode == 0, f"it ended with {self._process.returncode}"

    def _ask(self, method: str, given: dict[str, Any]) -> dict[str, Any]:
        number = next(self._numbers)
        self._send({"id": number, "method": method, "params": given})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == number:
                assert "result" in answer, answer
                found: dict[str, Any] = answer["result"]
                return found
        raise AssertionError(f"the server ended with {self._process.wait()}")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()


class HttpDoor:
    """A connection to the server over HTTP, kept open."""

    def __init__(self, port: int, headers: dict[str, str], scope: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._headers = {**headers, "Content-Type": "application/json"}
        self._scope = scope

    def write(self, text: str) -> str:
        """Post a record."""
        body = json.dumps({"text": text, "scope": self._scope})
        self._connection.request("POST", "/api/records", body, self._headers)
        answer = self._connection.getresponse()
        told = json.loads(answer.read())
        assert answer.status == http.client.OK, told
        found: str = told["outcomes"][0]["id"]
        return found

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


class CliDoor:
    """The command line, a process each time."""

    def __init__(self, place: Path, scope: str) -> None:
        self._options = ("--json", "--dir", str(place), "--scope", scope)

    def write(self, text: str) -> str:
        """Run `lamina remember`."""
        found: str = run("remember", text, *self._options)["outcomes"][0]["id"]
        return found

    def close(self) -> None:
        """There is nothing to close."""


def run(*command: str) -> Any:
    """Run a command of the command line; what it says as JSON."""
    done = subprocess.run(
        [*LAMINA, *command], cwd=ROOT, env=environment(),
        capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, f"lamina {command[0]} ended with {done.returncode}: {done.stderr}"
    return json.loads(done.stdout)


@contextmanager
def serving(place: Path) -> Iterator[int]:
    """A server over HTTP in a process of its own; yields its port."""
    command = ("serve", "--port", "0", "--dir", str(place), "--json")
    with subprocess.Popen(
        [*LAMINA, *command], cwd=ROOT, env=environment(),
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            told = process.stdout.readline()
            assert told, f"the server ended with {process.wait(PATIENCE)}"
            yield int(json.loads(told)["url"].rpartition(":")[2])
        finally:
            process.terminate()
            process.wait(PATIENCE)
