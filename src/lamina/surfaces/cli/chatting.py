"""`lamina run --chat`: a conversation, one line at a time, kept in the session."""

import sys
from typing import TYPE_CHECKING, Final

from lamina.surfaces.cli.running import answer
from lamina.surfaces.cli.session import Session

if TYPE_CHECKING:
    from lamina.runtime import Agent

_HELP: Final = "Commands: /now, /context [QUESTION], /quit. Ctrl-D ends, Ctrl-C stops an answer."


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
        session.out.complain(error.message, error.remedy)
    except KeyboardInterrupt:
        session.out.note('Stopped. Say "continue" to go on where it was.')


def _command(session: Session, agent: "Agent", said: str) -> None:
    name, _, rest = said.partition(" ")
    if name == "/now":
        now = agent.memory.now.read()
        _shown(
            session, [now.objective or "(no objective)", *(f"- {one}" for one in now.next_steps)]
        )
    elif name == "/context":
        shown = agent.memory.context(rest.strip(), budget=agent.limits.memory)
        _shown(session, [shown.text or "(nothing is remembered)", f"({shown.tokens} tokens)"])
    else:
        session.out.note(f"There is no command {name}.", _HELP)


def _shown(session: Session, lines: list[str]) -> None:
    from lamina.surfaces.cli.marks import visible

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
