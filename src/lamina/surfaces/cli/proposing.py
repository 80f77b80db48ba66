"""`lamina propose`."""

from typing import TYPE_CHECKING, Any

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.groups import Group
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.proposing import Report

_dry_run = click.option("--dry-run", is_flag=True, help="Ask, and only show what it says.")


@click.group(cls=Group, usual="facts")
def propose() -> None:
    """Have a model propose facts and lessons, which wait for you.

    `lamina model` shows which model is asked. What it proposes counts for nothing until `lamina
    accept ID` makes it current; `lamina promote --review` shows what waits, with the words that it
    was read in. That it proposes by itself is switched on with `lamina config set propose.facts
    on`, and `propose.lessons`.
    """


@propose.command("facts")
@click.option("--session", "name", metavar="SESSION", help="Only what was said in this session.",
              shell_complete=completing.sessions)  # fmt: skip
@_dry_run
@pass_session
def propose_facts(session: Session, /, name: str | None, *, dry_run: bool) -> None:
    """Propose facts from what was said and not looked at yet.

    With --as NAME from the sessions of that agent, else from those of the project itself.
    """
    from lamina import proposing
    from lamina.surfaces.cli.model import the_model

    handle = session.handle
    names = handle.session.names() if name is None else [name]
    model = the_model(handle)
    reports = [proposing.facts(handle, one, model, dry_run=dry_run) for one in names]
    _show(session, reports, dry_run=dry_run)


@propose.command("lessons")
@click.option("--task", "name", metavar="TASK", required=True, help="The task that has ended.",
              shell_complete=completing.keys_of("task"))  # fmt: skip
@_dry_run
@pass_session
def propose_lessons(session: Session, /, name: str, *, dry_run: bool) -> None:
    """Propose lessons from what was noted and tried for a task."""
    from lamina import proposing
    from lamina.surfaces.cli.model import the_model

    handle = session.handle
    report = proposing.lessons(handle, name, the_model(handle), dry_run=dry_run)
    _show(session, [report], dry_run=dry_run)


def _show(session: Session, reports: "list[Report]", *, dry_run: bool) -> None:
    from lamina.proposing import PROPOSED
    from lamina.surfaces import wire_models
    from lamina.surfaces.cli.marks import grid

    out, told = session.out, wire_models.reports_out(reports)
    found: list[dict[str, Any]] = told["proposals"]
    if out.as_json:
        out.document(told)
        return
    if out.quiet:
        for one in found:
            out.raw(one["id"] or one["text"])
        return
    if found:
        rows = [
            (one["id"] or "-", one["kind"], one["key"] or "-", one["text"],
             one["data"][PROPOSED]["quote"])
            for one in found
        ]  # fmt: skip
        out.show(grid(("id", "kind", "key", "what", "read in"), rows))
    for why in told["left_out"]:
        out.note(f"Left out: {why}.")
    if not found:
        out.note("Nothing was proposed.")
    elif not dry_run:
        out.note("`lamina accept ID` makes one current.")
