"""`lamina run --chat`: a conversation, one line at a time, kept in the session."""

import sys
from typing import TYPE_CHECKING, Any, Final

from lamina.surfaces.cli.running import answer
from lamina.surfaces.cli.session import Session

if TYPE_CHECKING:
    from lamina.errors import LaminaError
    from lamina.runtime import Agent

_HELP: Final = "Commands: /now, /context [QUESTION], /quit. Ctrl-C stops an answer, Ctrl-D ends."


def chat(session: Session, agent: "Agent", talk: str) -> None:
    """Talk until the input ends."""
    session.out.note(_HELP)
    while (line := _line()) is not None:
        said = line.strip()
        if said in ("/quit", "/exit"):
            return
        if said.startswith("/"):
            _command(session, agent, said)
        elif said:
            _answered(session, agent, said, talk)


def _answered(session: Session, agent: "Agent", said: str, talk: str) -> None:
    """An answer; what goes wrong is told, and the conversation goes on."""
    from lamina.errors import LaminaError

    try:
        answer(session, agent, said, talk)
    except LaminaError as error:
        _told(session, error)
    except KeyboardInterrupt:
        session.out.note('Stopped. Say "continue" to go on where it was.')


def _command(session: Session, agent: "Agent", said: str) -> None:
    name, _, rest = said.partition(" ")
    if name == "/now":
        now = agent.memory.now.read()
        steps = [f"- {one}" for one in now.next_steps]
        told = {"objective": now.objective, "next_steps": list(now.next_steps)}
        _shown(session, told, [now.objective or "(no objective)", *steps])
    elif name == "/context":
        from lamina.surfaces.wire_layers import context_out

        shown = agent.memory.context(rest.strip(), budget=agent.limits.memory)
        lines = [shown.text or "(nothing is remembered)", f"({shown.tokens} tokens)"]
        _shown(session, context_out(shown), lines)
    else:
        from lamina.errors import InvalidInputError

        _told(session, InvalidInputError(f"there is no command {name:.40}", remedy=_HELP))


def _told(session: Session, error: "LaminaError") -> None:
    """What went wrong; with `--json` it is one of the lines, as whoever reads them waits for it."""
    if session.out.as_json:
        from lamina.surfaces.wire import error_out

        session.out.json_line(error_out(error))
    else:
        session.out.complain(error.message, error.remedy)


def _shown(session: Session, told: dict[str, Any], lines: list[str]) -> None:
    from lamina.surfaces.cli.marks import visible

    if session.out.as_json:
        session.out.json_line(told)
        return
    for one in lines:
        session.out.raw(visible(one))


def _line() -> str | None:
    """What somebody types; nothing at the end of the input."""
    if sys.stdin.isatty():
        sys.stdout.write("> ")
        sys.stdout.flush()
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError:
        return ""
    return line if line else None
