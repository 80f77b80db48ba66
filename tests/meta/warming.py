"""What is asked of the process in `warm.py`: commands of `lamina`, and modules of the tests.

There is one for each process that asks, and it ends with it. What it runs is the `lamina` that the
asking process has imported.
"""

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import lamina
from tests.meta.children import environment

WARM = Path(__file__).with_name("warm.py")
SHIM = """#!/bin/sh
case " $* " in
    *" serve "* | *" mcp "*) exec "{python}" -m lamina.surfaces.cli.main "$@" ;;
esac
exec {call} "$@"
"""
_starting = threading.Lock()
_doors: dict[int, Path] = {}


def warm_program() -> list[str]:
    """The beginning of a command line that has a command of `lamina` run."""
    return [sys.executable, "-I", "-S", "-X", "utf8", str(WARM), "call", str(_door())]


def warm_scripts() -> Path:
    """A folder with a `lamina` for a shell to find first.

    What stays until somebody ends it (`serve`, `mcp`) is started as usual, so that a signal finds
    it.
    """
    scripts = _door().parent / "bin"
    if not scripts.exists():
        scripts.mkdir()
        call = " ".join(f'"{word}"' for word in warm_program())
        shim = SHIM.format(python=sys.executable, call=call)
        (scripts / "lamina").write_text(shim, encoding="utf-8")
        (scripts / "lamina").chmod(0o755)
    return scripts


class WarmChild:
    """A module in a process and a session of its own, with pipes to it."""

    def __init__(self, module: str, *words: str, cwd: Path, errors: int) -> None:
        read_in, write_in = os.pipe()
        read_out, write_out = os.pipe()
        self.stdin = os.fdopen(write_in, "wb")
        self.stdout = os.fdopen(read_out, "rb")
        self.returncode: int | None = None
        asked = {
            "module": module, "words": words, "cwd": str(cwd), "env": environment(),
            "session": True,
        }  # fmt: skip
        with socket.socket(socket.AF_UNIX) as door:
            door.connect(str(_door()))
            handles = [read_in, write_out, errors]
            socket.send_fds(door, [json.dumps(asked).encode() + b"\n"], handles)
            self._told = door.makefile()
        os.close(read_in)
        os.close(write_out)
        self.pid = int(self._told.readline())

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal, unless its end is known."""
        if self.returncode is None:
            # It may have ended by itself since.
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(signal.SIGKILL)

    def wait(self) -> int:
        """Its status once it has ended; a signal that ended it is a negative number."""
        if self.returncode is None:
            with self._told:
                self.returncode = int(self._told.readline())
        return self.returncode


def _door() -> Path:
    """Where the process of this one listens; it is started when it is first needed."""
    with _starting:
        if os.getpid() not in _doors:
            _doors[os.getpid()] = _started()
        return _doors[os.getpid()]


def _started() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="lamina-warm-"))
    source = str(Path(lamina.__file__).resolve().parents[1])
    server = subprocess.Popen(
        [sys.executable, "-P", "-X", "utf8", str(WARM), "serve", str(folder / "door")],
        env=environment(PYTHONPATH=source), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    atexit.register(_end, server, folder, os.getpid())
    return folder / "door"


def _end(server: subprocess.Popen[bytes], folder: Path, owner: int) -> None:
    # A fork of the owner has the same duties at its end, but the server is not its own.
    if os.getpid() == owner:
        server.communicate()
        shutil.rmtree(folder, ignore_errors=True)
