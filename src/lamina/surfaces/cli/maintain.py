"""`lamina maintain`."""

import sys
from typing import TYPE_CHECKING

import click

from lamina.surfaces.cli.marks import Grid, Span, grid, line
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session

if TYPE_CHECKING:
    from lamina.memory import Memory
    from lamina.results import MaintenanceReport


@click.command(cls=Command)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option("--yes", "-y", is_flag=True, help="Agree to a large purge beforehand.")
@click.pass_context
def maintain(context: click.Context, /, *, dry_run: bool, yes: bool) -> None:
    """Drop history that may go, and tidy the store.

    The settings `history.LAYER` say how many earlier versions stay and for how long; the newest
    version of a memory and the log always stay. Receipts go as `receipts.keep` says, and the
    write-ahead log is emptied. Nothing of this happens by itself, and a purge of over 5% of all
    versions asks.
    """
    from lamina.surfaces import wire

    session = context.ensure_object(Session)
    memory = session.handle if session.is_acting else session.unbound
    if not dry_run and not yes and _somebody_is_there(session):
        yes = _agreed(session, memory)
        if not yes:
            session.out.note("Nothing was dropped.")
            context.exit(wire.INTERNAL)
    report = memory.maintain(dry_run=dry_run, confirm=yes)
    if session.out.as_json:
        session.out.document(wire.maintenance_out(report))
    elif not session.out.quiet:
        session.out.show(_table(report))


def _somebody_is_there(session: Session) -> bool:
    return not session.out.as_json and sys.stdin.isatty() and sys.stdout.isatty()


def _agreed(session: Session, memory: "Memory") -> bool:
    """Whether the purge may go ahead; a small one does not ask."""
    plan = memory.maintain(dry_run=True)
    if not plan.asks:
        return True
    session.out.show(line(Span("This history goes for good:", "bold")), _table(plan))
    return click.confirm("Drop it?", default=False)


def _table(report: "MaintenanceReport") -> Grid:
    what = "dropped" if report.applied else "would drop"
    rows = [
        (f"{what}: {one.layer}", f"{one.pruned:,} of {one.versions:,} versions")
        for one in report.layers
        if one.pruned
    ] or [(what, f"0 of {report.versions:,} versions")]
    rows.append((f"{what}: receipts", f"{report.receipts:,}"))
    if report.applied:
        emptied = "emptied" if report.tidied else "left alone, because somebody is reading"
        rows.append(("write-ahead log", emptied))
    elif report.asks:
        rows.append(("to go ahead", "needs --yes"))
    return grid(("what", "result"), rows)
