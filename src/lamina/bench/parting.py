"""Large projects get partitions of their own while others write: how long it takes, who waits."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any, Final

from lamina import clock
from lamina.bench.crowds import Child
from lamina.bench.measure import Phase, Spread
from lamina.core.settings import PARTITION_AT
from lamina.opening import open as open_memory

_WORKER: Final = "lamina.bench.scale_worker"
_WAYS: Final = {"inside": "postgres_inside", "elsewhere": "postgres_apart"}
_SHARE: Final = 2
"""A project with one in so many of all records is large here: the one of four that has most."""


def measure(stores: dict[str, str], records: int, seconds: float, phase: Phase) -> dict[str, Any]:
    """Move what is large; one process writes to a project that moves, and one to another.

    Each writes for so many seconds before, and then until it is over.
    """
    with ExitStack() as stack:
        mem = stack.enter_context(open_memory(stores["postgres"]))
        mem.configure(PARTITION_AT, str(max(1, records // _SHARE)))
        crew = {
            name: stack.enter_context(
                Child("write", number, stores["postgres"], stores["sqlite"], module=_WORKER)
            )
            for number, name in enumerate(_WAYS)
        }
        for child in crew.values():
            child.hear()
        before = _round(crew, seconds)
        mover = stack.enter_context(ThreadPoolExecutor(1))
        with phase("Partitions", 1) as advance:
            start = clock.stopwatch()
            moving = mover.submit(mem.store.arrange)
            meanwhile: dict[str, list[float]] = {name: [] for name in _WAYS}
            while not moving.done():
                for name, waits in _round(crew, seconds / 4).items():
                    meanwhile[name] += waits
            moved = moving.result()
            took = clock.stopwatch() - start
            advance(1)
    moved_records = sum(one.records for one in moved)
    return {
        "projects": len(moved), "records": moved_records, "seconds": round(took, 1),
        "per_second": round(moved_records / took, 1),
        "before": _spreads(before), "meanwhile": _spreads(meanwhile),
    }  # fmt: skip


def _round(crew: dict[str, Child], seconds: float) -> dict[str, list[float]]:
    for name, child in crew.items():
        child.tell(f"{_WAYS[name]} {seconds}")
    return {name: child.hear() for name, child in crew.items()}


def _spreads(waits: dict[str, list[float]]) -> dict[str, Any]:
    return {name: {"writes": len(its), **asdict(Spread.of(its))} for name, its in waits.items()}
