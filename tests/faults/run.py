"""Run the faults at full size: `python -m tests.faults.run --only kills --size kills=500`.

Progress goes to standard error, a table to standard output, and everything to a JSON file. The
status is 1 as soon as anything was violated.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import pytest
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import lamina
from lamina import clock
from lamina.core.instants import to_text
from lamina.durable import replace_file
from tests.faults.report import Report
from tests.faults.table import FAULTS, Fault

SHOWN = 5
"""How many violations of one fault are printed; the JSON file has them all."""


def run_fault(fault: Fault, size: int, seed: int, progress: Progress) -> Report:
    """Run one fault in a folder of its own; whatever it raises is a violation too."""
    task = progress.add_task(fault.name, total=size)
    start = perf_counter()
    with tempfile.TemporaryDirectory(prefix=f"lamina-{fault.name}-") as folder:
        try:
            report = fault.run(
                size,
                seed,
                Path(folder),
                lambda done, total: progress.update(task, completed=done, total=total),
            )
        # At a desk a test that cannot run is skipped; here it was asked for.
        except (Exception, pytest.skip.Exception) as error:
            progress.console.print_exception()
            report = Report(fault.name, seed, 0, [f"seed {seed}: {error!r}"])
    report.seconds = round(perf_counter() - start, 1)
    return report


def run_all(chosen: Sequence[tuple[Fault, int]], seed: int) -> list[Report]:
    """Run the faults one after another."""
    columns = (
        TextColumn("{task.description:12}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True)) as progress:
        return [run_fault(fault, size, seed, progress) for fault, size in chosen]


def as_table(reports: Sequence[Report]) -> Table:
    """What a person wants to know of the reports."""
    table = Table("fault", "what", box=None, pad_edge=False)
    for name in ("trials", "violations", "95 % below", "seconds"):
        table.add_column(name, justify="right")
    for one in reports:
        bound = "-" if one.ci95_upper is None else f"{one.ci95_upper:.2%}"
        table.add_row(
            one.fault, FAULTS[one.fault].what, f"{one.trials:,}",
            str(len(one.violations)), bound, f"{one.seconds:.1f}",
        )  # fmt: skip
    return table


def show(reports: Sequence[Report]) -> None:
    """Print the table, the figures and the first violations."""
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    console.print(as_table(reports))
    for one in reports:
        for name, value in one.figures.items():
            console.print(f"{one.fault}: {name} = {json.dumps(value)}", markup=False)
        for line in one.violations[:SHOWN]:
            console.print(f"{one.fault}: VIOLATION {line}", markup=False)
    trials, wrong = sum(one.trials for one in reports), sum(len(one.violations) for one in reports)
    console.print(f"{len(reports)} faults, {trials:,} trials, {wrong} violations", style="bold")


def save(path: Path, reports: Sequence[Report], seed: int) -> None:
    """Write the reports so that the file is whole or absent."""
    document = {
        "lamina": lamina.__version__,
        "at": to_text(clock.now()),
        "seed": seed,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "faults": [report.to_json() for report in reports],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, [json.dumps(document, indent=2), "\n"])


def size_given(text: str) -> tuple[str, int]:
    """Parse `NAME=N`."""
    name, _, number = text.partition("=")
    if name not in FAULTS or not number.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=N with one of {', '.join(FAULTS)}")
    return name, int(number)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; the status says whether anything was violated."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.run", description=__doc__)
    parser.add_argument("--only", choices=FAULTS, action="append", help="leave out the others")
    parser.add_argument(
        "--size", type=size_given, action="append", default=[], metavar="NAME=N",
        help="how many trials; 0 leaves a fault out",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, default=Path("build/faults.json"))
    given = parser.parse_args(arguments)
    sizes = {name: fault.size for name, fault in FAULTS.items()} | dict(given.size)
    chosen = [(FAULTS[name], sizes[name]) for name in given.only or FAULTS if sizes[name]]
    reports = run_all(chosen, given.seed)
    show(reports)
    save(given.json, reports, given.seed)
    return int(any(report.violations for report in reports))


if __name__ == "__main__":
    sys.exit(main())
