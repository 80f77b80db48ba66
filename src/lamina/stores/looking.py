"""Starting the byte scan of `lamina.stores.scan` and reading its answer."""

import json
import subprocess
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lamina.errors import StoreError
from lamina.stores import scan
from lamina.stores.base import ScrubReport


@dataclass(frozen=True, slots=True)
class Sighting:
    """Which needles lie in which files."""

    files: int
    bytes: int
    hits: dict[str, list[int]]
    unread: tuple[str, ...] = ()

    def report(self, explained: Collection[int]) -> ScrubReport:
        """The report, less the needles that a remaining record explains."""
        residue = (name for name, found in self.hits.items() if set(found) - set(explained))
        return ScrubReport(self.files, self.bytes, tuple(sorted(residue)), self.unread)


def look(paths: Iterable[Path], needles: Sequence[bytes]) -> Sighting:
    """Look for the needles in the files, from a process that holds no lock on them."""
    try:
        files = sorted(str(path) for path in paths if not path.is_symlink())
        done = subprocess.run(
            [sys.executable, "-I", "-S", scan.__file__],
            input=json.dumps([files, [needle.hex() for needle in needles]]),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    except OSError as error:
        raise StoreError(f"the files could not be scanned: {error.strerror}") from error
    if done.returncode:
        raise StoreError(f"the files could not be scanned: {done.stderr.strip()[-200:]}")
    answer = json.loads(done.stdout)
    unread = tuple(sorted(answer["unread"]))
    return Sighting(answer["files"], answer["bytes"], answer["hits"], unread)
