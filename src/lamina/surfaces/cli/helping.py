"""`lamina help`."""

from typing import Final

import click

from lamina.surfaces.cli.completing import offering
from lamina.surfaces.cli.marks import grid
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session
from lamina.surfaces.cli.table import COMMANDS

_STATUSES: Final = "exit-codes"
_TOPICS: Final = (*COMMANDS, _STATUSES)


@click.command("help", cls=Command)
@click.argument("names", nargs=-1, metavar="[COMMAND]", shell_complete=offering(lambda _: _TOPICS))
@click.pass_context
def help_command(context: click.Context, /, names: tuple[str, ...]) -> None:
    """Show the help of a command.

    Without COMMAND, the list of commands; `exit-codes` tells what each exit status means.
    """
    session = context.ensure_object(Session)
    if names == (_STATUSES,):
        _show_statuses(session)
        return
    text = _help(context.find_root(), names)
    if session.out.as_json:
        session.out.document({"help": text})
    else:
        session.out.raw(text)


def _help(context: click.Context, names: tuple[str, ...]) -> str:
    """The help of the command that the words lead to."""
    for name in names:
        group = context.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"`{context.command_path}` has no commands of its own", context)
        _, found, _ = group.resolve_command(context, [name])
        if found is not None:
            context = click.Context(found, parent=context, info_name=name)
    return context.get_help()


def _show_statuses(session: Session) -> None:
    from lamina.surfaces.wire import MEANINGS

    if session.out.as_json:
        session.out.document({"exit_codes": {str(n): said for n, said in MEANINGS.items()}})
    else:
        rows = [(str(number), said) for number, said in MEANINGS.items()]
        session.out.show(grid(("status", "meaning"), rows))
