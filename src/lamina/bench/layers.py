"""How long each layer takes by its own words, next to what a plain file or dictionary takes.

What is compared takes turns, one by one, so that both meet the machine in the same mood. One store
is that of an agent at work, with vectors; another holds many episodes. Raw writes are as large as
what was said, and synced where Lamina's are.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from lamina import clock
from lamina.bench.crowds import PROJECT, Child
from lamina.bench.desk import Desk, Pair, desk, episodes
from lamina.bench.measure import Phase, Spread, at, check_disk, machine, milliseconds
from lamina.core.embedder_spec import OFF
from lamina.core.settings import EMBEDDER
from lamina.errors import InvalidInputError
from lamina.memory import AgentMemory
from lamina.opening import open as open_memory

MOST_EPISODES: Final = 1_000_000
MOST_EACH: Final = 10_000
MOST_FACTS: Final = 100_000
WAKE_AIM_MS: Final = 50.0
_LONGEST_PAUSE_SECONDS: Final = 0.06
_WAKES: Final = 100
_PATIENCE: Final = 2.0
"""No row takes longer than so many seconds, however often it should be measured."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure, and where."""

    folder: Path
    episodes: int
    each: int
    """How often each thing is measured, where that is quick."""
    facts: int = 1_000
    """How many the agent knows."""

    def __post_init__(self) -> None:
        if not 1 <= self.episodes <= MOST_EPISODES:
            raise InvalidInputError(f"`episodes` must be from 1 to 1,000,000, not {self.episodes}")
        if not 1 <= self.each <= MOST_EACH:
            raise InvalidInputError(f"`each` must be from 1 to 10,000, not {self.each}")
        if not 1 <= self.facts <= MOST_FACTS:
            raise InvalidInputError(f"`facts` must be from 1 to 100,000, not {self.facts}")


@dataclass(frozen=True, slots=True)
class Row:
    """One thing, how long it took, and what it is held against."""

    name: str
    aim_ms: float | None
    times: int
    ours: Spread
    cpu_p50_ms: float | None = None
    """How long a processor worked on it, which tells more than the watch on a busy machine."""
    raw_name: str = ""
    raw: Spread | None = None
    ratio: float | None = None
    """How many times as long as the plain thing, by the middle of both."""

    def to_json(self) -> dict[str, Any]:
        """The figures, with whether the aim of the source design is met."""
        meets = None if self.aim_ms is None else self.ours.p50_ms <= self.aim_ms
        raw = None if self.raw is None else {"what": self.raw_name, **asdict(self.raw)}
        return {
            "aim_ms": self.aim_ms, "meets_aim": meets, "times": self.times, **asdict(self.ours),
            "cpu_p50_ms": self.cpu_p50_ms, "raw": raw, "ratio": self.ratio,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class LayerFigures:
    """What one run measured."""

    filesystem: str
    episodes: int
    facts: int
    embedder: str
    rows: tuple[Row, ...]

    def to_json(self) -> dict[str, Any]:
        """The figures with the machine they were measured on."""
        return {
            "bench": "layers",
            "machine": machine(),
            "filesystem": self.filesystem,
            "load": round(os.getloadavg()[0], 2),
            "episodes": self.episodes,
            "facts": self.facts,
            "embedder": self.embedder,
            "rows": {row.name: row.to_json() for row in self.rows},
        }


def measure(plan: Plan, phase: Phase) -> LayerFigures:
    """Measure in scratch stores below the plan's folder, which are removed afterwards."""
    kind = check_disk(plan.folder)
    scratch = Path(tempfile.mkdtemp(prefix="lamina-bench-", dir=plan.folder))
    try:
        with _agent(scratch / "desk") as agent, desk(agent, scratch, plan.facts) as at_work:
            embedder = agent.settings()[EMBEDDER]
            rows = [*_rows(at_work.pairs(), plan.each, phase), _wake(at_work, plan.each, phase)]
        with _agent(scratch / "episodes", OFF) as agent:
            rows += _rows(episodes(agent, plan.episodes, phase), plan.each, phase)
        return LayerFigures(kind, plan.episodes, plan.facts, embedder, tuple(rows))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def _agent(store: Path, embedder: str | None = None) -> Iterator[AgentMemory]:
    with open_memory(store) as mem:
        if embedder is not None:
            mem.configure(EMBEDDER, embedder)
        yield mem.agent("finn", project=PROJECT)


def _rows(pairs: Sequence[Pair], each: int, phase: Phase) -> Iterator[Row]:
    with phase("Layers", len(pairs)) as advance:
        for number, pair in enumerate(pairs):
            yield _row(pair, each)
            advance(number + 1)


def _row(pair: Pair, each: int) -> Row:
    """Take turns; whoever comes second has a warmer processor, so each comes first in turn."""
    pair.ours(0)
    pair.raw(0)
    taken: tuple[list[float], list[float]] = ([], [])
    worked: list[float] = []
    start = clock.stopwatch()
    for number in range(1, each + 1):
        for which in (0, 1) if number % 2 else (1, 0):
            wall, cpu = _timed((pair.ours, pair.raw)[which], number)
            taken[which].append(wall)
            if which == 0:
                worked.append(cpu)
        if clock.stopwatch() - start > _PATIENCE:
            break
    ours, raw = taken
    ratio = round(at(ours, 50) / max(at(raw, 50), 1e-9), 1)
    return Row(
        pair.name, pair.aim_ms, len(ours), Spread.of(ours), milliseconds(at(worked, 50)),
        pair.raw_name, Spread.of(raw), ratio,
    )  # fmt: skip


def _timed(work: Callable[[int], object], number: int) -> tuple[float, float]:
    """How long something takes, and how long a processor works on it in this thread."""
    start, cpu = clock.stopwatch(), time.thread_time()
    work(number)
    return clock.stopwatch() - start, time.thread_time() - cpu


def _wake(at_work: Desk, each: int, phase: Phase) -> Row:
    """From the acknowledgement of a signal until another process has it."""
    wakes = min(each, _WAKES)
    chance = Random(wakes)
    published: list[float] = []
    with (
        Child("board", at_work.store, wakes) as child,
        phase("Waking another process", wakes) as advance,
    ):
        child.hear()
        for number in range(wakes):
            # Pauses that differ, so that no rhythm of the waiting can help or hinder.
            time.sleep(chance.uniform(0, _LONGEST_PAUSE_SECONDS))
            at_work.agent.blackboard.publish("wake", number)
            published.append(clock.stopwatch())
            advance(number + 1)
        heard = child.hear()
    late = [max(0.0, then - done) for then, done in zip(heard, published, strict=True)]
    return Row("blackboard wakes another process", WAKE_AIM_MS, wakes, Spread.of(late))
