"""`lamina tasks`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.groups import Group
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.core.record import Record
    from lamina.surfaces.cli.marks import Grid

F = TypeVar("F", bound=Callable[..., Any])
_NAMES: Final = completing.keys_of("task")
_STYLES: Final = {"active": "bold", "done": "green", "blocked": "yellow", "dropped": "dim"}


def _statuses(_: click.Context) -> "Iterable[str]":
    from lamina.layers.tasks import Status

    return [status.value for status in Status]


_STATUSES: Final = completing.offering(_statuses)


def _plan_options(command: F) -> F:
    """What may be said of a task."""
    for option in (
        click.option("--milestone", metavar="NAME", help="What it belongs to."),
        click.option("--priority", type=int, metavar="N", help="The greater, the more urgent."),
        click.option("--accept", "acceptance", multiple=True, metavar="TEXT",
                     help="What must be true for it to be done; may be repeated."),
        click.option("--blocked-by", multiple=True, metavar="NAME", shell_complete=_NAMES,
                     help="A task that it waits for; may be repeated."),
    ):  # fmt: skip
        command = option(command)
    return command


@click.group(cls=Group, usual="list")
def tasks() -> None:
    """Show, add and move what is to be done.

    Tasks are the project's; outside a project they are everyone's (the scope `global`).
    """


@tasks.command("list")
@click.option("--status", metavar="STATUS", shell_complete=_STATUSES, help="As `open`.")
@click.option("--milestone", metavar="NAME", help="Only of this milestone.")
@click.option("--ready", is_flag=True, help="Only open ones that wait for nothing.")
@click.option("-n", "--limit", type=int, default=100, show_default=True, metavar="N",
              help="At most so many.")  # fmt: skip
@pass_session
def list_tasks(
    session: Session, /, status: str | None, milestone: str | None, limit: int, *, ready: bool
) -> None:
    """Show tasks, the most urgent first, then the oldest."""
    from lamina.errors import InvalidInputError
    from lamina.reading import check_limit
    from lamina.surfaces.cli.saying import none_of, say_table

    if ready and status is not None:
        raise InvalidInputError(
            "`--ready` and `--status` cannot both be asked", remedy="Leave one of them out"
        )
    face = session.handle.task
    if ready:
        every = face.ready(limit=10_000)
        of_it = [one for one in every if milestone in (None, one.data.get("milestone"))]
        found = of_it[: check_limit(limit)]
    else:
        found = face.query(status=status, milestone=milestone, limit=check_limit(limit))
    asked = ready or (status, milestone) != (None, None)
    say_table(session, found, _grid, none_of("tasks", face.scope, asked=asked), by_key=True)


@tasks.command("graph")
@click.option("-n", "--limit", type=int, default=1000, show_default=True, metavar="N",
              help="At most so many.")  # fmt: skip
@pass_session
def task_graph(session: Session, /, limit: int) -> None:
    """Show tasks as a tree, each below the first of those that it waits for."""
    from lamina.reading import check_limit
    from lamina.surfaces.cli.saying import none_of, say_table
    from lamina.surfaces.cli.task_tree import tree

    face = session.handle.task
    found = face.query(limit=check_limit(limit))
    nothing = none_of("tasks", face.scope, asked=False)
    say_table(session, found, lambda all_of: tree(all_of, _STYLES), nothing, by_key=True)


@tasks.command("add")
@click.argument("name", metavar="NAME")
@click.argument("description", metavar="DESCRIPTION")
@_plan_options
@pass_session
def add_task(session: Session, /, name: str, description: str, **plan: Any) -> None:
    """Add a task; a name that is taken is refused."""
    from lamina.surfaces.cli.saying import say_kept

    session.may_create = True
    say_kept(session, session.handle.task.add(name, description, **_said(plan)))


@tasks.command("show")
@click.argument("name", metavar="NAME", shell_complete=_NAMES)
@pass_session
def show_task(session: Session, /, name: str) -> None:
    """Show one task."""
    from lamina.core.names import check_name
    from lamina.layers.tasks import awaited
    from lamina.surfaces import wire
    from lamina.surfaces.cli.marks import Span, line
    from lamina.surfaces.cli.views import DIM, instant

    found = session.handle.task.get(check_name(name, "task"))
    if session.out.as_json:
        session.out.document(wire.record_out(found))
        return
    facts = {
        "name": name, "status": found.data.get("status"), "priority": found.data.get("priority"),
        "milestone": found.data.get("milestone"),
        "waits for": ", ".join(awaited(found)), "note": found.data.get("note"),
        "by": found.source, "changed": instant(found.updated_at), "rev": found.rev,
    }  # fmt: skip
    shown = [line(Span(f"{one:<12}", DIM), str(value)) for one, value in facts.items() if value]
    accepted = [line(Span(f"{'accept':<12}", DIM), one) for one in found.data.get("acceptance", ())]
    session.out.show(line(Span(found.text, "bold")), line(""), *shown, *accepted)


@tasks.command("move")
@click.argument("name", metavar="NAME", shell_complete=_NAMES)
@click.argument("status", metavar="STATUS", shell_complete=_STATUSES)
@click.option("--note", default="", metavar="TEXT", help="Why.")
@pass_session
def move_task(session: Session, /, name: str, status: str, note: str) -> None:
    """Give a task another status.

    STATUS is open, active, blocked, done or dropped; a step that makes no sense is refused.
    """
    from lamina.core.names import check_name
    from lamina.layers.tasks import ENDED
    from lamina.surfaces.cli.saying import say_receipt

    handle, task = session.handle, check_name(name, "task")
    say_receipt(session, handle.task.move(task, status, note=note))
    if status in ENDED:
        from lamina.orchestration.learning import learn

        learn(handle, [task])


@tasks.command("change")
@click.argument("name", metavar="NAME", shell_complete=_NAMES)
@click.argument("description", required=False, metavar="[DESCRIPTION]")
@_plan_options
@pass_session
def change_task(session: Session, /, name: str, description: str | None, **plan: Any) -> None:
    """Say something else of a task; what is not named stays."""
    from lamina.core.names import check_name
    from lamina.surfaces.cli.saying import say_receipt

    task = check_name(name, "task")
    say_receipt(session, session.handle.task.change(task, description, **_said(plan)))


def _said(plan: dict[str, Any]) -> Any:
    """What was said of a task, as the layer takes it."""
    said = {name: value for name, value in plan.items() if value is not None and value != ()}
    return {name: list(one) if isinstance(one, tuple) else one for name, one in said.items()}


def _grid(records: "Sequence[Record]") -> "Grid":
    from lamina.layers.tasks import awaited
    from lamina.surfaces.cli.marks import Span, grid
    from lamina.surfaces.cli.views import cut

    rows = [
        (
            Span(str(one.key), "bold"),
            Span(_of(one, "status"), _STYLES.get(_of(one, "status"), "")),
            _of(one, "priority"), _of(one, "milestone"),
            ", ".join(awaited(one)) or "-", cut(one.text),
        )
        for one in records
    ]  # fmt: skip
    return grid(("name", "status", "priority", "milestone", "waits for", "description"), rows)


def _of(record: "Record", name: str) -> str:
    return str(record.data.get(name, "-"))
