"""Tests of other projects out of their source distributions, run with a plugin of ours.

The distribution comes by package name and stays below `build/`; the plugin puts what we offer where
the tests import what they were written for.
"""

import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from tests.conformance.result import Result

# Their folder of tests is called like ours, so ours is found by the path of the plugin alone.
_PYTEST: Final = (
    "import pytest, sys; sys.path.insert(0, sys.argv[1]); sys.exit(pytest.main(sys.argv[2:]))"
)
_DESELECTED: Final = re.compile(r"(\d+) deselected")


@dataclass(frozen=True, slots=True)
class Borrowed:
    """Some files of tests, and how they are run against us."""

    suite: str
    package: str
    """With its version, as pip takes it."""
    files: Sequence[str]
    plugin: str
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Tests that are not run, each with the reason."""
    options: Sequence[str] = ()

    def run(self, work: Path) -> Result:
        """Fetch, unpack, run and count."""
        root = self._unpacked(work)
        log, outcomes = work / "tests.log", work / "tests.xml"
        command = [
            sys.executable, "-c", _PYTEST, str(Path(__file__).parent), "-c", os.devnull,
            f"--rootdir={root}", f"--junitxml={outcomes}", "-q", "--tb=short", "-W", "ignore",
            "-p", self.plugin, "-p", "no:cacheprovider", "--asyncio-mode=auto", *self.options,
            *(f"--deselect={one}" for one in self.left_out), *self.files,
        ]  # fmt: skip
        with log.open("w", encoding="utf-8") as told:
            subprocess.run(command, cwd=root, stdout=told, stderr=subprocess.STDOUT, check=False)
        return self._result(log, outcomes)

    def _result(self, log: Path, outcomes: Path) -> Result:
        # Written by the run above, a moment ago.
        cases = list(ElementTree.parse(outcomes).iter("testcase"))
        failed = [f"{one.get('classname')}::{one.get('name')}" for one in cases if len(one)]
        passed = len(cases) - len(failed)
        told = _DESELECTED.search(log.read_text(encoding="utf-8"))
        if int(told[1] if told else 0) != len(self.left_out):
            failed.append("what is left out is not what there is")
        return Result(
            self.suite, passed, len(cases), tuple(self.left_out.items()), tuple(failed), log
        )

    def _unpacked(self, work: Path) -> Path:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        whole = ["--no-binary", ":all:", self.package, "--dest", str(work)]
        subprocess.run([*pip, *whole], check=True)
        (archive,) = work.glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(work, filter="data")
        (root,) = (path for path in work.iterdir() if path.is_dir())
        return root
