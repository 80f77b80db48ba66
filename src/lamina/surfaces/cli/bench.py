"""`lamina bench`."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from lamina.surfaces.cli.marks import Grid, grid, line
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.progress import progress
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.bench.write import WriteFigures

_DEFAULT_RECORDS: Final = 500


@click.group()
def bench() -> None:
    """Measure how fast this machine is."""


@bench.command(cls=Command)
@click.option("--records", type=int, default=_DEFAULT_RECORDS, show_default=True, metavar="N")
@pass_session
def write(session: Session, /, records: int) -> None:
    """Measure synced writes, next to what the disk itself takes.

    Works in a scratch folder below --dir, or below the system's temporary directory. Threads share
    the price of a sync, so they gain where a sync is slow and little where it is fast.
    """
    from lamina.bench.write import measure, steps

    folder = Path(session.directory or tempfile.gettempdir())
    done = 0
    with progress(session, "Measuring", steps(records)) as advance:

        def count(_: str, number: int) -> None:
            nonlocal done
            done += number
            advance(done)

        figures = measure(folder, records, count)
    if session.out.as_json:
        session.out.document(figures.to_json())
    else:
        session.out.show(line(_headline(figures)), _figures(figures))


def _headline(figures: "WriteFigures") -> str:
    machine = figures.to_json()["machine"]
    return (
        f"{figures.records} records of {figures.record_bytes} bytes on {figures.filesystem};"
        f" {machine['system']}, {machine['cpus']} CPUs, Python {machine['python']},"
        f" SQLite {machine['sqlite']}"
    )


def _figures(figures: "WriteFigures") -> Grid:
    raw, single = figures.raw, figures.single
    rows = [
        ("raw append and sync", f"p50 {raw.p50_ms} ms", f"p99 {raw.p99_ms} ms"),
        ("one memory, synced", f"p50 {single.p50_ms} ms", f"p99 {single.p99_ms} ms"),
        ("one memory against raw", f"{figures.ratio_to_raw} times", ""),
        ("a batch of 1,000", f"{figures.batch_per_second:,.0f} records/s", ""),
    ]
    rows += [
        (f"{number} thread{'s' if number > 1 else ''}", f"{rate:,.0f} writes/s", "")
        for number, rate in figures.threads_per_second.items()
    ]
    rows += [
        (f"get, {figures.stored:,} records", f"p50 {figures.get_p50_ms} ms", ""),
        (f"recall, {figures.stored:,} records", f"p50 {figures.recall_p50_ms} ms", ""),
    ]
    return grid(("what", "figure", "tail"), rows)
