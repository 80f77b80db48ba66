"""`lamina bench http`."""

from collections.abc import Iterator
from typing import Any

import click

from lamina.surfaces.cli.benching import phase, scratch
from lamina.surfaces.cli.marks import Grid, Line, grid, line
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session


@click.command(cls=Command)
@click.option(
    "--seconds", type=float, default=2.0, show_default=True, metavar="S",
    help="How long each measurement takes.",
)  # fmt: skip
@click.option(
    "--records", type=int, default=1_000, show_default=True, metavar="N",
    help="How large the store is.",
)  # fmt: skip
@click.option(
    "--subscribers", type=int, default=1_000, show_default=True, metavar="N",
    help="How many streams are open; 0 leaves them out.",
)  # fmt: skip
@click.option(
    "--embedder", default="off", show_default=True, metavar="SPEC",
    help="What makes the vectors, which cost the same with a wire and without.",
)  # fmt: skip
@pass_session
def http(session: Session, /, **options: Any) -> None:
    """Measure the server over HTTP: calls by many connections, and streams.

    Each call stands next to the same one without a wire and to a route that does nothing. Works in
    a scratch folder below --dir, or below the system's temporary directory.
    """
    from importlib.util import find_spec

    from lamina.bench.http import Plan, measure
    from lamina.errors import UnsupportedError

    if find_spec("uvicorn") is None:
        raise UnsupportedError(
            "what is measured needs the package `uvicorn`, which is not installed",
            remedy="Run `pip install 'lamina[server]'`",
        )
    plan = Plan(scratch(session), **options)
    found = measure(plan, phase(session))
    if session.out.as_json:
        session.out.document(found)
    else:
        session.out.show(*report(found))


def report(found: dict[str, Any]) -> Iterator[Line | Grid]:
    """The figures for a person."""
    machine = found["machine"]
    yield line(
        f"{machine['system']}, {machine['cpus']} CPUs, Python {machine['python']};"
        f" {found['filesystem']}; load {found['load']} at the start"
    )
    rows = [
        (f"{what.replace('_', ', ')}, {number} at once", *_figures(row))
        for what in next(iter(found["requests"].values()))
        for number, row in ((number, one[what]) for number, one in found["requests"].items())
    ]
    headings = ("what", "per second", "p50", "p99", "of a core", "of embedded", "of empty")
    yield grid(headings, rows)
    if "streams" in found:
        yield from _streams(found["streams"])


def _figures(row: dict[str, Any]) -> list[str]:
    ratios = [row.get(f"ratio_to_{one}", {}).get("per_second", "") for one in ("embedded", "empty")]
    return [f"{row['per_second']:,.0f}", f"{row['p50_ms']} ms", f"{row['p99_ms']} ms",
            f"{row['cpu_ms']} ms", *map(str, ratios)]  # fmt: skip


def _streams(found: dict[str, Any]) -> Iterator[Line | Grid]:
    yield line(
        f"{found['subscribers']:,} streams, {found['kb_per_subscriber']} KB each;"
        f" every event is for {found['matching']} of them"
    )
    rows = [
        (
            name.replace("_", " "), f"{one['per_second']:,.0f}", f"{one['delivery']['p50_ms']} ms",
            f"{one['delivery']['p99_ms']} ms", str(one["missed"]), f"{one['server_cpu_percent']}%",
        )
        for name, one in found.items()
        if isinstance(one, dict)
    ]  # fmt: skip
    yield grid(("events", "per second", "p50", "p99", "missed", "of a core"), rows)
