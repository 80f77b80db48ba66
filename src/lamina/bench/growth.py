"""What becomes dearer as a store grows: writing to it, opening it, keeping it open."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from lamina import clock
from lamina.bench.crowds import Child, Crowd
from lamina.bench.drafts import draft, question
from lamina.bench.measure import Phase, at, milliseconds, ratio
from lamina.memory import Memory

BATCH: Final = 1000
SMALL: Final = 2000
"""How many records the store has that others are compared with."""
_OPENINGS: Final = 5
_SOAK: Final = 10_000
_SAMPLES: Final = 5
_MOST_READS: Final = 200


@dataclass(frozen=True, slots=True)
class Growth:
    """The same writers on a small store and on a large one."""

    small: Crowd
    large: Crowd

    @property
    def ratio(self) -> float:
        """How many times longer a write takes on the large one, all things included."""
        return ratio(self.small.per_second, self.large.per_second)

    @property
    def ratio_p50(self) -> float:
        """How many times longer the middle one of many writes takes."""
        return ratio(self.large.wait.p50_ms, self.small.wait.p50_ms)

    def to_json(self) -> dict[str, Any]:
        """Both sides and the ratios."""
        sides = {"small": self.small.to_json(), "large": self.large.to_json()}
        return {**sides, "ratio": self.ratio, "ratio_p50": self.ratio_p50}


@dataclass(frozen=True, slots=True)
class Reads:
    """The middle one of many reads of a record by its id, and of many searches."""

    stored: int
    get_p50_ms: float
    recall_p50_ms: float


@dataclass(frozen=True, slots=True)
class Opening:
    """What it takes to open a store and read one record, in a process that has done nothing yet."""

    stored: int
    open_p50_ms: float
    open_worst_ms: float
    process_p50_ms: float
    """From the start of the process to its end, the interpreter and a search included."""
    first_recall_p50_ms: float


@dataclass(frozen=True, slots=True)
class Resident:
    """How much of a process is in memory while it writes to a store."""

    opened_kb: int
    writes: int
    """How many came between any two of the figures below."""
    after_kb: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """The figures, and how much came on top behind the first of them."""
        return {**asdict(self), "growth_kb": self.after_kb[-1] - self.after_kb[0]}


def prepare(mem: Memory, records: int, phase: Phase) -> None:
    """Bring a store to so many records, by the same way in as everything else."""
    there = mem.count()
    with phase(f"A store of {records:,} records", records) as advance:
        for first in range(there, records, BATCH):
            mem.remember_many(map(draft, range(first, min(first + BATCH, records))))
            advance(min(first + BATCH, records))


def read(mem: Memory, seconds: float) -> Reads:
    """Search for a while, then read what was found, one by one."""
    asked = [question(number) for number in range(_MOST_READS)]
    found: list[str] = []
    recalled = _repeat(
        lambda words: found.extend(hit.record.id for hit in mem.recall(words).hits), asked, seconds
    )
    got = _repeat(mem.get, found[:_MOST_READS], seconds)
    return Reads(mem.count(), milliseconds(at(got, 50)), milliseconds(at(recalled, 50)))


def opening(store: Path, mem: Memory, phase: Phase) -> Opening:
    """Open a store in fresh processes, one after the other."""
    known = mem.remember(**draft(0)).id
    answers, lives = [], []
    with phase("Opening", _OPENINGS) as advance:
        for number in range(_OPENINGS):
            start = clock.stopwatch()
            with Child("look", store, known, question(number)) as child:
                answers.append(child.hear())
            lives.append(clock.stopwatch() - start)
            advance(number + 1)
    opened = [answer["open_ms"] for answer in answers]
    return Opening(
        stored=mem.count(),
        open_p50_ms=at(opened, 50),
        open_worst_ms=max(opened),
        process_p50_ms=milliseconds(at(lives, 50)),
        first_recall_p50_ms=at([answer["recall_ms"] for answer in answers], 50),
    )


def resident(store: Path, records: int, phase: Phase) -> Resident:
    """Let a fresh process write as much as the store is large, up to a point."""
    writes = max(1, min(records, _SOAK) // _SAMPLES)
    after: list[int] = []
    with (
        Child("soak", store, writes * _SAMPLES, _SAMPLES) as child,
        phase("Resident memory", _SAMPLES) as advance,
    ):
        opened = child.hear()
        for number in range(_SAMPLES):
            after.append(child.hear())
            advance(number + 1)
    return Resident(opened, writes, tuple(after))


def _repeat(call: Callable[[str], object], arguments: Sequence[str], seconds: float) -> list[float]:
    """How long a call takes with each argument in turn, until the time is over."""
    took: list[float] = []
    end = clock.stopwatch() + seconds
    for argument in arguments:
        start = clock.stopwatch()
        call(argument)
        took.append(clock.stopwatch() - start)
        if clock.stopwatch() >= end:
            break
    return took
