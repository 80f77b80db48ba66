"""`lamina backup` and `lamina restore`."""

import sys
from typing import TYPE_CHECKING

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.marks import Span, grid
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.progress import progress
from lamina.surfaces.cli.session import Session, is_there, pass_session

if TYPE_CHECKING:
    from lamina.results import BackupReport, RestoreReport

_KEY = "The key to the secrets (secret.key) is not in the backup"


@click.command(cls=Command)
@click.argument("target", metavar="FILE", shell_complete=completing.files)
@pass_session
def backup(session: Session, /, target: str) -> None:
    """Copy the whole store into one verified file.

    Others may go on writing meanwhile: the copy is one committed state. It is read back and looked
    over before FILE appears, and never replaces a file. Secrets stay sealed in it, and the key is
    not in it.
    """
    from lamina.surfaces import wire

    memory = session.handle if session.is_acting else session.unbound
    with progress(session, "Backing up", 100) as advance:
        report = memory.backup(target, on_progress=lambda share: advance(round(100 * share)))
    if session.out.as_json:
        session.out.document(wire.backup_out(report))
    elif not session.out.quiet:
        _show_backup(session, report)


@click.command(cls=Command)
@click.argument("source", metavar="FILE", shell_complete=completing.files)
@click.option("--replace", is_flag=True, help="Replace the store that is there; it is kept aside.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.pass_context
def restore(context: click.Context, /, source: str, *, replace: bool, yes: bool) -> None:
    """Make a store again from a backup.

    The store is the one that every command would use, or lies where --dir says. What was erased
    since the backup was made stays erased. No other process may have the store open.
    """
    from lamina.config import HOME
    from lamina.errors import ForbiddenError, InvalidInputError
    from lamina.restoring import restore as restore_store
    from lamina.surfaces import wire

    session = context.ensure_object(Session)
    if session.is_acting:
        raise ForbiddenError("only the owner restores a store", remedy="Leave out --as and --role")
    folder = session.config.path
    if session.config.directory.origin == HOME and not is_there(folder):
        raise InvalidInputError(
            "there is no store here, and nothing says where the restored one should be",
            remedy=f"Say where, as in: lamina --dir .lamina restore {source}",
        )
    if replace and not yes and _would_ask(session) and not _confirmed(session):
        session.out.note("Nothing was changed.")
        context.exit(wire.INTERNAL)
    with progress(session, "Restoring", 100) as advance:
        report = restore_store(
            source,
            folder,
            replace=replace,
            on_progress=lambda share: advance(round(100 * share)),
        )
    if session.out.as_json:
        session.out.document(wire.restore_out(report))
    elif not session.out.quiet:
        _show_restore(session, report)


def _would_ask(session: Session) -> bool:
    """Whether a person is there to ask; a program says what it wants with --replace alone."""
    watched = sys.stdin.isatty() and sys.stdout.isatty()
    return watched and not session.out.as_json and is_there(session.config.path)


def _confirmed(session: Session) -> bool:
    from lamina.surfaces.cli.marks import one_line

    where = one_line(str(session.config.path.absolute()))
    return click.confirm(f"Replace the store in {where}?", default=False)


def _show_backup(session: Session, report: "BackupReport") -> None:
    rows: list[tuple[str, str | Span]] = [
        ("backup", Span(report.file, "bold")),
        ("size", f"{report.bytes:,} bytes"),
        ("sha256", report.sha256),
        ("records", str(report.records)),
        ("events", str(report.events)),
        ("sealed secrets", str(report.secrets)),
        ("verified", Span("read back and looked over", "green")),
    ]
    session.out.show(grid(("what", "result"), rows))
    if report.secrets:
        session.out.note(f"{_KEY}: keep a copy of it elsewhere")


def _show_restore(session: Session, report: "RestoreReport") -> None:
    from lamina.config import FILE
    from lamina.core.instants import to_text

    rows: list[tuple[str, str | Span]] = [
        ("store", Span(report.directory, "bold")),
        ("backup of", to_text(report.at)),
        ("records", str(report.records)),
        ("erased again", str(len(report.erased))),
        ("before", report.replaced or "nothing"),
    ]
    session.out.show(grid(("what", "result"), rows))
    if report.replaced:
        session.out.note("The store that was there is kept: delete it when you are content")
    if not (session.config.path / FILE).exists():
        session.out.note("A backup names no project: `lamina init --project NAME` sets it again")
    if report.secrets and not report.has_key:
        session.out.note(f"{_KEY}: put it into {report.directory} to read {report.secrets} secrets")
