"""A process is killed at a random moment; whatever it acknowledged must be there, and whole.

Every operation has its turn. Several kills hit the same store before a fresh one begins, and now
and then another process goes on writing while its neighbour dies.
"""

import random
import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lamina
from lamina.exchange import export_lines
from lamina.stores.sqlite import DATABASE
from tests.faults.agreement import all_of, complaints, disagreements
from tests.faults.child import Child, Line
from tests.faults.children.operations import FIRST_FORMAT, OPERATIONS
from tests.faults.children.work import BACKUP, NEW, OLD
from tests.faults.expected import Expected
from tests.faults.report import Report, Tell

LANES = 2
"""Stores that are worked on at the same time, one for each core of a small machine."""
KILLS_PER_STORE = 12
SOONEST, LATEST = 0.005, 0.3
BYSTANDER = 50_000
"""Added to the number of a child that is not killed."""
ALONE = ("export", "open", "migrate", "mixed")
"""Operations whose outcome a bystander would blur."""
SIDE_STORES_CHECKED = 3


@dataclass
class Tally:
    """What all lanes found together."""

    report: Report
    tell: Tell
    total: int
    begun: Counter[str] = field(default_factory=Counter)
    hit: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, trial: "Trial", acknowledged: int, violations: list[str]) -> None:
        """Note one kill and what came of it."""
        with self.lock:
            self.report.trials += 1
            self.begun[trial.operation] += 1
            self.hit[next(iter(trial.under_way), "between two operations")] += 1
            self.acknowledged += acknowledged
            self.report.violations += [f"{trial.name}: {line}" for line in violations]
            self.tell(self.report.trials, self.total)


@dataclass
class Trial:
    """One kill."""

    seed: int
    number: int
    operation: str
    under_way: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What repeats it."""
        return f"seed {self.seed}: kill {self.number} during {self.operation}"


def run(
    size: int, seed: int, folder: Path, tell: Tell, operations: Sequence[str] = tuple(OPERATIONS)
) -> Report:
    """Kill a process `size` times."""
    tally = Tally(Report("kills", seed, 0), tell, size)
    turns = _turns(size, seed, operations)
    trials = [Trial(seed, number, name) for number, name in enumerate(turns)]
    with ThreadPoolExecutor(LANES) as pool:
        lanes = [
            pool.submit(_lane, trials[lane::LANES], folder / f"lane-{lane}", tally)
            for lane in range(LANES)
        ]
    for lane in lanes:
        lane.result()
    tally.report.figures = {
        "acknowledged": tally.acknowledged,
        "kills_during": dict(sorted(tally.begun.items())),
        "interrupted": dict(tally.hit.most_common()),
    }
    return tally.report


def _turns(size: int, seed: int, operations: Sequence[str]) -> Iterator[str]:
    """Operations so that each has its turn, in another order every time."""
    chance = random.Random(f"{seed} turns")
    names = sorted(operations)
    for number in range(size):
        if number % len(names) == 0:
            chance.shuffle(names)
        yield names[number % len(names)]


def _lane(trials: list[Trial], folder: Path, tally: Tally) -> None:
    for first in range(0, len(trials), KILLS_PER_STORE):
        expected = Expected(folder / str(first))
        expected.folder.mkdir(parents=True)
        for trial in trials[first : first + KILLS_PER_STORE]:
            tally.add(trial, *_kill(trial, expected))
        shutil.rmtree(expected.folder)


def _kill(trial: Trial, expected: Expected) -> tuple[int, list[str]]:
    """Let a child work, kill it, and compare; what was acknowledged, and what is wrong."""
    chance = random.Random(f"{trial.seed} {trial.number}")
    bystander = _bystander(trial, expected.folder) if chance.random() < 0.3 else None
    child = _worker(trial, expected.folder, trial.number, trial.operation)
    time.sleep(chance.uniform(SOONEST, LATEST))
    said = child.kill()
    if said and "began" in said[-1]:
        trial.under_way = said[-1]["began"]
    acknowledged = expected.note(said)
    wrong = [] if child.was_killed else [f"the process failed by itself: {child.complaint}"]
    if bystander is not None:
        acknowledged += expected.note(bystander.finish())
        wrong += [f"its neighbour failed: {bystander.complaint}"] if bystander.complaint else []
    wrong += expected.broken(trial.under_way)
    wrong += _side_stores(expected.folder)
    wrong += all_of(_backups(expected.folder, child.lines))
    return acknowledged, wrong


def _bystander(trial: Trial, folder: Path) -> Child | None:
    if trial.operation in ALONE:
        return None
    return _worker(trial, folder, BYSTANDER + trial.number, "supersede")


def _worker(trial: Trial, folder: Path, number: int, operation: str) -> Child:
    child = Child("worker", str(folder), str(trial.seed), str(number), operation)
    child.wait_until_ready()
    return child


def _side_stores(folder: Path) -> Iterator[str]:
    """The newest stores beside the main one, which were being made or migrated."""
    sides = sorted((*folder.glob(f"{NEW}*"), *folder.glob(f"{OLD}*")), key=_age)
    # An old one without its file was still being laid out when its maker died.
    laid = [side for side in sides if side.name.startswith(NEW) or (side / DATABASE).exists()]
    for side in laid[-SIDE_STORES_CHECKED:]:
        yield from (f"{side.name}: {line}" for line in all_of(_side_store(side)))
    for side in sides:
        shutil.rmtree(side)


def _side_store(side: Path) -> Iterator[str]:
    with lamina.open(side) as mem:
        yield from complaints(mem)
        if side.name.startswith(OLD) and list(export_lines(mem, history=True)) != _released():
            yield "it was migrated and says something else"
        mem.remember("it can be written")
    yield from disagreements(side)


def _backups(folder: Path, said: Sequence[Line]) -> Iterator[str]:
    """The newest backup, which was being written; whatever has the name of one is whole."""
    for line in said:
        name = line.get("did", {}).get("backed_up")
        if name is not None and not (folder / name).exists():
            yield f"{name} was acknowledged and is not there"
    backups = sorted(folder.glob(f"{BACKUP}*"), key=_age)
    for backup in backups[-1:]:
        restored = folder / "restored"
        lamina.restore(backup, restored)
        with lamina.open(restored) as mem:
            yield from complaints(mem)
        yield from disagreements(restored)
        shutil.rmtree(restored)
    for backup in backups:
        backup.unlink()


def _age(folder: Path) -> int:
    return int(folder.name.rsplit("-", 1)[1])


def _released() -> list[str]:
    plain = FIRST_FORMAT.with_name("format-1.jsonl")
    return plain.read_text(encoding="utf-8").splitlines()
