"""`lamina now`."""

from typing import TYPE_CHECKING

import click

from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.layers.now import Status
    from lamina.surfaces.cli.marks import Line


@click.command(cls=Command)
@click.argument("objective", required=False, metavar="[OBJECTIVE]")
@click.option(
    "--next", "steps", multiple=True, metavar="STEP",
    help="What comes next; repeated, the steps in order. They replace those there were.",
)  # fmt: skip
@click.option("--no-next", is_flag=True, help="Nothing comes next: take the steps away.")
@pass_session
def now(
    session: Session, /, objective: str | None, steps: tuple[str, ...], *, no_next: bool
) -> None:
    """Show or say what is being done, and what comes next.

    With --as NAME, what that agent is doing. Without, what the project itself is about, or outside
    a project what holds for everyone (the scope `global`). What is not named stays as it was.
    """
    if objective is None and not steps and not no_next:
        _show(session)
        return
    from lamina.errors import InvalidInputError
    from lamina.surfaces.cli.saying import say_kept

    if steps and no_next:
        raise InvalidInputError(
            "`--next` and `--no-next` contradict each other", remedy="Leave one of them out"
        )
    session.may_create = True
    wanted = list(steps) if steps or no_next else None
    say_kept(session, session.handle.now.update(objective, wanted))


def _show(session: Session) -> None:
    from lamina.surfaces import wire_layers

    face = session.handle.now
    found = face.read()
    if session.out.as_json:
        session.out.document(wire_layers.status_out(found, face.scope))
    elif found.updated_at is None:
        from lamina.surfaces.cli.saying import or_an_agents

        nothing = f"Nothing is said of what goes on in {face.scope}."
        session.out.note(nothing + or_an_agents(session))
    else:
        session.out.show(*_lines(found, face.scope))


def _lines(found: "Status", scope: str) -> "list[Line]":
    from lamina import clock
    from lamina.surfaces.cli.marks import Span, line
    from lamina.surfaces.cli.views import DIM, age

    objective = found.objective or "(no objective)"
    steps = [line(f"  {number}. {step}") for number, step in enumerate(found.next_steps, 1)]
    said = "" if found.updated_at is None else age(found.updated_at, clock.now())
    return [line(Span(objective, "bold")), *steps, line(Span(f"   {scope} · {said}", DIM))]
