"""Redis servers of the tests' own: real ones, on sockets of their own, that can be killed."""

from __future__ import annotations

import ctypes
import itertools
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from redis import Redis
from redis.exceptions import RedisError

if TYPE_CHECKING:
    from pathlib import Path

_LONG = 20.0
_DIE_WITH_PARENT = 1
_numbers = itertools.count(1)
needs_redis = pytest.mark.skipif(
    shutil.which("redis-server") is None, reason="there is no redis-server"
)


class RedisServer:
    """A server in a folder, on a socket there; it dies with the process that started it."""

    def __init__(self, folder: Path, *options: str, port: int = 0) -> None:
        self.folder = folder
        self._options = options
        self.port = port
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self.folder / "redis.sock"

    def url(self, prefix: str = "lamina", *, password: str = "") -> str:
        """Its address."""
        secret = f"&password={password}" if password else ""
        return f"unix://{self.socket}?prefix={prefix}{secret}"

    def fresh_url(self) -> str:
        """Its address with a prefix that nobody has used yet."""
        return self.url(f"t{next(_numbers)}")

    def start(self, *options: str) -> RedisServer:
        """Start it, and wait until it answers."""
        self.socket.unlink(missing_ok=True)
        self._process = subprocess.Popen(
            [
                "redis-server", "--port", str(self.port), "--unixsocket", str(self.socket),
                "--dir", str(self.folder), "--save", "", "--loglevel", "warning",
                "--logfile", str(self.folder / "redis.log"), *self._options, *options,
            ],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=_die_with_parent,
        )  # fmt: skip
        end = time.monotonic() + _LONG
        while not self._answers():
            assert self._process.poll() is None, (self.folder / "redis.log").read_text()
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.005)
        return self

    def client(self, **options: Any) -> Redis:
        """A plain client of its own, to do what Lamina would not."""
        return Redis(unix_socket_path=str(self.socket), **options)

    def kill(self) -> None:
        """End it as a power cut would end the process."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def pause(self) -> None:
        """Let it answer nobody, and yet be there."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _answers(self) -> bool:
        with suppress(RedisError, OSError):
            with self.client() as client:
                client.ping()
            return True
        # One that asks for a password answers as well.
        with suppress(OSError), socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self.socket))
            line.sendall(b"PING\r\n")
            return line.recv(7) == b"-NOAUTH"
        return False


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
