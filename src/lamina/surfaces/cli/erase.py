"""`lamina erase`."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli.marks import Grid, Span, grid, line
from lamina.surfaces.cli.options import Command, names_argument, which_options
from lamina.surfaces.cli.session import Session

if TYPE_CHECKING:
    from lamina.core.record import Record
    from lamina.memory import Memory
    from lamina.results import Erasure

_MOST_SHOWN: Final = 20


@click.command(cls=Command)
@names_argument
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@which_options
@click.pass_context
def erase(context: click.Context, /, names: tuple[str, ...], *, yes: bool, **which: Any) -> None:
    """Remove memories for good, and verify it.

    Every version goes, with its index entries and sealed secrets; then the files are searched for
    what was erased. Only the fact that something was erased stays in the log.
    """
    from lamina.surfaces import wire

    session = context.ensure_object(Session)
    records = [session.find(name, **which) for name in names]
    memory = session.memory(which["scope"])
    if not yes and not _confirmed(session, memory, records):
        session.out.note("Nothing was erased.")
        context.exit(wire.INTERNAL)
    report = memory.erase(*(record.id for record in records))
    if session.out.as_json:
        session.out.document(wire.erasure_out(report))
    elif not session.out.quiet:
        session.out.show(report_grid(report))
    if not report.complete:
        context.exit(wire.DAMAGED)


def report_grid(report: "Erasure") -> Grid:
    """What went, where it was looked for, and what remains."""
    left = ", ".join(report.residue)
    verdict = (
        Span("complete", "bold green") if report.complete else Span("NOT complete", "bold red")
    )
    rows: list[tuple[str, str | Span]] = [
        ("erase", verdict),
        ("records", str(len(report.records))),
        ("versions", str(report.versions)),
        ("sealed secrets", str(report.sealed)),
        ("searched", f"{report.files} files, {report.bytes:,} bytes"),
        ("left behind", Span(left, "red") if left else Span("nothing", "green")),
        *([("not looked at", Span(", ".join(report.unlooked), "red"))] if report.unlooked else []),
        ("log", Span("verified", "green") if report.chain_verified else Span("broken", "red")),
        ("others that say the same", _some(report.mentions) or "none"),
        *([("files that still hold it", _some(report.sources))] if report.sources else []),
    ]
    return grid(("what", "result"), rows)


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_SHOWN
    return ", ".join(names[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _confirmed(session: Session, memory: "Memory", records: Sequence["Record"]) -> bool:
    from lamina.errors import InvalidInputError
    from lamina.surfaces.cli.views import cut

    if session.out.as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InvalidInputError(
            "erasing cannot be undone and nobody is there to ask",
            remedy="Add --yes when you are sure",
        )
    rows = [
        (record.id, record.scope, str(len(memory.history(record.id))), cut(record.text))
        for record in records
    ]
    session.out.show(
        line(Span("This goes for good, with every version:", "bold")),
        grid(("id", "scope", "versions", "text"), rows),
    )
    return click.confirm("Erase?", default=False)
