"""How fast synced writes are, next to what the disk itself takes for the same bytes.

Raw appends and writes through the front door alternate in one run, so that both meet the same disk
in the same mood.
"""

import os
import platform
import shutil
import tempfile
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
            threads = {n: _together(mem, n, records, progress) for n in THREADS}
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
    )


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


def _together(mem: Memory, threads: int, records: int, progress: Progress) -> float:
    """Writes per second of several threads, which share the price of a sync."""

    def work(number: int) -> None:
        mem.remember(**_draft(number))
        progress(f"{threads} threads", 1)

    with ThreadPoolExecutor(threads) as pool:
        start = clock.stopwatch()
        list(pool.map(work, range(records)))
        return round(records / (clock.stopwatch() - start), 1)


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
