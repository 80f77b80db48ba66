"""`lamina bench ui`."""

from collections.abc import Iterator
from typing import Any

import click

from lamina.surfaces.cli.benching import phase, scratch
from lamina.surfaces.cli.marks import Grid, Line, grid, line
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session


@click.command(cls=Command)
@click.option(
    "--records", type=int, default=100_000, show_default=True, metavar="N",
    help="How large the store is.",
)  # fmt: skip
@click.option(
    "--rounds", type=int, default=10, show_default=True, metavar="N",
    help="How often the page is opened, and how many questions are typed.",
)  # fmt: skip
@click.option(
    "--embedder", metavar="SPEC", help="What makes the vectors; the usual one unless given."
)
@pass_session
def ui(session: Session, /, **options: Any) -> None:
    """Measure the web interface in Chromium: opening, typing a search, scrolling.

    It needs Chromium and the package `playwright`. Works in a scratch folder below --dir, or below
    the system's temporary directory.
    """
    from importlib.util import find_spec

    from lamina.bench.pages import Plan, find_browser, measure
    from lamina.errors import UnsupportedError

    plan, browser = Plan(scratch(session), **options), find_browser()
    if browser is None or find_spec("playwright") is None:
        raise UnsupportedError(
            "what is measured needs Chromium and the package `playwright`",
            remedy="Install a browser, and run `pip install playwright 'lamina[server]'`",
        )
    found = measure(plan, browser, phase(session))
    if session.out.as_json:
        session.out.document(found)
    else:
        session.out.show(*report(found))


def report(found: dict[str, Any]) -> Iterator[Line | Grid]:
    """The figures for a person."""
    machine, sizes = found["machine"], found["first_load"]
    yield line(
        f"{machine['system']}, {machine['cpus']} CPUs, Chromium {found['browser']};"
        f" {found['records']:,} records; load {found['load']} at the start"
    )
    rows = [
        ("first paint", found["opened"]["first_paint"]),
        ("the overview tells something", found["opened"]["meaningful"]),
        (f"from a letter to its hits, {found['typed']['letters']} letters", found["typed"]),
    ]
    columns = ("p50_ms", "p99_ms", "worst_ms")
    told = [(what, *(f"{row[name]:,.0f} ms" for name in columns)) for what, row in rows]
    yield grid(("what", "p50", "p99", "worst"), told)
    yield line(
        f"first load: {sizes['js']:,} bytes of JavaScript, {sizes['css']:,} of styles, compressed;"
        f" scrolling at {found['scrolled_frames_per_second']} frames/s"
    )
