"""`lamina sync`, and `lamina watch --files`."""

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.marks import line
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.record import Record
    from lamina.files import Files, SyncReport

_SHOWN: Final = 5


@click.command(cls=Command)
@click.option(
    "--to", metavar="FOLDER", shell_complete=completing.folders,
    help="Where the files lie, if not in the store's folder.",
)  # fmt: skip
@click.option("--yes", is_flag=True, help="Forget what is gone from a file, however much it is.")
@pass_session
def sync(session: Session, /, to: str | None, yes: bool) -> None:
    """Bring the files that people read and the store together.

    Takes over what was written into NOW.md, MEMORY.md, AGENT.md and tasks.json, then writes every
    file anew that the store has moved on from. What cannot be taken over is kept aside, with a
    notice. A file that lost over a fifth of its entries is asked about.
    """
    files = files_of(session, to, accept=yes)
    report = files.sync()
    if session.out.as_json:
        session.out.document(as_json(report, files))
    else:
        say(session, report, files)


def files_of(session: Session, folder: str | None, *, accept: bool = False) -> "Files":
    """The files of the store in force."""
    from lamina.files import Files

    def ask(file: str, lost: "Sequence[Record]") -> bool | None:
        if accept:
            return True
        if session.out.as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
            return None
        for record in lost[:_SHOWN]:
            session.out.note(f"  {record.text[:70]}")
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        return click.confirm(f"{file} has lost these{more}. Forget them?", err=True)

    # Its owner has files for every project, whichever is in force here.
    return Files(session.handle if session.is_acting else session.unbound, folder, ask=ask)


def say(session: Session, report: "SyncReport", files: "Files") -> None:
    """Tell a person what a sync came to."""
    out = session.out
    out.show(*(line(f"wrote {file}") for file in report.written))
    if report.changes:
        out.show(
            line(
                f"took over {report.added} new, {report.changed} changed and"
                f" {report.forgotten} removed entries"
            )
        )
    for record in report.clashes:
        out.note(f"Both sides changed {record}: yours holds, the other waits as a proposal.")
    for kept in report.asides:
        out.note(f"{kept.file}: {'; '.join(kept.why)}. A copy is in {kept.copy}")
    for notice in report.notices:
        out.note(notice)
    if not (report.written or report.changes or report.asides or report.notices):
        out.note(f"Nothing to do: files and store agree in {files.root}")


def as_json(report: "SyncReport", files: "Files") -> dict[str, Any]:
    """What a sync came to, as JSON."""
    return {
        "folder": str(files.root),
        "written": report.written,
        "added": report.added,
        "changed": report.changed,
        "forgotten": report.forgotten,
        "clashes": report.clashes,
        "kept": [
            {"file": kept.file, "copy": kept.copy, "why": list(kept.why)} for kept in report.asides
        ],
        "notices": report.notices,
    }


def watch_files(
    session: Session, folder: str | None, *, once: bool, patience: float | None
) -> None:
    """Go on bringing files and store together until interrupted, or nothing has changed so long."""
    from lamina.files.following import follow

    files = files_of(session, folder)

    def tell(report: "SyncReport") -> None:
        if session.out.as_json:
            session.out.json_line(as_json(report, files))
        else:
            say(session, report, files)
        sys.stdout.flush()

    if once:
        tell(files.sync())
        return
    session.out.note(f"Keeping the files in {files.root} and the store together; Ctrl-C ends.")
    try:
        follow(files, tell, patience=patience)
    except KeyboardInterrupt:
        raise click.Abort from None
