"""Child processes that run under a fault: started, listened to, stopped and killed."""

import json
import os
import signal
import tempfile
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any

from tests.meta.tree import ROOT
from tests.meta.warming import WarmChild

Line = dict[str, Any]
PATIENCE = 120.0
"""Seconds until a child that says nothing counts as stuck; far beyond what any fault needs."""


class Child:
    """A module of `tests.faults.children` in a process of its own, saying a JSON line at a time."""

    def __init__(self, module: str, *arguments: str) -> None:
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it has ended
        # Its session is its own, so that what it forked can be ended with it.
        self._process = WarmChild(
            f"tests.faults.children.{module}", *arguments,
            cwd=ROOT, errors=self._complaints.fileno(),
        )  # fmt: skip
        self.lines: list[Line] = []
        self.heard_at: list[float] = []
        self.complaint = ""
        self._ended = False
        self._news = threading.Condition()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def was_killed(self) -> bool:
        """Whether it ended because we killed it."""
        return self._process.returncode == -signal.SIGKILL

    def wait_for(self, wanted: Callable[[Line], bool], seconds: float = PATIENCE) -> Line | None:
        """The first line of the kind; nothing if the child ended, or said none for so long."""
        deadline = monotonic() + seconds
        with self._news:
            while True:
                if found := next(filter(wanted, self.lines), None):
                    return found
                if self._ended or not self._news.wait(max(0.0, deadline - monotonic())):
                    return None

    def wait_until_ready(self) -> None:
        """Wait for its first line; a child that dies before it says so raises."""
        if self.wait_for(lambda line: True) is None:
            self.send(signal.SIGKILL)
            self.finish()
            raise ChildProcessError(f"a child did not start: {self.complaint}")

    def say(self, line: str) -> None:
        """Write a line to its standard input."""
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def kill(self) -> list[Line]:
        """Kill it, and return what it had said."""
        self._process.kill()
        return self.finish()

    def finish(self, seconds: float = PATIENCE) -> list[Line]:
        """Close its standard input, wait for its end and return what it said.

        It has ended when its own children have ended as well. One that does not is killed, and
        that is its complaint.
        """
        self._process.stdin.close()
        self._listener.join(seconds)
        stuck = self._listener.is_alive()
        if stuck:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._listener.join()
        status = self._process.wait()
        self._complaints.seek(0)
        self.complaint = self._complaints.read().decode(errors="replace").strip()[-2000:]
        self._complaints.close()
        if stuck:
            self.complaint = f"it never ended; {self.complaint}"
        elif status and not self.complaint:
            self.complaint = f"exit status {status}"
        return self.lines

    def _listen(self) -> None:
        with self._process.stdout as said:
            for line in said:
                # A line without its end was still being said when the process died.
                if line.endswith(b"\n"):
                    with self._news:
                        self.heard_at.append(monotonic())
                        self.lines.append(json.loads(line))
                        self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()
