"""`lamina extract` and `lamina items`."""

from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.marks import Grid, grid
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.progress import progress
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.core.record import Record
    from lamina.results import ExtractReport

_LONGEST: Final = 100


@click.command(cls=Command)
@click.argument("path", shell_complete=completing.files)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--all", "reread", is_flag=True, help="Bring back what was removed by hand too.")
@click.option("--no-vectors", is_flag=True, help="Leave the vectors to later recalls.")
@click.pass_context
def extract(context: click.Context, /, path: str, *, no_vectors: bool, **how: Any) -> None:
    """Read decisions, tasks, claims, terms and notes out of files.

    Markdown, plain text and the comments of code are read by fixed rules. Run it again to follow
    what changed: the same words stay the same item, and what no file says any more goes. `lamina
    items` lists them, `lamina forget ID` takes one out for good.
    """
    from lamina.surfaces import wire

    session = context.ensure_object(Session)
    session.may_create = not how["dry_run"]
    items = session.memory().item
    with progress(session, "Extracting", 100) as advance:
        report = items.extract(
            path,
            vectors=not no_vectors,
            on_progress=lambda share: advance(round(100 * share)),
            **how,
        )
    if session.out.as_json:
        session.out.document(wire.extract_out(report))
    elif not session.out.quiet:
        session.out.show(_table(report))
        _tell(session, report)
    session.tell_if_new()


@click.command(cls=Command)
@click.argument("text", required=False)
@click.option("--type", metavar="TYPE", help="entity, claim, task, decision or note.")
@click.option("--file", metavar="PATH", help="Of this file, or of the files in this folder.")
@click.option("--state", metavar="STATE", default="current", help="As `proposed`.")
@click.option("--limit", type=int, default=100, show_default=True, metavar="N")
@pass_session
def items(session: Session, /, **asked: Any) -> None:
    """List what was read out of files, with file and line.

    With TEXT, the best match first. `lamina forget ID` takes an item out; it stays out while its
    file says the same.
    """
    from lamina.surfaces import wire

    found = session.memory().item.query(**asked)
    if session.out.as_json:
        session.out.document(wire.records_out(found, len(found)))
    elif session.out.quiet:
        for record in found:
            session.out.raw(record.id)
    elif found:
        session.out.show(
            grid(("id", "type", "where", "sure", "title"), [_row(one) for one in found])
        )
    else:
        session.out.note("Nothing matches; `lamina extract PATH` reads files.")


def _row(record: "Record") -> tuple[str, ...]:
    data = record.data
    place = f"{data.get('file', '')}:{data.get('line', '')}"
    title = str(data.get("title", record.text))[:_LONGEST]
    return record.id, record.kind, place, f"{record.confidence:.2f}", title


def _table(report: "ExtractReport") -> Grid:
    would = "" if report.applied else "would be "
    rows = [
        ("files", f"{report.files:,}"),
        *((f"{kind} items", f"{number:,}") for kind, number in report.kinds.items()),
        (f"{would}added", f"{report.added:,}"),
        (f"{would}replaced", f"{report.replaced:,}"),
        ("unchanged", f"{report.unchanged:,}"),
        (f"{would}expired", f"{report.expired:,}"),
        ("kept out by hand", f"{report.kept_out:,}"),
        ("skipped", f"{len(report.skipped):,}"),
        ("secrets sealed", f"{report.sealed:,}"),
        ("scope", report.scope),
    ]
    return grid(("what", report.root), rows)


def _tell(session: Session, report: "ExtractReport") -> None:
    from lamina.surfaces.cli.indexing import few

    for file, reason in few(report.skipped):
        session.out.note(f"skipped {file}: {reason}")
    for file, note in few(report.notes):
        session.out.note(f"{file}: {note}")
    for missing in report.degraded:
        session.out.note(f"Note: {missing}")
