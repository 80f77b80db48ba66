"""`lamina init` and `lamina completion`."""

from pathlib import Path

import click

from lamina.surfaces.cli.marks import line
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, folder_of, pass_session


@click.command(cls=Command)
@pass_session
def init(session: Session) -> None:
    """Make a store for the project in this folder.

    The store lies in `.lamina`, or where --dir says. The project is called like the folder unless
    --project names it. What is there already stays.
    """
    from lamina import config
    from lamina.core.names import check_name, to_name
    from lamina.opening import open_directory

    here = Path.cwd()
    folder = here / config.FOLDER if session.directory is None else folder_of(session)
    store, _ = open_directory(folder)
    store.close()
    named = config.read_file(folder).get("project")
    wanted = session.project or named or to_name(here.name, "project")
    if wanted != named:
        config.write_file(folder, project=check_name(wanted, "project"))
    if session.out.as_json:
        session.out.document({"directory": str(folder), "project": wanted})
        return
    session.out.show(line(f"{folder} holds the memories of the project {wanted}."))
    if (here / ".git").exists() and not _is_ignored(here):
        session.out.note(f"Add {config.FOLDER}/ to .gitignore: memories are private.")


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@pass_session
def completion(session: Session, /, shell: str) -> None:
    """Print the completion script for a shell.

    For bash: eval "$(lamina completion bash)" in ~/.bashrc, and alike for zsh; for fish, save it
    as ~/.config/fish/completions/lamina.fish.
    """
    from click.shell_completion import get_completion_class

    from lamina.surfaces.cli.main import cli

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"there is no completion for {shell}")
    script = kind(cli, {}, "lamina", "_LAMINA_COMPLETE").source()
    if session.out.as_json:
        session.out.document({"shell": shell, "script": script})
    else:
        session.out.raw(script)


def _is_ignored(folder: Path) -> bool:
    try:
        return ".lamina" in (folder / ".gitignore").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
