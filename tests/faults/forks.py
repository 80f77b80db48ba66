"""A process forks while it has a store open; parent and children all go on with their handle.

Every thread of every process reads and writes, children end in different ways, and in every second
round the parent is killed while its children still have what they inherited.
"""

import random
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import lamina
from tests.faults.child import Child, Line
from tests.faults.children.forker import DIES, THREADS
from tests.faults.children.work import STORE
from tests.faults.expected import Expected
from tests.faults.report import Report, Tell

STYLES = ("quiet", "orphan", "busy", "abrupt")
STUCK_AFTER = 20.0


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Fork in `size` rounds."""
    report = Report("forks", seed, size)
    promises = 0
    for number in range(size):
        style = STYLES[number % len(STYLES)]
        expected = Expected(folder / str(number))
        expected.folder.mkdir()
        child = Child("forker", str(expected.folder), str(seed * 1000 + number), style)
        child.wait_until_ready()
        if style in DIES:
            _kill_the_parent(child, expected, seed)
        said = child.finish(STUCK_AFTER)
        promises += expected.note(said)
        wrong = _violations(child, said, expected, killed=style in DIES)
        report.violations += [f"seed {seed}: round {number}, {style}: {line}" for line in wrong]
        tell(number + 1, size)
    report.figures = {"acknowledged": promises}
    return report


def _kill_the_parent(child: Child, expected: Expected, seed: int) -> None:
    """Kill it while its children still sleep, and see that nobody else is kept waiting."""
    child.wait_for(lambda line: "forked" in line)
    time.sleep(random.Random(f"{seed} {expected.folder.name}").uniform(0, 0.2))
    child.send(signal.SIGKILL)
    with lamina.open(expected.folder / STORE) as mem:
        receipt = mem.remember("strangers may write", key="stranger")
        expected.note([{"did": {"kept": [(receipt.id, receipt.rev, "current", "strangers")]}}])


def _violations(
    child: Child, said: Sequence[Line], expected: Expected, *, killed: bool
) -> Iterator[str]:
    yield from (line["error"] for line in said if "error" in line)
    if not (killed and child.was_killed and child.complaint == f"exit status {-signal.SIGKILL}"):
        yield from ([child.complaint] if child.complaint else [])
    # A killed parent may have been in the middle of a write in each of its threads.
    yield from expected.broken({"remember": None, "at_once": 2 * THREADS} if killed else {})
