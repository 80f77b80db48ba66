"""`lamina bench scale`."""

from collections.abc import Iterator
from typing import Any

import click

from lamina.surfaces.cli.benching import phase, scratch
from lamina.surfaces.cli.marks import Grid, Line, grid, line
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session


@click.command(cls=Command)
@click.option(
    "--records", type=int, default=1_000_000, show_default=True, metavar="N",
    help="How many records are loaded before anything is measured.",
)  # fmt: skip
@click.option(
    "--clients", default="1,4,16", show_default=True, metavar="N,N,...",
    help="How many processes write at a time.",
)  # fmt: skip
@click.option(
    "--agents", type=int, default=200, show_default=True, metavar="N",
    help="How many agents work on the servers; 0 leaves them out.",
)  # fmt: skip
@click.option(
    "--servers", type=int, default=4, show_default=True, metavar="N",
    help="How many servers they work on.",
)  # fmt: skip
@click.option(
    "--seconds", type=float, default=300.0, show_default=True, metavar="S",
    help="For how long.",
)  # fmt: skip
@click.option("--each", type=int, default=50, metavar="N", help="Questions of each of six sorts.")
@click.option(
    "--embedder", default="off", show_default=True, metavar="SPEC",
    help="What makes the vectors, as `static`; a slow one takes hours at a million.",
)  # fmt: skip
@click.option(
    "--address", metavar="URL",
    help="A Postgres to measure, in a schema that is dropped afterwards; else one is started.",
)  # fmt: skip
@pass_session
def scale(session: Session, /, clients: str, **options: Any) -> None:
    """Measure a large store in Postgres, next to SQLite and to plain rows.

    Loads both with the same records, then measures writing by many processes, recall, how soon a
    signal wakes another process, how a large project gets partitions of its own, and agents on
    several servers. Works in a scratch folder below --dir, or below the system's temporary
    directory. A million records take 20 minutes on two free cores, and 12 GB of disk.
    """
    from importlib.util import find_spec

    from lamina.errors import UnsupportedError

    for module, extra in (("psycopg", "postgres"), ("uvicorn", "server")):
        if find_spec(module) is None:
            raise UnsupportedError(
                f"what is measured needs the package `{module}`, which is not installed",
                remedy=f"Run `pip install 'lamina[{extra}]'`",
            )
    from lamina.bench.scale import Plan, measure
    from lamina.bench.scale import clients as numbers

    plan = Plan(scratch(session), clients=numbers(clients), **options)
    found = measure(plan, phase(session))
    if session.out.as_json:
        session.out.document(found)
    else:
        session.out.show(*report(found))


def report(found: dict[str, Any]) -> Iterator[Line | Grid]:
    """The figures for a person."""
    machine = found["machine"]
    yield line(
        f"{found['records']:,} records; {machine['system']}, {machine['cpus']} CPUs, Python"
        f" {machine['python']}; {found['filesystem']}; load {found['load']} at the start"
    )
    sides = ("postgres", "sqlite")
    loaded, recalled, woken = found["load_in"], found["recall"], found["wake"]
    parts = {"recall": "whole", "recall in a scope of 1%": "in_scope"}
    rows = [
        ("loaded per second", *(f"{loaded[side]['per_second']:,.0f}" for side in sides)),
        ("bytes for a record", *(f"{loaded[side]['bytes_per_record']:,}" for side in sides)),
        ("indexes of vectors", *(f"{loaded[side]['index_seconds']} s" for side in sides)),
        *(
            (f"{name}, p50 | p99", *(_wait(recalled[side][part]) for side in sides))
            for name, part in parts.items()
        ),
        ("blackboard wakes a process, p50 | p99", *(_wait(woken[side]) for side in sides)),
    ]
    yield grid(("what", *sides), rows)
    yield _writes(found["write"])
    yield from _partitions(found["partitions"])
    if "agents" in found:
        yield from _agents(found["agents"])


def _wait(spread: dict[str, Any]) -> str:
    return f"{spread['p50_ms']} | {spread['p99_ms']} ms"


def _writes(found: dict[str, Any]) -> Grid:
    rows = [
        (
            number, way.replace("_", ", "), f"{one['per_second']:,.0f}", _wait(one),
            f"{one['ratio_to_plain']} times",
        )
        for number, ways in found.items()
        for way, one in ways.items()
    ]  # fmt: skip
    return grid(("processes", "write to", "per second", "p50 | p99", "of plain rows"), rows)


def _partitions(found: dict[str, Any]) -> Iterator[Line | Grid]:
    yield line(
        f"{found['records']:,} records of {found['projects']} project moved to partitions of its"
        f" own in {found['seconds']} s"
    )
    rows = [
        (where, *(f"{_wait(found[when][where])}, {found[when][where]['worst_ms']} at worst"
                  for when in ("before", "meanwhile")))
        for where in ("inside", "elsewhere")
    ]  # fmt: skip
    yield grid(("writers", "before, p50 | p99", "meanwhile, p50 | p99"), rows)


def _agents(found: dict[str, Any]) -> Iterator[Line | Grid]:
    errors = sum(found["errors"].values())
    yield line(
        f"{found['agents']} agents on {found['servers']} servers for {found['seconds']} s:"
        f" {found['operations']:,} operations, {errors} errors"
    )
    yield grid(
        ("what", "operations", "p50 | p99"),
        [
            (kind, f"{one['operations']:,}", _wait(one) if one["operations"] else "")
            for kind, one in found["kinds"].items()
        ],
    )
    for what, number in found["errors"].items():
        yield line(f"{number} times {what}")
