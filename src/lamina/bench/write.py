"""How fast synced writes are, next to what the disk itself takes for the same bytes.

Raw appends and writes through the front door alternate in one run, so that both meet the same disk
in the same mood; so do the rounds with one, several and many threads. Threads start together, have
written before the watch starts, and do nothing but write until it stops.
"""

import os
import platform
import shutil
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from lamina import clock
from lamina.core.draft import Draft
from lamina.core.record import canonical_bytes
from lamina.errors import InvalidInputError
from lamina.memory import Memory
from lamina.opening import open as open_memory
from lamina.stores.filesystem import is_in_memory, kind_of, prepare_folder

BATCH: Final = 1000
THREADS: Final = (1, 8, 32)
ROUNDS: Final = 3
_LEAST: Final = 4
"""Writes of each thread in a round: with fewer, its first and last would be all there is."""
_READS: Final = 200
_WORDS: Final = (
    "deploy review branch index schema queue worker token cache retry timeout region bucket"
    " billing invoice customer session upload parser release rollback alert latency budget"
).split()

Progress = Callable[[str, int], None]
"""Called with what is measured and how many writes were added to it."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle and the tail of many timings."""

    p50_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class WriteFigures:
    """What one run measured."""

    filesystem: str
    records: int
    record_bytes: int
    raw: Spread
    single: Spread
    ratio_to_raw: float
    batch_per_second: float
    threads_per_second: dict[int, float]
    stored: int
    """How many records were there when reads were measured."""
    get_p50_ms: float
    recall_p50_ms: float

    def to_json(self) -> dict[str, Any]:
        """The figures with the machine they were measured on."""
        return {
            "bench": "write",
            "filesystem": self.filesystem,
            "records": self.records,
            "record_bytes": self.record_bytes,
            "raw": asdict(self.raw),
            "single": {**asdict(self.single), "ratio_to_raw": self.ratio_to_raw},
            "batch": {"size": BATCH, "records_per_second": self.batch_per_second},
            "threads": {str(n): rate for n, rate in self.threads_per_second.items()},
            "reads": {
                "stored": self.stored,
                "get_p50_ms": self.get_p50_ms,
                "recall_p50_ms": self.recall_p50_ms,
            },
            "machine": machine(),
        }


def measure(folder: Path, records: int, progress: Progress) -> WriteFigures:
    """Measure in a scratch store below `folder`, which is removed afterwards."""
    if not 1 <= records <= 1_000_000:
        raise InvalidInputError(f"`records` must be from 1 to 1,000,000, not {records}")
    kind = check_disk(folder)
    scratch = Path(tempfile.mkdtemp(prefix="lamina-bench-", dir=folder))
    try:
        with open_memory(scratch / "store", project="bench") as mem:
            size = len(canonical_bytes(mem.get(mem.remember(**_draft(0)).id)))
            raw, single = _alternate(mem, scratch / "raw", records, size, progress)
            batch = _batches(mem, progress)
            threads = _rounds(mem, records, progress)
            stored = mem.count()
            got, recalled = _reads(mem, min(records, _READS), progress)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return WriteFigures(
        filesystem=kind or "unknown",
        records=records,
        record_bytes=size,
        raw=_spread(raw),
        single=_spread(single),
        ratio_to_raw=round(_at(single, 50) / _at(raw, 50), 2),
        batch_per_second=batch,
        threads_per_second=threads,
        stored=stored,
        get_p50_ms=_spread(got).p50_ms,
        recall_p50_ms=_spread(recalled).p50_ms,
    )


def steps(records: int) -> int:
    """How much progress a run reports in all."""
    shared = sum(n * _share(n, records) for n in THREADS) * ROUNDS
    return records + BATCH + shared + 2 * min(records, _READS)


def check_disk(folder: Path) -> str:
    """The kind of file system under a folder; one that keeps files in memory is refused."""
    prepare_folder(folder)
    kind = kind_of(folder.resolve())
    if is_in_memory(kind):
        raise InvalidInputError(
            f"{folder} lies on {kind}, where a sync reaches no disk and figures mean nothing",
            remedy="Name a directory on a real disk with --dir",
        )
    return kind


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    from lamina.stores.sqlite.driver import connect, one

    with connect(Path(":memory:"), create=True) as connection:
        sqlite = one(connection, "select sqlite_version()")
    return {
        "python": platform.python_version(),
        "sqlite": sqlite,
        "system": f"{platform.system()} {platform.machine()}",
        "cpus": os.cpu_count() or 1,
    }


def _alternate(
    mem: Memory, path: Path, records: int, size: int, progress: Progress
) -> tuple[list[float], list[float]]:
    raw, single = [], []
    payload = b"x" * size
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        for number in range(records):
            draft = _draft(number)
            start = clock.stopwatch()
            os.write(handle, payload)
            _sync(handle)
            between = clock.stopwatch()
            mem.remember(**draft)
            raw.append(between - start)
            single.append(clock.stopwatch() - between)
            progress("single writes", 1)
    finally:
        os.close(handle)
    return raw, single


def _batches(mem: Memory, progress: Progress) -> float:
    drafts = [_draft(number) for number in range(BATCH)]
    start = clock.stopwatch()
    mem.remember_many(drafts)
    took = clock.stopwatch() - start
    progress("one batch", BATCH)
    return round(BATCH / took, 1)


def _rounds(mem: Memory, records: int, progress: Progress) -> dict[int, float]:
    """Writes per second of one, several and many threads, which share the price of a sync."""
    seconds = dict.fromkeys(THREADS, 0.0)
    for _ in range(ROUNDS):
        for threads in THREADS:
            share = _share(threads, records)
            seconds[threads] += _together(mem, threads, share)
            progress(f"{threads} threads", threads * share)
    return {n: round(n * _share(n, records) * ROUNDS / seconds[n], 1) for n in THREADS}


def _share(threads: int, records: int) -> int:
    """How many records each thread writes in a round."""
    return max(_LEAST, -(-records // (threads * ROUNDS)))


def _together(mem: Memory, threads: int, share: int) -> float:
    """Seconds from the common start of the threads to the end of the last one."""
    gate = threading.Event()

    def work(first: int) -> None:
        drafts = [_draft(first + number) for number in range(share)]
        gate.wait()
        for draft in drafts:
            mem.remember(**draft)

    with ThreadPoolExecutor(threads) as pool:
        # The first writes start the threads and open connections, which is not measured.
        list(pool.map(lambda number: mem.remember(**_draft(number)), range(threads)))
        try:
            running = [pool.submit(work, number * share) for number in range(threads)]
        finally:
            start = clock.stopwatch()
            gate.set()
        for one in running:
            one.result()
        return clock.stopwatch() - start


def _reads(mem: Memory, number: int, progress: Progress) -> tuple[list[float], list[float]]:
    """Timings of reading a record by its id, and of a search for two words."""
    ids = [record.id for record in mem.query(limit=number)]
    questions = [f"observation {at}" for at in range(number)]
    got = [_timed(mem.get, one) for one in ids]
    progress("gets", len(ids))
    recalled = [_timed(mem.recall, words) for words in questions]
    progress("recalls", len(questions))
    return got, recalled


def _timed(call: Callable[[str], object], argument: str) -> float:
    start = clock.stopwatch()
    call(argument)
    return clock.stopwatch() - start


def _draft(number: int) -> Draft:
    """A memory of ordinary size, different each time."""
    picked = [_WORDS[(number * 7 + step * 11 + number // 24) % len(_WORDS)] for step in range(24)]
    return {"text": f"Observation {number}: {' '.join(picked)}.", "kind": "decision"}


def _sync(handle: int) -> None:
    # macOS has no fdatasync.
    getattr(os, "fdatasync", os.fsync)(handle)


def _spread(timings: list[float]) -> Spread:
    return Spread(round(_at(timings, 50) * 1000, 3), round(_at(timings, 99) * 1000, 3))


def _at(timings: list[float], percent: int) -> float:
    ordered = sorted(timings)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]
