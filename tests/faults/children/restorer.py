"""Back up and restore in forked processes, each killed at a step or after a time.

`python -m tests.faults.children.restorer` takes one JSON object a line: what to do, with which
arguments, and when to die: before its n-th step (a file opened, renamed, linked, locked or
removed), or after so many seconds. It says what became of it.
"""

import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import lamina
from tests.faults.children.work import say

STEPS = frozenset(
    ("open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "fcntl.flock")
)


def main() -> None:
    """Carry out one order after the other until standard input ends."""
    with tempfile.TemporaryDirectory() as elsewhere:
        # What is imported at first use would otherwise be loaded by each of them.
        _backup(Path(elsewhere) / "store", Path(elsewhere) / "backup")
        _restore(Path(elsewhere) / "store", Path(elsewhere) / "backup")
    say({"ready": True})
    for line in sys.stdin:
        say(_carry_out(json.loads(line)))


def _carry_out(order: dict[str, Any]) -> dict[str, Any]:
    answers, answering = os.pipe()
    begun = time.monotonic()
    child = os.fork()
    if not child:
        _work(order, answering)
    os.close(answering)
    if order.get("seconds") is not None:
        time.sleep(order["seconds"])
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    with os.fdopen(answers, "rb") as said:
        answer = json.loads(said.read() or b"{}")
    killed = os.waitstatus_to_exitcode(status) == -signal.SIGKILL
    return {**answer, "killed": killed, "seconds": time.monotonic() - begun}


def _work(order: dict[str, Any], answering: int) -> None:
    steps = _Steps(order.get("step"))
    sys.addaudithook(steps)
    error = None
    try:
        what = {"backup": _backup, "restore": _restore}[order["what"]]
        what(Path(order["store"]), Path(order["backup"]))
    except BaseException as failure:
        error = repr(failure)
    steps.number_to_die_at = None
    os.write(answering, json.dumps({"steps": steps.done, "error": error}).encode())
    os._exit(0)


class _Steps:
    """Counts what is done to files, and dies before a given one."""

    def __init__(self, number_to_die_at: int | None) -> None:
        self.number_to_die_at = number_to_die_at
        self.done = 0

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in STEPS or str(arguments[0]).endswith((".py", ".pyc")):
            return
        self.done += 1
        if self.done == self.number_to_die_at:
            os.kill(os.getpid(), signal.SIGKILL)


def _backup(store: Path, backup: Path) -> None:
    with lamina.open(store) as mem:
        mem.backup(backup)


def _restore(store: Path, backup: Path) -> None:
    lamina.restore(backup, store, replace=True)


if __name__ == "__main__":
    main()
