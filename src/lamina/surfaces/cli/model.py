"""`lamina model`."""

from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.memory import Memory
    from lamina.models.governor import Governed

_ASKED: Final = "Answer with one word: hello"
_LONGEST: Final = 200
_HOW: Final = (
    "`lamina config set model.url http://127.0.0.1:11434/v1` and"
    " `lamina config set model.name MODEL`"
)


@click.command(cls=Command)
@click.option("--test", is_flag=True, help="Ask it for one word; that costs some tokens.")
@pass_session
def model(session: Session, /, *, test: bool) -> None:
    """Show which model may be asked, and what it has cost today.

    The settings `model.…` name it and its budget: `lamina config show model` lists them. An address
    that is not on this machine is named by the environment, as LAMINA_MODEL_URL, and so is its key.
    """
    from lamina.errors import InvalidInputError
    from lamina.models import configured
    from lamina.surfaces import wire_models

    found = configured(session.handle)
    if test and found is None:
        raise InvalidInputError("no model is configured", remedy=f"To have one: {_HOW}")
    said = {} if found is None or not test else _tested(found)
    _show(session, {**wire_models.model_out(found), **said})


def the_model(memory: "Memory", else_say: str = "") -> "Governed":
    """The model that the settings name, for commands that do nothing without one."""
    from lamina.errors import InvalidInputError
    from lamina.models import configured

    found = configured(memory)
    if found is None:
        remedy = f"Name one: `lamina model` says how{else_say}"
        raise InvalidInputError("no model is configured", remedy=remedy)
    return found


def _tested(found: "Governed") -> dict[str, Any]:
    from lamina import clock

    began = clock.stopwatch()
    reply = found.chat([{"role": "user", "content": _ASKED}], max_tokens=_LONGEST)
    return {
        "answer": reply.text.strip(),
        "seconds": round(clock.stopwatch() - began, 2),
        "used": reply.tokens_in + reply.tokens_out,
    }


def _show(session: Session, told: dict[str, Any]) -> None:
    from lamina.surfaces.cli.marks import grid

    if session.out.as_json:
        session.out.document(told)
    elif told["model"] is None:
        session.out.note("No model is asked for anything.", f"To have one: {_HOW}.")
    else:
        rows = [(name.replace("_", " "), _said(value)) for name, value in told.items()]
        session.out.show(grid(("what", "value"), rows))


def _said(value: object) -> str:
    if value is None:
        return "no limit"
    return f"{value:,}" if isinstance(value, int | float) else str(value)
