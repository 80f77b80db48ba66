"""`lamina init` and `lamina completion`."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from lamina.surfaces.cli.completing import offering
from lamina.surfaces.cli.marks import line
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.errors import ConflictError
    from lamina.memory import Memory

_SHELLS: Final = ("bash", "zsh", "fish")


@click.command(cls=Command)
@click.option("--agent", metavar="NAME", help="Begin the memory of this agent in the project.")
@pass_session
def init(session: Session, /, agent: str | None) -> None:
    """Make a store for the project in this folder.

    The store lies in `.lamina`, or where --dir says. The project is called like the folder unless
    --project names it. With --agent, the log of that agent begins with the entry that its memory
    was initialised. What is there already stays, and so does the name of its project.

    Memories are written out as files beside the store as well, for you to read and edit;
    `lamina config set files.live off` ends that.
    """
    from lamina import config
    from lamina.core import settings
    from lamina.core.names import check_name, to_name
    from lamina.core.principal import Principal, Role, Surface
    from lamina.core.scope import Scope
    from lamina.opening import open as open_memory

    here = Path.cwd()
    folder = here / config.FOLDER if session.directory is None else session.config.path
    named = config.read_file(folder).get(config.PROJECT)
    given = named or to_name(here.name, "project") if session.project is None else session.project
    wanted = check_name(given, "project")
    if named not in (None, wanted):
        raise _taken(folder / config.FILE, str(named))
    if agent is not None:
        # Before there is a store: a name that cannot be an agent's makes none.
        Principal(check_name(agent, "--agent"), Role.AGENT, Scope.of(f"project/{wanted}"))
    with open_memory(folder, hot=session.hot_address, surface=Surface.CLI) as memory:
        if named is None:
            config.name_project(folder, wanted)
        if settings.LIVE not in memory.store.settings():
            memory.configure(settings.LIVE, "on")
        is_live = memory.settings()[settings.LIVE] == "on"
        begun = agent is not None and _begin(memory.agent(agent, project=wanted))
    if session.out.as_json:
        told = {"directory": str(folder), "project": wanted, "agent": agent, "begun": begun}
        session.out.document(told)
        return
    session.out.show(line(f"{folder} holds the memories of the project {wanted}."))
    if agent is not None:
        session.out.show(line(f"The memory of {agent} {'begins' if begun else 'is there'}."))
        session.out.note(f"`lamina --as {agent}` acts as this agent.")
    if is_live:
        files = folder / "projects" / wanted
        session.out.note(
            f"The files of {wanted} are in {files}; `lamina sync` takes over what you edit there."
        )
    if (here / ".git").exists() and not _is_ignored(here):
        session.out.note(f"Add {config.FOLDER}/ to .gitignore: memories are private.")


@click.command(cls=Command)
@click.argument(
    "shell", default="", metavar="bash|zsh|fish", shell_complete=offering(lambda _: _SHELLS)
)
@pass_session
def completion(session: Session, /, shell: str) -> None:
    """Print the completion script for a shell.

    For bash: eval "$(lamina completion bash)" in ~/.bashrc, and alike for zsh; for fish, save it
    as ~/.config/fish/completions/lamina.fish.
    """
    from click.shell_completion import get_completion_class

    from lamina.errors import InvalidInputError
    from lamina.surfaces.cli.main import cli

    kind = get_completion_class(shell) if shell in _SHELLS else None
    if kind is None:
        raise InvalidInputError(
            f"there is no completion for {shell!r:.40}" if shell else "no shell was named",
            remedy=f"Use one of: {', '.join(_SHELLS)}",
        )
    script = kind(cli, {}, "lamina", "_LAMINA_COMPLETE").source()
    if session.out.as_json:
        session.out.document({"shell": shell, "script": script})
    else:
        session.out.raw(script)


def _begin(agent: "Memory") -> bool:
    """Leave the first entry in an agent's log; false when something of it is there already."""
    from lamina.errors import ConflictError

    own = str(agent.scope)
    if agent.count(scope=own):
        return False
    try:
        agent.remember(
            "memory initialised", layer="log", kind="SYSTEM", key="initialised", expect=0
        )
    except ConflictError:
        # Somebody else has begun it in this moment.
        return False
    return True


def _taken(file: Path, project: str) -> "ConflictError":
    from lamina.errors import ConflictError

    return ConflictError(
        f"the store in {file.parent} belongs to the project {project}",
        remedy=f"Leave --project out, or change the name in {file}",
    )


def _is_ignored(folder: Path) -> bool:
    try:
        return ".lamina" in (folder / ".gitignore").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
