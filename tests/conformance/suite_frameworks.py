"""Adapters for frameworks that cannot share an environment with the others, each tried beside it.

Google's ADK and LangGraph pin packages against each other, so these have an environment of their
own. The tests are ours; what they are held against is the service that the framework ships.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from tests.conformance.result import Result

_PACKAGES: Final = ("google-adk==2.13.0", "pydantic-ai-slim==2.66.0", "pytest==9.2.0")
_TRIED: Final = {"Google ADK memory service": "try_adk", "Pydantic AI memory": "try_pydantic_ai"}
_NEEDED: Final = ("anyio", "apsw", "click", "cryptography", "numpy", "rich", "threadpoolctl")


def run(work: Path) -> list[Result]:
    """Make the environment, and try each in it."""
    python = work / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(work / "venv")], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *_PACKAGES, *_NEEDED], check=True)
    return [_tried(python, work, suite, name) for suite, name in _TRIED.items()]


def _tried(python: Path, work: Path, suite: str, name: str) -> Result:
    log, outcomes = work / f"{name}.log", work / f"{name}.xml"
    command = [
        str(python), "-m", "pytest", "-c", os.devnull, "--rootdir=.", "--noconftest", "-q",
        "-p", "no:cacheprovider", "-W", "ignore", f"--junitxml={outcomes}",
        str(Path(__file__).parent / f"{name}.py"),
    ]  # fmt: skip
    source = Path(__file__).parents[2] / "src"
    with log.open("w", encoding="utf-8") as told:
        subprocess.run(
            ["env", f"PYTHONPATH={source}", *command],
            stdout=told, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    cases = list(ElementTree.parse(outcomes).iter("testcase"))
    failed = tuple(f"{one.get('classname')}::{one.get('name')}" for one in cases if len(one))
    return Result(suite, len(cases) - len(failed), len(cases), failed=failed, log=log)


if __name__ == "__main__":
    from tests.conformance.run import main

    sys.exit(main(["frameworks"]))
