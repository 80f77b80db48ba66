"""`lamina capsule`."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.marks import Span, grid, line
from lamina.surfaces.cli.options import Command, global_options
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.capsule import About
    from lamina.layers.notebook import Notebook
    from lamina.recalling import How
    from lamina.results import Recall

_file = click.argument("file", metavar="FILE", shell_complete=completing.files)
_ROWS: Final = {
    "own": "made by this store",
    "forgotten": "forgotten here",
    "erased": "skipped, erased here",
    "unknown_secrets": "secrets not in this store",
}


@click.group(params=global_options(hidden=True))
def capsule() -> None:
    """Hand over the notebook of a task as one file.

    A capsule holds the notes of one agent on one task. It can be searched without a store, and
    taken into another. Secrets do not travel: it holds their references.
    """


@capsule.command(cls=Command)
@click.argument("task", metavar="TASK")
@_file
@click.option("--agent", metavar="NAME", help="Whose notebook; that of the project unless given.")
@click.option("--replace", is_flag=True, help="Replace the file that is there.")
@pass_session
def make(session: Session, /, task: str, file: str, *, agent: str | None, replace: bool) -> None:
    """Write the notes on TASK into FILE."""
    about = _notebook(session, agent, task).capsule(file, replace=replace)
    _tell(session, about, "written and synced")


@capsule.command(cls=Command)
@_file
@pass_session
def verify(session: Session, /, file: str) -> None:
    """Check that FILE is what was written.

    Exits with 7 when it was cut short, damaged or changed. Compare its sha256 with the one that
    its maker was shown to know that nobody wrote it anew.
    """
    from lamina.capsule import read

    _tell(session, read(file).about, "whole")


@capsule.command(cls=Command)
@_file
@click.argument("words", nargs=-1, required=True, metavar="QUERY...")
@click.option("-k", type=int, metavar="N", help="So many, if there are; else at most 10.")
@click.option("--words-only", is_flag=True, help="By words alone, not by meaning.")
@pass_session
def search(
    session: Session, /, file: str, words: tuple[str, ...], *, k: int | None, words_only: bool
) -> None:
    """Search FILE, best first; no store is needed."""
    from lamina.capsule import open as open_capsule
    from lamina.surfaces import wire
    from lamina.surfaces.cli.recall import query_of

    how: How = {} if k is None else {"k": k}
    with open_capsule(file, words_only=words_only) as opened:
        found = opened.recall(query_of(words), **how)
    if session.out.as_json:
        session.out.document(wire.recall_out(found))
    else:
        _show(session, found)


@capsule.command("import", cls=Command)
@_file
@click.option("--agent", metavar="NAME", help="Into the notebook of this agent.")
@click.option("--task", metavar="TASK", help="Into the notebook for this task.")
@click.option("--via", metavar="SORT", help="Trust it no more than this: agent, file, tool or web.")
@click.pass_context
def import_capsule(context: click.Context, /, file: str, **where: Any) -> None:
    """Take the notes of FILE into a notebook.

    Into that of the capsule's own agent and task, in the project in force, unless others are named.
    Notes that another store made are trusted no more than a file. What was erased here stays
    erased, and a second import changes nothing.
    """
    from lamina.capsule import take_in

    session = context.ensure_object(Session)
    session.may_create = True
    taken = asdict(take_in(session.handle, file, **where))
    if session.out.as_json:
        session.out.document(taken)
    elif not session.out.quiet:
        taken["own"] = "yes" if taken["own"] else "no"
        rows = [(_ROWS.get(name, name), str(value)) for name, value in taken.items()]
        session.out.show(grid(("what", "result"), rows))
    session.tell_if_new()


def _notebook(session: Session, agent: str | None, task: str) -> "Notebook":
    from lamina.errors import InvalidInputError

    if agent is None:
        return session.handle.notebook(task)
    if session.is_acting:
        raise InvalidInputError(
            "`--agent` is for the owner; who acts has a notebook of its own",
            remedy="Leave out --as and --role, or --agent",
        )
    project = session.config.project.value
    return session.unbound.agent(agent, project=project).notebook(task)


def _tell(session: Session, about: "About", standing: str) -> None:
    said = {**asdict(about), "agent": about.agent, "task": about.task}
    if session.out.as_json:
        session.out.document(said)
    elif not session.out.quiet:
        rows: list[tuple[str, str | Span]] = [
            ("capsule", Span(about.file, "bold")),
            ("notes of", about.scope),
            ("notes", str(about.records)),
            ("size", f"{about.bytes:,} bytes"),
            ("sha256", about.sha256),
            ("verified", Span(standing, "green")),
        ]
        session.out.show(grid(("what", "result"), rows))


def _show(session: Session, found: "Recall") -> None:
    from lamina import clock
    from lamina.surfaces.cli import hits

    out, now = session.out, clock.now()
    for number, hit in enumerate(found.hits, start=1):
        if out.quiet:
            out.raw(hit.record.id)
        else:
            out.show(*hits.hit_lines(number, hit, now, out.width))
    if found.abstained and not out.quiet:
        out.show(line("Nothing relevant is noted."))
    for missing in found.degraded:
        out.note(f"Note: {missing}")
