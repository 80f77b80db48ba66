"""The N-th system call fails: an error once or from then on, or a write that writes nothing.

Each operation is watched once to count its calls; every one of those calls is then a case.
"""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

import lamina
from lamina import Memory
from lamina.errors import LaminaError
from lamina.stores.sql.driver import one
from lamina.stores.sqlite import DATABASE, driver
from tests.faults.agreement import complaints, disagreements
from tests.faults.children.victim import OPERATIONS, SECRET, STORE, prepare
from tests.faults.report import Report, Tell
from tests.faults.tracing import memory, strace
from tests.meta.children import environment
from tests.meta.tree import ROOT

ERRORS = {"fails": "error=EIO", "is out of space": "error=ENOSPC"}
LASTING = {"fails from then on": "error=EIO"}
NOTHING = {"writes nothing": "retval=0"}
FAULTS = {
    "openat": ERRORS,
    "pread64": {"fails": "error=EIO", **LASTING},
    "pwrite64": {**ERRORS, **LASTING, **NOTHING},
    "write": {**ERRORS, **LASTING, **NOTHING},
    "ftruncate": {**ERRORS, **LASTING},
    "fsync": {**ERRORS, **LASTING},
    "fdatasync": {**ERRORS, **LASTING},
    "rename": {**ERRORS, **LASTING},
    "unlink": {**ERRORS, **LASTING},
    "linkat": {**ERRORS, **LASTING},
    "mkdir": {**ERRORS, **LASTING},
}
"""What may go wrong with each call, and how `strace` is told.

An open that fails for ever is left out: it would hit the interpreter and the package as well.
"""
LIMITS = range(0, 240_000, 12_000)
"""Largest file sizes: a write across one of them is cut short, as on a disk that is almost full."""
PATIENCE_SECONDS = 90
Said = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Case:
    """One call of one operation, and what becomes of it."""

    operation: str
    call: str
    number: int
    fault: str

    @property
    def injection(self) -> list[str]:
        """The options of `strace`; none where a limit does the work."""
        if not self.call:
            return []
        how = FAULTS[self.call][self.fault]
        since = "+" if self.fault in LASTING else ""
        inject = f"inject={self.call}:{how}:when={self.number}{since}"
        return ["-e", f"trace={self.call}", "-e", inject]

    @property
    def limit(self) -> int | None:
        """The largest file size, for a case that is one."""
        return None if self.call else self.number

    def __str__(self) -> str:
        if not self.call:
            return f"{self.operation}, no file above {self.number} bytes"
        return f"{self.operation}, {self.call} {self.number} {self.fault}"


class Victim:
    """The process that suffers, and the program that makes it."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "strace.log"
        noise = (folder / "noise").open("wb")
        # A handle of its own: a shared one would stand where the victim wrote last.
        self._noise = (folder / "noise").open("rb")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.children.victim"],
            cwd=ROOT, env=environment(), bufsize=0, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=noise,
        )  # fmt: skip
        noise.close()
        self._hear()

    def suffer(self, operation: str, root: Path, options: Sequence[str], limit: int | None) -> Said:
        """Let it do one thing while `strace` runs with these options."""
        self._order(json.dumps({"name": operation, "root": str(root), "limit": limit}))
        first = self._hear()
        said: Said = {"start": first} if "what" in first else {}
        with _watching(first.get("ready"), options, self._log):
            self._order("go")
            while "ended" not in (line := self._hear()):
                said[line["what"]] = line
        said["end"] = line
        return said

    def log(self) -> list[str]:
        """What `strace` saw last."""
        return self._log.read_text(encoding="utf-8", errors="replace").splitlines()

    def noise(self) -> str:
        """What it wrote to standard error since the last time."""
        return self._noise.read().decode(errors="replace").strip()

    def close(self) -> None:
        """Let it end."""
        self._process.communicate()
        self._noise.close()

    def _order(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())

    def _hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], PATIENCE_SECONDS)
        line = self._process.stdout.readline() if ready else b""
        if not line:
            os.killpg(self._process.pid, signal.SIGKILL)
            raise ChildProcessError("it hangs" if not ready else "it died")
        heard: dict[str, Any] = json.loads(line)
        return heard


@contextmanager
def _watching(process: int | None, options: Sequence[str], log: Path) -> Iterator[None]:
    """Have `strace` follow a process until that ends."""
    if process is None or not options:
        yield
        return
    command = [strace(), "-p", str(process), "-y", "-s", "0", "-o", str(log), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as watcher:
        assert watcher.stderr is not None
        line = watcher.stderr.readline()
        if "attached" not in line:
            raise RuntimeError(f"strace cannot follow a process here: {line}")
        yield
        watcher.communicate(timeout=PATIENCE_SECONDS)


class Trials:
    """The template of the store, the victim, and what came of it all."""

    def __init__(self, seed: int, folder: Path, report: Report) -> None:
        self._seed = seed
        self._report = report
        self._folder = folder
        self._template = folder / "template"
        self._template.mkdir()
        prepare(self._template)
        with lamina.open(self._template / STORE) as mem:
            self._base = {record.text for record in mem.query(limit=1000)}
        self._victim = Victim(folder)
        self.outcomes: Counter[str] = Counter()

    def cases(self) -> list[Case]:
        """Every call on files of the store that the operations make, with every fault of it."""
        found = []
        for operation in OPERATIONS:
            root = self._fresh(operation)
            watched = ["-e", f"trace={','.join('?' + name for name in FAULTS)}"]
            self._victim.suffer(operation, root, watched, None)
            made: Counter[str] = Counter()
            for line in self._victim.log():
                call, bracket, rest = line.partition("(")
                made[call] += 1
                if bracket and str(root) in rest:
                    found += [Case(operation, call, made[call], one) for one in FAULTS[call]]
            found += [Case(operation, "", limit, "") for limit in LIMITS]
            shutil.rmtree(root)
        return found

    def run(self, case: Case) -> None:
        """Try one case and look at what is left."""
        root = self._fresh(case.operation)
        try:
            said = self._victim.suffer(case.operation, root, case.injection, case.limit)
            if case.call and not any("(INJECTED)" in line for line in self._victim.log()):
                self.outcomes["not reached"] += 1
            problems = [*_heard(said), *self._left(case, root, said)]
            if noise := self._victim.noise():
                problems.append(f"standard error: {noise.splitlines()[-1]}")
        except ChildProcessError as error:
            problems = [str(error)]
            self._victim = Victim(self._folder)
        self._report.violations += [f"seed {self._seed}: {case}: {one}" for one in problems]
        shutil.rmtree(root)
        act = said.get("act", said.get("open", {}))
        self.outcomes[str(act.get("error", "done"))] += 1

    def close(self) -> None:
        """Let the victim go."""
        self._victim.close()

    def _fresh(self, operation: str) -> Path:
        root = self._folder / "root"
        missing = shutil.ignore_patterns(STORE) if operation == "create" else None
        return shutil.copytree(self._template, root, ignore=missing)

    def _left(self, case: Case, root: Path, said: Said) -> Iterator[str]:
        """Open the store again, undisturbed, and compare it with what was said."""
        try:
            with lamina.open(root / STORE) as mem:
                yield from complaints(mem)
                yield from disagreements(root / STORE)
                yield from _log_kept(root / STORE)
                yield from _done(mem, root, case.operation, said)
                # Nothing is left in the way of the next one, nor of the next secret.
                mem.remember(f"now the password is {SECRET}" if case.operation == "seal" else "on")
                if case.operation != "create":
                    touched = {
                        text for text in self._base if text.startswith(("to be", "the colo"))
                    }
                    there = {record.text for record in mem.query(limit=1000)}
                    if lost := self._base - touched - there:
                        yield f"{len(lost)} records are lost that nobody touched"
        except LaminaError as error:
            yield f"afterwards the store cannot be used: {error.code}: {error}"
        drafts = [path.name for path in root.rglob(".*")]
        if drafts and case.call != "unlink" and case.fault not in LASTING:
            yield f"it left {drafts} behind"


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Try `size` cases, all of them if there are fewer."""
    with tempfile.TemporaryDirectory(dir=memory()) as name:
        report = Report("calls", seed, size)
        trials = Trials(seed, Path(name), report)
        cases = trials.cases()
        chosen = mixed(cases, Random(seed))[:size]
        report.trials = len(chosen)
        for number, case in enumerate(chosen, start=1):
            trials.run(case)
            tell(number, len(chosen))
        trials.close()
    report.figures = {"cases in all": len(cases), "outcomes": dict(trials.outcomes)}
    return report


def mixed(cases: Sequence[Case], rng: Random) -> list[Case]:
    """In random order, each call of each operation in turn: those that are rare come first too."""
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in rng.sample(cases, len(cases)):
        groups.setdefault((case.operation, case.call), []).append(case)
    rounds = zip_longest(*rng.sample(list(groups.values()), len(groups)))
    return [case for one_round in rounds for case in one_round if case is not None]


def _heard(said: Said) -> Iterator[str]:
    """Whatever is not an answer of Lamina's own."""
    if status := said["end"]["ended"]:
        yield f"it ended with status {status}"
    for what, line in said.items():
        if "other" in line:
            yield f"{what}: {line['other'].strip().splitlines()[-1]}"


def _log_kept(store: Path) -> Iterator[str]:
    """Whether the store still has its write-ahead log: with any other it would promise less."""
    connection = driver.connect(store / DATABASE, create=False)
    try:
        if (mode := one(connection, "pragma journal_mode")) != "wal":
            yield f"the journal mode is {mode}"
    finally:
        connection.close()


def _done(mem: Memory, root: Path, operation: str, said: Said) -> Iterator[str]:
    there, whole = OPERATIONS[operation].parts(mem, root)
    act = said.get("act", {})
    if operation == "import":
        if "did" in act and there != whole - act["did"]:
            yield f"{there} of {whole} lines are there, and {act['did']} were reported as failed"
    elif operation == "recall" and act.get("did", ["doomed"]) != ["doomed"]:
        yield f"it answered {act['did']}"
    elif "did" in act and there != whole:
        yield f"it was acknowledged, and {there} of {whole} parts are there"
    elif there not in (0, whole):
        yield f"{there} of {whole} parts are there"
    if "did" in said.get("second", {}) and mem.count({"key": "second"}) != 1:
        yield "the write after it was acknowledged and is lost"
