"""Starting the byte scan of `lamina.stores.scan` and reading its answer."""

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from lamina.errors import StoreError
from lamina.stores import scan
from lamina.stores.base import ScrubReport


def look(paths: Iterable[Path], needles: Sequence[bytes]) -> ScrubReport:
    """Look for the needles in the files, from a process that holds no lock on them."""
    files = sorted(str(path) for path in paths if not path.is_symlink())
    done = subprocess.run(
        [sys.executable, "-I", "-S", scan.__file__],
        input=json.dumps([files, [needle.hex() for needle in needles]]),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise StoreError(f"the files could not be scanned: {done.stderr.strip()[-200:]}")
    answer = json.loads(done.stdout)
    return ScrubReport(answer["files"], answer["bytes"], tuple(sorted(answer["hits"])))
