"""Running things in a process of their own, with the environment said out loud."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


def environment(**changes: str) -> dict[str, str]:
    """What a child inherits: ours, with this interpreter's scripts found first."""
    scripts = str(Path(sys.executable).parent)
    path = os.pathsep.join([scripts, os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "PYTHONUTF8": "1", **changes}


def run_python(
    *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run this interpreter and return its output; the caller judges the exit status."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment() if env is None else env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=50,
        check=False,
    )
