"""The power goes: a writer's system calls are recorded, and the disk is rebuilt as after a cut.

One recording serves many cuts, each behind a random call and in each way of forgetting in turn.
"""

import gzip
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import lamina
from lamina.core.changes import Action
from lamina.core.ids import RecordId
from lamina.opening import KEY_FILE
from lamina.stores.ledger import Ledger
from lamina.stores.sqlite import DATABASE, LEDGER
from lamina.vault import KEY_BYTES
from tests.faults.children.recorded import OUT, STORE, digest
from tests.faults.disk import MODES, Disk, Mode, UnknownCallError
from tests.faults.report import Report, Tell
from tests.faults.survival import Fact, Survival, Tally, in_force
from tests.faults.tracing import Call, memory, record
from tests.meta.tree import TESTS

CUTS_PER_RECORDING = 60
STEPS = 24
SAID = b"ack "
WORKLOADS = ("one writer", "two writers", "upgrade")
RELEASED = TESTS / "stores" / "released"


@dataclass
class Recording:
    """What a workload did, and what the disk held before it."""

    name: str
    root: Path
    disk: Disk
    calls: Sequence[Call]
    said: dict[int, Fact]
    """Which of the calls acknowledged something, and what."""
    before: dict[tuple[str, int], str]
    """The versions that were there at first, with what they say."""


@dataclass
class Cuts:
    """All cuts of a run, and what came of them."""

    seed: int
    folder: Path
    report: Report
    tally: Tally = field(default_factory=Tally)
    modes: Counter[str] = field(default_factory=Counter)
    pending: int = 0
    recordings: int = 0

    def of(self, recording: Recording, number: int) -> Iterator[int]:
        """Cut a recording `number` times; yields after each."""
        moments = self._moments(recording, number)
        facts: list[Fact] = []
        for place, call in enumerate(recording.calls):
            recording.disk.play(call)
            if place in recording.said:
                facts.append(recording.said[place])
            for index in moments.get(place, ()):
                mode = MODES[index % len(MODES)]
                self.modes[mode.name] += 1
                self.pending += recording.disk.pending()
                later = [fact for when, fact in recording.said.items() if when > place]
                under_way = {fact["by"]: fact for fact in reversed(later)}
                survival = Survival(
                    self.folder, in_force(facts), tuple(under_way.values()), recording.before,
                    self.tally,
                )  # fmt: skip
                where = f"{recording.name}, cut {index} after call {place} ({mode.name})"
                self._look(recording, survival, mode, where)
                yield index
        if misread := recording.disk.differences():
            raise UnknownCallError(f"{recording.name}: the record does not explain {misread}")

    def _moments(self, recording: Recording, number: int) -> dict[int, list[int]]:
        """Half of the cuts come right after an acknowledgement, where least is forgiven."""
        told = list(recording.said)
        anywhere = [
            place for place, call in enumerate(recording.calls) if _concerns(call, recording.root)
        ]
        moments: dict[int, list[int]] = {}
        for index in range(number):
            rng = Random(f"{self.seed}/{recording.name}/{index}")
            place = rng.choice(told if rng.random() < 0.5 else anywhere)
            moments.setdefault(place, []).append(index)
        return moments

    def _look(self, recording: Recording, survival: Survival, mode: Mode, where: str) -> None:
        with tempfile.TemporaryDirectory(dir=memory()) as name:
            survival.root = Path(name)
            recording.disk.rebuild(survival.root, mode, Random(f"{self.seed}/{where}"))
            try:
                problems = _problems(survival)
            except Exception as error:
                problems = [f"{type(error).__name__}: {error}"]
        self.report.violations += [f"seed {self.seed}: {where}: {one}" for one in problems]


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Cut the power `size` times."""
    report = Report("cuts", seed, size)
    cuts = Cuts(seed, folder, report)
    per_recording = min(CUTS_PER_RECORDING, -(-size // len(WORKLOADS)))
    for done in range(0, size, per_recording):
        number = min(per_recording, size - done)
        recording = make_recording(folder / f"r{cuts.recordings}", seed, cuts.recordings)
        cuts.recordings += 1
        for count, _ in enumerate(cuts.of(recording, number), start=1):
            tell(done + count, size)
    report.figures = {
        "recordings": cuts.recordings,
        "cuts per mode": dict(cuts.modes),
        "changes that no sync had covered": cuts.pending,
        **asdict(cuts.tally),
    }
    return report


def make_recording(root: Path, seed: int, number: int) -> Recording:
    """Run a workload of its own seed, under observation."""
    workload = WORKLOADS[number % len(WORKLOADS)]
    (root / OUT).mkdir(parents=True)
    before = _released(root / STORE) if workload == "upgrade" else {}
    disk = Disk(root)
    writers = 2 if workload == "two writers" else 1
    command = [
        sys.executable, "-m", "tests.faults.children.recorded",
        str(root), f"{seed}{number:04d}", str(writers), str(STEPS // writers),
    ]  # fmt: skip
    calls = record(command, root.with_suffix(".strace"))
    root.with_suffix(".strace").unlink()
    said = {place: fact for place, call in enumerate(calls) if (fact := _said(call))}
    return Recording(f"recording {number} ({workload})", root, disk, calls, said, before)


def _problems(survival: Survival) -> list[str]:
    """With a restore under way the store is the old one or the new one."""
    problems = list(survival.problems())
    restores = [fact for fact in survival.under_way if "restored" in fact]
    if problems and restores:
        done = in_force([*survival.past, *restores])
        return list(replace(survival, past=done, under_way=()).problems()) and problems
    return problems


def _released(store: Path) -> dict[tuple[str, int], str]:
    """Put the oldest released store there; returns the versions that it holds."""
    store.mkdir(parents=True)
    packed = (RELEASED / "format-1.db.gz").read_bytes()
    (store / DATABASE).write_bytes(gzip.decompress(packed))
    # It holds a sealed value; any key will do, because that value is never read.
    (store / KEY_FILE).write_bytes(bytes(KEY_BYTES))
    (store / KEY_FILE).chmod(0o600)
    Ledger(store / LEDGER).add(_erased_in(store), datetime.fromtimestamp(0, UTC))
    lines = (RELEASED / "format-1.jsonl").read_text(encoding="utf-8").splitlines()
    values = [json.loads(line) for line in lines]
    return {(value["id"], value["rev"]): digest(value["text"]) for value in values}


def _erased_in(store: Path) -> list[RecordId]:
    """Looked up in a copy: to open the store itself would bring it up to date."""
    with tempfile.TemporaryDirectory(dir=memory()) as name:
        copy = shutil.copytree(store, Path(name) / "copy")
        with lamina.open(copy) as mem:
            events = [event for one in mem.store.streams() for event in mem.store.events(one)]
    return [event.record for event in events if event.action is Action.ERASED]


def _said(call: Call) -> Fact | None:
    """What was acknowledged by this call, if it is one that says something."""
    if call.ends and call.name == "writev" and call.data().startswith(SAID):
        fact: Fact = json.loads(call.data().removeprefix(SAID))
        return fact
    return None


def _concerns(call: Call, root: Path) -> bool:
    named = [call.handle(), *call.paths()]
    return any(one and one.is_relative_to(root) for one in named)
