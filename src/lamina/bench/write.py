"""How fast synced writes are: next to what the disk takes, by many writers, on a store that grew.

What is compared takes turns in one run, so that all of it meets the same disk in the same mood: raw
appends, writes to a small store and writes to a large one alternate one by one, and the crowds of
writers round by round.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

from lamina import clock
from lamina.bench import crowds, feed, growth
from lamina.bench.crowds import LEAST, PROJECT, Crew, Crowd, Round
from lamina.bench.drafts import draft
from lamina.bench.measure import Phase, Spread, check_disk, log_kb, machine, ratio, rounds
from lamina.core.draft import Draft
from lamina.core.embedder_spec import OFF
from lamina.core.record import canonical_bytes
from lamina.core.settings import EMBEDDER
from lamina.errors import InvalidInputError
from lamina.memory import Memory
from lamina.opening import open as open_memory

THREADS: Final = (1, 8, 32)
PROCESSES: Final = (1, 4, 8)
CROWD: Final = 8
"""How many threads, and how many processes, are compared on both stores."""
GROWTH_AIM: Final = 1.3
OPENING_AIM_MS: Final = 300
MOST_RECORDS: Final = 1_000_000
MOST_SECONDS: Final = 60
_ONE_BY_ONE: Final = 50_000_000


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure, and where."""

    folder: Path
    records: int
    """How large the large store is."""
    seconds: float
    """How long each measurement takes."""
    keep: bool = False
    """Whether the large store stays for the next run."""

    def __post_init__(self) -> None:
        if not 1 <= self.records <= MOST_RECORDS:
            raise InvalidInputError(f"`records` must be from 1 to 1,000,000, not {self.records}")
        if not 0 < self.seconds <= MOST_SECONDS:
            raise InvalidInputError(f"`seconds` must be up to {MOST_SECONDS}, not {self.seconds}")

    @property
    def kept(self) -> Path:
        """Where the large store lies that stays."""
        return self.folder / f"lamina-bench-{self.records}"


@dataclass(frozen=True, slots=True)
class WriteFigures:
    """What one run measured."""

    filesystem: str
    prepared: tuple[int, int]
    """How many records the small and the large store had at the start."""
    record_bytes: int
    raw: Spread
    single: growth.Growth
    batch_per_second: float
    threads: dict[int, Crowd]
    processes: dict[int, Crowd]
    large_threads: Crowd
    large_processes: Crowd
    reads: dict[str, growth.Reads]
    opening: growth.Opening
    resident: growth.Resident
    feed: feed.Feed
    log_kb: dict[str, int]

    @property
    def ratio_to_raw(self) -> float:
        """How many times longer a synced write takes than a raw append and sync."""
        return ratio(self.single.small.wait.p50_ms, self.raw.p50_ms)

    @property
    def growths(self) -> dict[str, growth.Growth]:
        """Each sort of writers on both stores."""
        return {
            "single": self.single,
            f"threads_{CROWD}": growth.Growth(self.threads[CROWD], self.large_threads),
            f"processes_{CROWD}": growth.Growth(self.processes[CROWD], self.large_processes),
        }

    def to_json(self) -> dict[str, Any]:
        """The figures with the machine they were measured on."""
        small, large = self.prepared
        growths = {name: found.to_json() for name, found in self.growths.items()}
        worst = max(found.ratio for found in self.growths.values())
        return {
            "bench": "write",
            "machine": machine(),
            "filesystem": self.filesystem,
            "records": large,
            "record_bytes": self.record_bytes,
            "raw": asdict(self.raw),
            "single": {**self.single.small.to_json(), "ratio_to_raw": self.ratio_to_raw},
            "batch": {"size": growth.BATCH, "records_per_second": self.batch_per_second},
            "threads": _crowds(self.threads),
            "processes": _crowds(self.processes),
            "growth": {
                "from": small, "to": large, "worst": worst, "aim": GROWTH_AIM, **growths,
            },
            "reads": {name: asdict(found) for name, found in self.reads.items()},
            "opening": {**asdict(self.opening), "aim_ms": OPENING_AIM_MS},
            "feed": self.feed.to_json(),
            "resident": self.resident.to_json(),
            "log_kb": self.log_kb,
        }  # fmt: skip


def measure(plan: Plan, phase: Phase) -> WriteFigures:
    """Measure in scratch stores below the plan's folder, which are removed afterwards."""
    kind = check_disk(plan.folder)
    scratch = Path(tempfile.mkdtemp(prefix="lamina-bench-", dir=plan.folder))
    try:
        large = plan.kept if plan.keep else scratch / "large"
        with _Stores.open(scratch / "small", large, plan.records, phase) as stores:
            return _measure(stores, kind, plan.seconds, phase)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _Stores:
    """A small store and a large one, both prepared and open."""

    small: Memory
    large: Memory
    places: tuple[Path, Path]
    prepared: tuple[int, int]

    @classmethod
    @contextmanager
    def open(cls, small: Path, large: Path, records: int, phase: Phase) -> Iterator["_Stores"]:
        few = min(growth.SMALL, records)
        for store in (small, large):
            with open_memory(store) as whole:
                # Writing is measured here; what follows it has a bench of its own.
                whole.configure(EMBEDDER, OFF)
        with (
            open_memory(small, project=PROJECT) as one,
            open_memory(large, project=PROJECT) as other,
        ):
            growth.prepare(one, few, phase)
            growth.prepare(other, records, phase)
            yield cls(one, other, (small, large), (few, records))


def _measure(stores: _Stores, kind: str, seconds: float, phase: Phase) -> WriteFigures:
    mem, large = stores.small, stores.large
    size = len(canonical_bytes(mem.get(mem.remember(**draft(0)).id)))
    raw, *single = _one_by_one(stores, size, seconds, phase)
    found = _take_turns(stores, seconds, phase)
    logs = {"small": log_kb(stores.places[0]), "large": log_kb(stores.places[1])}
    return WriteFigures(
        filesystem=kind,
        prepared=stores.prepared,
        record_bytes=size,
        raw=Spread.of(raw),
        single=growth.Growth(*(Crowd.of([Round([waits], sum(waits))]) for waits in single)),
        batch_per_second=_batch(mem),
        threads={number: found["threads", number] for number in THREADS},
        processes={number: found["processes", number] for number in PROCESSES},
        large_threads=found["large threads", CROWD],
        large_processes=found["large processes", CROWD],
        log_kb=logs,
        reads={"small": growth.read(mem, seconds), "large": growth.read(large, seconds)},
        opening=growth.opening(stores.places[1], large, phase),
        feed=feed.measure(stores.places[1], large, seconds, phase),
        resident=growth.resident(stores.places[1], stores.prepared[1], phase),
    )


def _one_by_one(
    stores: _Stores, size: int, seconds: float, phase: Phase
) -> tuple[list[float], list[float], list[float]]:
    """Timings of raw appends of so many bytes, and of writes to each of the stores."""
    timings: tuple[list[float], list[float], list[float]] = ([], [], [])
    raw = stores.places[0].parent / "raw"
    payload = b"x" * size
    handle = os.open(raw, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def append(_: Draft) -> None:
        os.write(handle, payload)
        # macOS has no fdatasync.
        getattr(os, "fdatasync", os.fsync)(handle)

    def remember(mem: Memory) -> Callable[[Draft], object]:
        return lambda asked: mem.remember(**asked)

    turns: tuple[Callable[[Draft], object], ...] = (
        append, remember(stores.small), remember(stores.large)
    )  # fmt: skip
    # Whoever comes second has a warmer processor, so each comes first, second and third in turn.
    orders = ((0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1), (2, 0, 1), (1, 0, 2))
    start = clock.stopwatch()
    try:
        with phase("Writes one by one", 100) as advance:
            for number in count():
                asked = draft(_ONE_BY_ONE + number)
                for which in orders[number % len(orders)]:
                    began = clock.stopwatch()
                    turns[which](asked)
                    timings[which].append(clock.stopwatch() - began)
                passed = clock.stopwatch() - start
                advance(int(100 * passed / seconds))
                if passed >= seconds and number + 1 >= LEAST:
                    return timings
    finally:
        os.close(handle)
    return timings


def _take_turns(stores: _Stores, seconds: float, phase: Phase) -> dict[tuple[str, int], Crowd]:
    """Every crowd, on the small store, and those to compare it with on the large one."""
    times = rounds(seconds)
    each = seconds / times
    with ExitStack() as stack:
        crew = stack.enter_context(Crew.of(max(PROCESSES), stores.places))
        turns: dict[tuple[str, int], Callable[[], Round]] = {
            **{("threads", n): partial(crowds.threads, stores.small, n, each) for n in THREADS},
            ("large threads", CROWD): partial(crowds.threads, stores.large, CROWD, each),
            **{("processes", n): partial(crew.write, 0, n, each) for n in PROCESSES},
            ("large processes", CROWD): partial(crew.write, 1, CROWD, each),
        }
        found: dict[tuple[str, int], list[Round]] = {name: [] for name in turns}
        advance = stack.enter_context(phase("Crowds of writers", times * len(turns)))
        for step in range(times * len(turns)):
            name = list(turns)[step % len(turns)]
            found[name].append(turns[name]())
            advance(step + 1)
    return {name: Crowd.of(of_crowd) for name, of_crowd in found.items()}


def _batch(mem: Memory) -> float:
    drafts = [draft(number) for number in range(growth.BATCH)]
    start = clock.stopwatch()
    mem.remember_many(drafts)
    return round(growth.BATCH / (clock.stopwatch() - start), 1)


def _crowds(found: dict[int, Crowd]) -> dict[str, Any]:
    first = next(iter(found.values()))
    return {
        str(number): {
            **crowd.to_json(), "ratio_to_one": ratio(crowd.per_second, first.per_second)
        }
        for number, crowd in found.items()
    }  # fmt: skip
