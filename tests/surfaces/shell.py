"""Running `lamina` as a person or a program would: in a process, on a terminal, or in this one."""

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import lamina as package
from lamina.surfaces.cli.main import main
from tests.meta.children import environment
from tests.meta.warming import warm_program

SOURCE = str(Path(package.__file__).resolve().parents[1])
PROGRAM = [sys.executable, "-m", "lamina.surfaces.cli.main"]
_DROP_CAPABILITY = 24
_OVERRIDE_MODES = (1, 2)


class Answer(NamedTuple):
    """What a run left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Call = Callable[..., Answer]


def run(
    *arguments: str | bytes, cwd: Path | None = None, stdin: bytes = b"", as_root: bool = True
) -> Answer:
    """Run `lamina` in a process of its own, whose home is its working directory."""
    done = subprocess.run(
        # Who gives up a right does so before the program starts.
        [*(warm_program() if as_root else PROGRAM), *arguments],
        cwd=cwd,
        env=clean_environment(cwd or Path.cwd()),
        input=stdin,
        capture_output=True,
        timeout=50,
        check=False,
        preexec_fn=None if as_root else heed_modes,
    )
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


def clean_environment(home: Path) -> dict[str, str]:
    """An environment in which nothing of ours is set."""
    ours = dict.fromkeys(("EDITOR", "VISUAL", "LAMINA_DEBUG", "LAMINA_DIR", "LAMINA_PROJECT"), "")
    return environment(HOME=str(home), USERPROFILE=str(home), PYTHONPATH=SOURCE, **ours)


def heed_modes() -> None:
    """Make the mode of a directory count for root as well."""
    if os.geteuid() == 0:
        for capability in _OVERRIDE_MODES:
            ctypes.CDLL(None).prctl(_DROP_CAPABILITY, capability, 0, 0, 0)


def caller(capsys: pytest.CaptureFixture[str], folder: Path) -> Call:
    """Call `lamina` in this process on a store in `folder`."""

    def call(*arguments: str) -> Answer:
        capsys.readouterr()
        status = main(["--dir", str(folder), *arguments])
        return Answer(status, *capsys.readouterr())

    return call


def on_terminal(*arguments: str, cwd: Path, typed: bytes = b"", columns: int = 100) -> Answer:
    """Run `lamina` on a terminal and type something."""
    import pty

    ours, theirs = pty.openpty()
    size = {"COLUMNS": str(columns), "LINES": "40"}
    env = clean_environment(cwd) | {"TERM": "xterm-256color", **size}
    child = subprocess.Popen(
        [*warm_program(), *arguments], cwd=cwd, env=env, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    os.write(ours, typed)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:
        # Linux reports the end of a terminal as an error.
        pass
    finally:
        os.close(ours)
    return Answer(child.wait(timeout=50), shown.decode(), "")
