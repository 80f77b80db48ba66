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

_SHELLS: Final = ("bash", "zsh", "fish")


@click.command(cls=Command)
@pass_session
def init(session: Session) -> None:
    """Make a store for the project in this folder.

    The store lies in `.lamina`, or where --dir says. The project is called like the folder unless
    --project names it. What is there already stays, and so does the name of its project.
    """
    from lamina import config
    from lamina.core.names import check_name, to_name
    from lamina.opening import open_directory

    here = Path.cwd()
    folder = here / config.FOLDER if session.directory is None else session.config.path
    named = config.read_file(folder).get("project") if folder.is_dir() else None
    wanted = check_name(session.project or named or to_name(here.name, "project"), "project")
    if named not in (None, wanted):
        raise _taken(folder / config.FILE, str(named))
    store, _ = open_directory(folder)
    store.close()
    if named is None:
        config.write_file(folder, project=wanted)
    if session.out.as_json:
        session.out.document({"directory": str(folder), "project": wanted})
        return
    session.out.show(line(f"{folder} holds the memories of the project {wanted}."))
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
