"""`lamina run`: one answer, or a chat, of an agent with a memory."""

import sys
from typing import TYPE_CHECKING, Any

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session, read_stdin

if TYPE_CHECKING:
    from lamina.core.chat import Model
    from lamina.runtime import Agent, Run

_LARGEST_SCRIPT = 8_000_000


@click.command(cls=Command)
@click.argument("words", nargs=-1, metavar="[TEXT]...")
@click.option(
    "--agent",
    metavar="NAME",
    help="Who answers; the same as --as.",
    shell_complete=completing.agents,
)
@click.option(
    "--session",
    "talk",
    default="main",
    show_default=True,
    metavar="NAME",
    help="The conversation that this belongs to.",
    shell_complete=completing.sessions,
)
@click.option("--chat", is_flag=True, help="Talk on: one line at a time, until the input ends.")
@click.option(
    "--script",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help="Play a model from JSON lines, to try things without one.",
)
@click.option("--wait", type=float, default=0.0, metavar="SECONDS",
              help="How long to wait for another run of the session to end.")  # fmt: skip
@pass_session
def run(session: Session, /, words: tuple[str, ...], **given: Any) -> None:
    """Let an agent with a memory answer, or chat with it.

    TEXT is what you say, or - to read it from standard input. A run that was interrupted goes on
    with "continue": nothing that has a result is done again. `lamina model` says which model is
    asked.
    """
    from lamina.core.canonical import MAX_BYTES
    from lamina.errors import InvalidInputError

    text = read_stdin(MAX_BYTES) if words == ("-",) else " ".join(words)
    if not words and not given["chat"]:
        raise InvalidInputError(
            "nothing is asked", remedy='Say it: lamina run --agent NAME "…", or use --chat'
        )
    agent = _agent(session, given["agent"], given["script"])
    session.tell_if_new()
    if words:
        _say(session, _answered(session, agent, text, given["talk"], given["wait"]))
    if given["chat"]:
        from lamina.surfaces.cli.chatting import chat

        chat(session, agent, given["talk"])


def answer(session: Session, agent: "Agent", text: str, talk: str) -> None:
    """One answer, shown as it comes."""
    _say(session, _answered(session, agent, text, talk, 0.0))


def _answered(session: Session, agent: "Agent", text: str, talk: str, wait: float) -> "Run":
    if session.out.as_json:
        return agent.run(text, session=talk, wait=wait)
    shown = _Shown()
    try:
        return agent.run(text, session=talk, on_text=shown.take, wait=wait)
    except BaseException:
        # What is told next belongs on a line of its own, not behind half an answer.
        shown.end()
        raise


def _say(session: Session, done: "Run") -> None:
    """The end of a line that was streamed, or the whole as JSON."""
    if session.out.as_json:
        from lamina.surfaces.wire_runtime import run_out

        session.out.json_line(run_out(done))
        return
    session.out.raw("")
    calls = [call.tool for step in done.steps for call in step.calls]
    if calls or done.window.left_out:
        used = f"{len(calls)} tool calls" if len(calls) != 1 else "1 tool call"
        out = f", {done.window.left_out} messages left out" if done.window.left_out else ""
        session.out.note(f"({used}, {done.window.total} tokens before the model{out})")


class _Shown:
    """An answer on the screen, piece by piece."""

    def __init__(self) -> None:
        self._is_inside = False

    def take(self, piece: str) -> None:
        from lamina.surfaces.cli.marks import visible

        sys.stdout.write(visible(piece))
        sys.stdout.flush()
        self._is_inside = not piece.endswith("\n")

    def end(self) -> None:
        if self._is_inside:
            sys.stdout.write("\n")
            sys.stdout.flush()


def _agent(session: Session, name: str | None, script: str | None) -> "Agent":
    from lamina.errors import InvalidInputError
    from lamina.memory import AgentMemory
    from lamina.runtime import Agent
    from lamina.surfaces.cli.model import the_model

    if name is not None and session.name not in (None, name):
        raise InvalidInputError(
            f"`--agent` {name!r:.60} and `--as` {session.name!r:.60} are not the same",
            remedy="Leave one of them out",
        )
    session.name = name or session.name
    if session.name is None:
        raise InvalidInputError("nobody is named to answer", remedy="Name an agent: --agent NAME")
    # A model that is missing must not leave an empty store behind.
    model = _scripted(script) if script else None
    session.may_create = script is not None
    memory = session.handle
    assert isinstance(memory, AgentMemory)
    return Agent(memory, model or the_model(memory, "; or try without: --script FILE"))


def _scripted(path: str) -> "Model":
    from pathlib import Path

    from lamina.errors import InvalidInputError
    from lamina.models.scripted import ScriptedModel, lines_of

    with Path(path).open("rb") as file:
        found = file.read(_LARGEST_SCRIPT + 1)
    try:
        if len(found) > _LARGEST_SCRIPT:
            raise InvalidInputError(f"`--script` has more than {_LARGEST_SCRIPT:,} bytes")
        return ScriptedModel(lines_of(found.decode("utf-8")))
    except UnicodeDecodeError:
        raise InvalidInputError("`--script` is not UTF-8", remedy="Convert it first") from None
