"""The disk is full: writes are refused, reads go on, and with room again everything works."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.faults.report import Report, Tell
from tests.meta.children import environment
from tests.meta.tree import ROOT

SMALL_DISK = 'mount -t tmpfs -o size=3m small "$0" && exec "$@"'


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Fill a disk `size` times, on a real small disk where one may be made, else within a limit."""
    report = Report("full", seed, size)
    kinds = ["disk", "limit"] if _can_mount(folder) else ["limit"]
    refusals: Counter[str] = Counter()
    acknowledged = 0
    for number in range(size):
        root = folder / f"full-{number}"
        root.mkdir()
        kind = kinds[number % len(kinds)]
        found = _fill(kind, root, seed + number)
        where = f"seed {seed}: round {number} ({kind})"
        report.violations += [f"{where}: {one}" for one in found["problems"]]
        refusals.update(found["refusals"])
        acknowledged += found["acknowledged"]
        tell(number + 1, size)
    report.figures = {
        "kinds": kinds, "refusals": dict(refusals), "acknowledged": acknowledged,
    }  # fmt: skip
    return report


def _fill(kind: str, root: Path, seed: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.faults.children.filling", kind, str(root), str(seed)]
    if kind == "disk":
        command = [*_apart(), "sh", "-c", SMALL_DISK, str(root), *command]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    if done.returncode:
        return {"problems": [done.stderr.strip()[-500:]], "refusals": [], "acknowledged": 0}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _apart() -> list[str]:
    """Mounts of its own, which go when it ends; nobody else sees them."""
    return ["unshare", "--map-root-user", "--mount"]


def _can_mount(folder: Path) -> bool:
    if shutil.which("unshare") is None:
        return False
    command = [*_apart(), "sh", "-c", SMALL_DISK, str(folder), "true"]
    return not subprocess.run(command, capture_output=True, check=False).returncode
