"""`lamina bench context`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from lamina.surfaces.cli.benching import phase, scratch
from lamina.surfaces.cli.marks import Grid, Line, grid, line
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session


@click.command(cls=Command)
@click.option(
    "--data", metavar="DIR", type=click.Path(path_type=Path),
    help="The folder with the sets, as NAME.jsonl.gz; without it only time is measured.",
)  # fmt: skip
@click.option("--sets", multiple=True, metavar="NAME", help="This set instead of `locomo`.")
@click.option("--limit-queries", type=int, metavar="N", help="So many queries of each set.")
@click.option(
    "--records", type=int, default=0, metavar="N", help="Also time contexts in so large a store."
)
@click.option("--embedder", metavar="SPEC", help="What makes the vectors; else the default.")
@pass_session
def context(session: Session, /, data: Path | None, embedder: str | None, **options: Any) -> None:
    """Measure how much of what a question needs is in a context.

    At 1,000 to 8,000 tokens, next to what was said last and what is nearest by vector, labels and
    marks counted. Works in a scratch folder below --dir, or below the system's temporary directory.
    """
    from lamina.bench.context import Plan, measure
    from lamina.core.embedder_spec import DEFAULT
    from lamina.errors import InvalidInputError

    if data is None and not options["records"]:
        raise InvalidInputError("there is nothing to measure", remedy="Name --data or --records")
    plan = Plan(
        data, options["sets"] or ("locomo",), options["limit_queries"], options["records"],
        embedder or DEFAULT, folder=scratch(session),
    )  # fmt: skip
    found = measure(plan, phase(session))
    if session.out.as_json:
        session.out.document(found)
    else:
        session.out.show(*report(found))


def report(found: dict[str, Any]) -> Iterator[Line | Grid]:
    """The figures for a person."""
    for name, one in found["sets"].items():
        yield line(f"{name}, {one['questions']:,} questions with evidence")
        rows = [
            (f"{way} of it in {int(budget):,}", *(f"{at[column]:.3f}" for column in _COLUMNS))
            for way in ("any", "all")
            for budget, at in one[way].items()
        ]
        yield grid(("evidence", *_COLUMNS), rows, headed=True)
    if "speed" in found:
        speed = found["speed"]
        yield line(
            f"{speed['records']:,} records: p50 {speed['p50_ms']} ms, p99 {speed['p99_ms']} ms"
        )


_COLUMNS = ("lamina", "recent", "vector", "ratio")
