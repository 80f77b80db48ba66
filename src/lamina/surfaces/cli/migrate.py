"""`lamina migrate`: the store goes to another directory, or into a database and back."""

from typing import TYPE_CHECKING

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.marks import Span, grid
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.progress import progress
from lamina.surfaces.cli.session import Session

if TYPE_CHECKING:
    from lamina.results import MoveReport


@click.command(cls=Command)
@click.option("--from", "source", metavar="PLACE", shell_complete=completing.files,
              help="Directory or postgresql:// address; by default the store in use.")  # fmt: skip
@click.option("--to", "target", metavar="PLACE", shell_complete=completing.files,
              help="The same, with nothing in it.")  # fmt: skip
@click.option("--keep", is_flag=True, help="Leave the source in use; the target is a copy.")
@click.option("--dry-run", is_flag=True, help="Only show what would be moved.")
@click.option("--reopen", is_flag=True, help="Let a store that was moved be written again.")
@click.pass_context
def migrate(
    context: click.Context,
    /,
    source: str | None,
    target: str | None,
    *,
    keep: bool,
    dry_run: bool,
    reopen: bool,
) -> None:
    """Move the store to another directory or database, while it is in use.

    Everything goes along: history, receipts, sealed values, vectors and the log. Writers wait only
    for the last short step. The copy is compared with the source before it takes its place; the
    source then refuses to be written and says where it went. Stopped at any point, the same command
    goes on.
    """
    from lamina.errors import ForbiddenError, InvalidInputError

    session = context.ensure_object(Session)
    if session.is_acting:
        raise ForbiddenError("only the owner moves a store", remedy="Leave out --as and --role")
    here = source or session.config.directory.value or ""
    if reopen:
        if target or keep or dry_run:
            raise InvalidInputError(
                "`--reopen` goes with --from alone", remedy="Leave the rest out"
            )
        _reopen(session, here)
        return
    if not target:
        raise InvalidInputError(
            "`--to` is missing", remedy="Say where, as in: lamina migrate --to postgresql://…"
        )
    _move(session, here, target, keep=keep, dry_run=dry_run)


def _move(session: Session, source: str, target: str, *, keep: bool, dry_run: bool) -> None:
    from lamina.moving import migrate as move_store
    from lamina.surfaces import wire_moving

    with progress(session, "Moving", 100) as advance:
        report = move_store(
            source,
            target,
            keep=keep,
            dry_run=dry_run,
            on_progress=lambda share: advance(round(100 * share)),
        )
    if session.out.as_json:
        session.out.document(wire_moving.move_out(report))
    elif not session.out.quiet:
        _show(session, report)


def _reopen(session: Session, source: str) -> None:
    from lamina.moving import reopen
    from lamina.surfaces import wire_moving

    moved = reopen(source)
    if session.out.as_json:
        session.out.document(wire_moving.reopened_out(moved))
    elif not session.out.quiet:
        session.out.note(
            "It had not been moved; nothing was changed."
            if moved is None
            else f"It can be written again. The store at {moved} is another one from now on;"
            " what was hot in a Redis stays with that."
        )


def _show(session: Session, report: "MoveReport") -> None:
    rows: list[tuple[str, str | Span]] = [
        ("from", report.source),
        ("to", Span(report.target, "bold")),
        *((f"{name}s", f"{number:,}") for name, number in report.rows.items() if number),
    ]
    if report.digests:
        rows += [
            ("verified", Span("every row, the log and recall", "green")),
            ("writers held", f"{report.held_seconds:.1f} s"),
        ]
    session.out.show(grid(("what", "result"), rows))
    if not report.applied:
        session.out.note("Begun before; it would go on" if report.resumed else "Nothing was moved")
        return
    if not report.digests:
        session.out.note("It had been moved there before; nothing was left to do")
    if report.key:
        session.out.note(f"The key to the secrets was copied to {report.key}")
    if report.hot:
        session.out.note("What is hot stays in its Redis: name that with the new place (--hot)")
    if not report.kept:
        session.out.note("Name the new place from now on; the old one can only be read")
