"""`lamina artifacts`."""

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from lamina.surfaces.cli import completing, workspace
from lamina.surfaces.cli.groups import Group
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.record import Record
    from lamina.layers.artifacts import Verified
    from lamina.surfaces.cli.marks import Grid

_TYPES: Final = completing.kinds_of("artifact")
_TASKS: Final = completing.keys_of("task")
_STYLES: Final = {"same": "green", "changed": "yellow", "missing": "red", "unknown": "yellow"}
_NO: Final = 1
_WIDE: Final = 110
_WORKSPACE: Final = click.option(
    "--workspace", metavar="DIR", shell_complete=completing.folders,
    help="The folder that paths are kept relative to: the one that holds `.lamina`, else this one.",
)  # fmt: skip


@click.group(cls=Group, usual="list")
def artifacts() -> None:
    """Follow the files that work has produced.

    They are kept with size and checksum and by their path in the workspace, which no path leads
    out of. Artifacts are the project's; outside a project, everyone's (the scope `global`).
    """


@artifacts.command("list")
@click.option("--task", metavar="TASK", shell_complete=_TASKS, help="Only of this task.")
@click.option("--type", "kind", metavar="TYPE", shell_complete=_TYPES, help="As `patch`.")
@click.option("-n", "--limit", type=int, default=100, show_default=True, metavar="N")
@pass_session
def list_artifacts(session: Session, /, task: str | None, kind: str | None, limit: int) -> None:
    """Show what is registered, newest first."""
    from lamina.core.layers import LAYERS, check_kind_of
    from lamina.core.names import check_name
    from lamina.surfaces.cli.saying import none_of, say_table

    wanted = None if task is None else check_name(task, "--task")
    if kind is not None:
        check_kind_of(LAYERS["artifact"], kind, "--type")
    face = session.handle.artifact
    found = face.query(task=wanted, kind=kind, limit=limit)
    nothing = none_of("artifacts", face.scope, asked=(task, kind) != (None, None))
    # Size and checksum have no room on a narrow terminal; --json has them.
    is_narrow = session.out.width is not None and session.out.width < _WIDE
    say_table(session, found, partial(_grid, short=is_narrow), nothing, by_key=True)


@artifacts.command()
@click.argument("path", metavar="PATH", shell_complete=completing.files)
@click.option(
    "--task", required=True, metavar="TASK", shell_complete=_TASKS, help="What it was made for."
)
@click.option(
    "--type", "kind", default="file", show_default=True, metavar="TYPE", shell_complete=_TYPES,
    help="file, patch, test, document or config.",
)  # fmt: skip
@click.option("--description", default="", metavar="TEXT", help="What it is.")
@_WORKSPACE
@pass_session
def register(
    session: Session, /, path: str, task: str, kind: str, description: str, workspace: str | None
) -> None:
    """Keep that a task produced a file; again, that it changed it."""
    from lamina.core.layers import LAYERS, check_kind_of
    from lamina.surfaces.cli.saying import say_kept

    check_kind_of(LAYERS["artifact"], kind, "--type")
    session.may_create = True
    folder, name = _placed(session, workspace, path)
    face = session.handle.artifact
    kept = face.register(name, task=task, workspace=folder, kind=kind, description=description)
    say_kept(session, kept)


@artifacts.command()
@click.option("--task", metavar="TASK", shell_complete=_TASKS, help="Only those of this task.")
@_WORKSPACE
@click.pass_context
def verify(context: click.Context, /, task: str | None, workspace: str | None) -> None:
    """Compare the files with what was registered.

    Shows those that changed, are missing, or were registered without a checksum; exits with 1
    when there are any.
    """
    from lamina.core.names import check_name
    from lamina.surfaces import wire_layers

    session = context.ensure_object(Session)
    wanted = None if task is None else check_name(task, "--task")
    folder = _workspace(session, workspace)
    found = list(session.handle.artifact.verify(workspace=folder, task=wanted))
    odd = [one for one in found if one.standing.value != "same"]
    if session.out.as_json:
        from lamina import clock

        session.out.document(wire_layers.verification_out(found, str(folder), clock.now()))
    elif odd:
        session.out.show(_standings(odd))
    session.out.note(f"{len(found) - len(odd):,} of {len(found):,} are as they were registered.")
    if odd:
        context.exit(_NO)


@artifacts.command()
@click.argument("path", metavar="PATH", shell_complete=completing.keys_of("artifact"))
@_WORKSPACE
@pass_session
def deregister(session: Session, /, path: str, workspace: str | None) -> None:
    """Forget an artifact; the file stays, and undo brings the entry back."""
    from lamina.surfaces.cli.saying import say_receipt

    _, name = _placed(session, workspace, path)
    say_receipt(session, session.handle.artifact.deregister(name))


def _workspace(session: Session, given: str | None) -> Path:
    """The folder that paths are relative to, the same from wherever below it one calls."""
    if given is not None:
        return workspace.named(given)
    here, around = Path.cwd(), workspace.around_store(session)
    return around if around is not None and here.is_relative_to(around) else here


def _placed(session: Session, workspace: str | None, path: str) -> tuple[Path, str]:
    """The workspace, and a path that the shell would understand as one within it."""
    from lamina.core.canonical import check_text
    from lamina.layers.workspace import Workspace

    folder = Path(os.path.abspath(_workspace(session, workspace)))
    return folder, Workspace(folder).named(os.path.abspath(check_text(path, "path", limit=4096)))


def _grid(records: "Sequence[Record]", *, short: bool) -> "Grid":
    from lamina.surfaces.cli.marks import Span, grid
    from lamina.surfaces.cli.views import cut, instant

    rows = [
        (
            Span(str(one.key), "bold"), one.kind, str(one.data.get("task", "-")), one.source,
            *(() if short else _measured(one)),
            instant(one.updated_at), "" if one.text == one.key else cut(one.text),
        )
        for one in records
    ]  # fmt: skip
    measures = () if short else ("bytes", "sha256")
    return grid(("path", "type", "task", "by", *measures, "changed", "what"), rows)


def _measured(record: "Record") -> tuple[str, str]:
    size = record.data.get("size")
    told = f"{size:,}" if isinstance(size, int) else "-"
    return told, str(record.data.get("sha256", "-"))[:12]


def _standings(found: "Sequence[Verified]") -> "Grid":
    from lamina.surfaces.cli.marks import Span, grid

    rows = [
        (Span(one.standing.value, _STYLES[one.standing.value]), one.path,
         str(one.record.data.get("task", "-")), one.record.source)
        for one in found
    ]  # fmt: skip
    return grid(("file", "path", "task", "by"), rows)
