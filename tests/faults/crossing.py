"""A large store goes to Postgres and back, and the export is the same to the last byte."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import lamina
from lamina.bench.texts import Texts, drafts
from lamina.core.settings import EMBEDDER
from lamina.core.vectors import Embedded
from lamina.exchange import export_lines
from lamina.memory import Memory
from lamina.results import MoveReport
from tests.faults.report import Report, Tell
from tests.postgres.shared import fresh_address

BATCH = 1000
SPACE = "crossing"
DIMENSIONS = 32
ERASED_FROM = 5_000
"""Only from the first: an erase looks through the whole file."""


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Move `size` records there and back."""
    report = Report("crossing", seed, size)
    address, steps = fresh_address(), 5
    home, back = folder / "home", folder / "back"
    with lamina.open(home) as mem:
        _fill(mem, size)
    tell(1, steps)
    before = _digest(home)
    tell(2, steps)
    there = _timed(report, "there", lambda: lamina.migrate(home, address))
    tell(3, steps)
    if _digest(address) != before:
        report.violations.append(f"seed {seed}: the export is another one in Postgres")
    again = _timed(report, "back", lambda: lamina.migrate(address, back))
    tell(4, steps)
    if _digest(back) != before:
        report.violations.append(f"seed {seed}: the export is another one when it is back")
    if (there.rows, there.digests) != (again.rows, again.digests):
        report.violations.append(f"seed {seed}: {there} and {again}")
    report.figures |= {"rows": dict(there.rows), "export_sha256": before}
    tell(steps, steps)
    return report


def _timed(report: Report, name: str, work: Callable[[], MoveReport]) -> MoveReport:
    start = perf_counter()
    moved = work()
    seconds = perf_counter() - start
    report.figures[name] = {
        "seconds": round(seconds, 1),
        "records_per_second": round(moved.rows["record"] / seconds),
        "held_seconds": moved.held_seconds,
        "recalled": moved.recalled,
    }
    return moved


def _fill(mem: Memory, size: int) -> None:
    """Records with a past: some forgotten, some erased, each with a vector, all with receipts."""
    mem.configure(EMBEDDER, "off")
    texts, written = Texts(), 0
    for block in texts.some(0, size):
        asked = drafts(block, written)
        for at in range(0, len(asked), BATCH):
            batch = asked[at : at + BATCH]
            receipt = mem.remember_many(batch)
            ids = [outcome.id for outcome in receipt.outcomes]
            mem.forget(*ids[:50])
            mem.remember(f"batch {written + at} is in", idempotency_key=f"note {written + at}")
            if written < ERASED_FROM:
                mem.erase(ids[50])
        written += len(asked)
    _embed(mem)


def _embed(mem: Memory) -> None:
    import numpy as np

    chance = np.random.default_rng(1)
    while waiting := mem.store.unembedded(SPACE, BATCH):
        points = chance.normal(size=(len(waiting), DIMENSIONS))
        points = (points / np.linalg.norm(points, axis=1, keepdims=True)).astype("<f4")
        mem.store.embed(
            SPACE,
            [
                Embedded(record.id, record.rev, point.tobytes())
                for record, point in zip(waiting, points, strict=True)
            ],
        )


def _digest(where: str | Path) -> str:
    digest = hashlib.sha256()
    with lamina.open(where) as mem:
        for line in export_lines(mem, history=True):
            digest.update(line.encode() + b"\n")
    return digest.hexdigest()
