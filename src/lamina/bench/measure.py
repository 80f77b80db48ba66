"""What every measurement needs: spreads of timings, the disk, the machine and the process."""

import os
import platform
import resource
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from lamina.errors import InvalidInputError
from lamina.stores.filesystem import is_in_memory, kind_of, prepare_folder
from lamina.stores.sqlite import DATABASE

_LEAST_ROUNDS: Final = 3
_ROUND_SECONDS: Final = 0.25

Phase: TypeAlias = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Called with what is measured and how much there is; yields what takes how much is done."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle, the tail and the end of many timings."""

    p50_ms: float
    p99_ms: float
    worst_ms: float

    @classmethod
    def of(cls, timings: Sequence[float]) -> "Spread":
        """The spread of timings in seconds."""
        return cls(*(milliseconds(at(timings, percent)) for percent in (50, 99, 100)))


def at(timings: Sequence[float], percent: int) -> float:
    """The timing that so many per cent do not exceed."""
    ordered = sorted(timings)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def milliseconds(seconds: float) -> float:
    """Seconds as milliseconds, to the microsecond."""
    return round(seconds * 1000, 3)


def ratio(one: float, other: float) -> float:
    """How many times `other` goes into `one`."""
    return round(one / other, 2)


def rounds(seconds: float) -> int:
    """How often things that are compared take turns: all should meet the disk in each mood."""
    return max(_LEAST_ROUNDS, round(seconds / _ROUND_SECONDS))


def check_disk(folder: Path) -> str:
    """The kind of file system under a folder; one that keeps files in memory is refused."""
    prepare_folder(folder)
    kind = kind_of(folder.resolve())
    if is_in_memory(kind):
        raise InvalidInputError(
            f"{folder} lies on {kind}, where a sync reaches no disk and figures mean nothing",
            remedy="Name a directory on a real disk with --dir",
        )
    return kind or "unknown"


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    from lamina.stores.sqlite.driver import connect

    with closing(connect(Path(":memory:"), create=True)) as connection:
        [(sqlite,)] = connection.execute("select sqlite_version()")
    return {
        "python": platform.python_version(),
        "sqlite": sqlite,
        "system": f"{platform.system()} {platform.machine()}",
        "cpus": os.cpu_count() or 1,
    }


def resident_kb() -> int:
    """How much of this process is in memory; where the system does not say, the most so far."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most // 1024 if sys.platform == "darwin" else most
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def log_kb(store: Path) -> int:
    """How long the write-ahead log of a store is right now."""
    try:
        return (store / f"{DATABASE}-wal").stat().st_size // 1024
    except FileNotFoundError:
        return 0
