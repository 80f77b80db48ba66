"""`lamina init` and `lamina completion`."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.marks import line
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.errors import ConflictError
    from lamina.memory import Memory

_SHELLS: Final = ("bash", "zsh", "fish")


@click.command(cls=Command)
@click.argument("where", default="", metavar="[WHERE]", shell_complete=completing.folders)
@click.option("--agent", metavar="NAME", help="Begin the memory of this agent in the project.")
@pass_session
def init(session: Session, /, where: str, agent: str | None) -> None:
    """Make a store for the project in this folder.

    The store lies in `.lamina`, or where WHERE or --dir says: a directory, or a database as
    postgresql://USER@HOST/DATABASE. The project is called like the folder unless --project names
    it. With --agent, the log of that agent begins with the entry that its memory was initialised.
    What is there already stays, and so does the name of its project.

    Memories are written out as files beside a store in a directory as well, for you to read and
    edit; `lamina config set files.live off` ends that. No file names the project of a database:
    say it with --project or LAMINA_PROJECT.
    """
    from lamina.core.names import check_name
    from lamina.core.principal import Principal, Role, Surface
    from lamina.core.scope import Scope
    from lamina.errors import InvalidInputError
    from lamina.opening import open as open_memory

    if where and session.directory is not None:
        raise InvalidInputError("WHERE and `--dir` name two places", remedy="Leave one of them out")
    session.directory = where or session.directory
    folder = _folder(session)
    wanted = session.config.project.value if folder is None else _project(session, folder)
    if agent is not None:
        # Before there is a store: a name that cannot be an agent's makes none.
        name = check_name(agent, "--agent")
        root = f"agent/{name}" if wanted is None else f"project/{wanted}"
        Principal(name, Role.AGENT, Scope.of(root))
    with open_memory(
        folder or session.config.where, hot=session.hot_address, surface=Surface.CLI
    ) as memory:
        is_live = folder is not None and _settle(memory, folder, str(wanted))
        begun = agent is not None and _begin(memory.agent(agent, project=wanted))
    place = session.place if folder is None else str(folder)
    if session.out.as_json:
        told = {"directory": place, "project": wanted, "agent": agent, "begun": begun}
        session.out.document(told)
        return
    whose = "memories" if wanted is None else f"the memories of the project {wanted}"
    session.out.show(line(f"{place} holds {whose}."))
    if agent is not None:
        session.out.show(line(f"The memory of {agent} {'begins' if begun else 'is there'}."))
    session.out.note(*_next_steps(agent, folder, wanted, is_live=is_live))


def _folder(session: Session) -> Path | None:
    """Where the store is to lie; nothing for one in a database."""
    from lamina import config

    if session.config.database is not None:
        return None
    return Path.cwd() / config.FOLDER if session.directory is None else session.config.path


def _project(session: Session, folder: Path) -> str:
    """What the project of a store is to be called."""
    from lamina import config
    from lamina.core.names import check_name, to_name

    named = config.read_file(folder).get(config.PROJECT)
    usual = named or to_name(Path.cwd().name, "project")
    wanted = check_name(usual if session.project is None else session.project, "project")
    if named not in (None, wanted):
        raise _taken(folder / config.FILE, str(named))
    return wanted


def _settle(memory: "Memory", folder: Path, project: str) -> bool:
    """Name the project of a store, and have its files written; whether they are."""
    from lamina import config
    from lamina.core import settings

    if config.PROJECT not in config.read_file(folder):
        config.name_project(folder, project)
    if settings.LIVE not in memory.store.settings():
        memory.configure(settings.LIVE, "on")
    return memory.settings()[settings.LIVE] == "on"


def _next_steps(
    agent: str | None, folder: Path | None, project: str | None, *, is_live: bool
) -> "Iterator[str]":
    from lamina.config import FOLDER

    if agent is not None:
        yield f"`lamina --as {agent}` acts as this agent."
    if folder is None:
        yield "Name it in LAMINA_DIR, or in the file that LAMINA_DIR_FILE names, for all commands."
        if project is not None:
            yield f"No file names its project: say `--project {project}`, or set LAMINA_PROJECT."
        return
    if is_live:
        files = f"The files of {project} are in {folder / 'projects' / str(project)}"
        yield f"{files}; `lamina sync` takes over what you edit there."
    here = Path.cwd()
    if (here / ".git").exists() and not _is_ignored(here):
        yield f"Add {FOLDER}/ to .gitignore: memories are private."


@click.command(cls=Command)
@click.argument(
    "shell",
    default="",
    metavar="bash|zsh|fish",
    shell_complete=completing.offering(lambda _: _SHELLS),
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
