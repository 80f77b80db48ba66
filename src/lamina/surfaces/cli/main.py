"""`lamina`: finds the command, runs it, and turns whatever goes wrong into one line and a status.

Nothing but click is imported before the command is known. No traceback reaches a person who did not
ask for one with `LAMINA_DEBUG=1`.
"""

import sys
from collections.abc import Sequence
from errno import ENAMETOOLONG
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click

from lamina.release import version
from lamina.surfaces.cli.options import global_options
from lamina.surfaces.cli.output import Printer, discard_output, prepare_streams
from lamina.surfaces.cli.session import Session
from lamina.surfaces.cli.table import COMMANDS, SECTIONS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from lamina.errors import LaminaError

INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141
"""What a shell reports for a program that SIGPIPE ended."""
_STATUSES: Final = (
    "Exit status: 0 done, 2 wrong call, 3 not found, 4 not allowed, 5 conflict, 75 try again;"
    " `lamina help exit-codes` has all."
)


class _PipeClosedError(Exception):
    """The reader of our output has gone; click would otherwise choose the exit status."""


class LazyGroup(click.Group):
    """Imports a command's module when the command is called, and not for the list of commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].place.partition(":")
        found: click.Command = getattr(import_module(f"lamina.surfaces.cli.{module}"), attribute)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest the one that was meant."""
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            from difflib import get_close_matches

            close = get_close_matches(args[0], COMMANDS, n=1)
            meant = f"; did you mean `{close[0]}`?" if close else ""
            raise click.UsageError(f"there is no command {args[0]!r:.60}{meant}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in sections, from the table alone."""
        for title, entries in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, entry.help) for name, entry in entries.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Complete names from the table alone."""
        from click.shell_completion import CompletionItem

        names = [name for name in COMMANDS if name.startswith(incomplete)]
        found = [CompletionItem(name, help=COMMANDS[name].help) for name in names]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a closed pipe is passed on as what it is."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _PipeClosedError from None


def _version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if not asked or context.resilient_parsing:
        return
    click.echo(f"lamina {version() or 'from a source tree'}")
    context.exit()


@click.group(
    cls=LazyGroup,
    params=global_options(hidden=False),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_STATUSES,
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
@click.option("--debug", is_flag=True, hidden=True, envvar="LAMINA_DEBUG")
@click.pass_obj
def cli(session: Session, *, debug: bool) -> None:
    """Layered memory for AI agents: remember, recall, correct, forget and erase."""
    session.debug = debug


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `lamina` and return its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    prepare_streams()
    session = Session(out=Printer(as_json=_asks_for_json(given)))
    try:
        status = _run(given, session)
        sys.stdout.flush()
    except (BrokenPipeError, _PipeClosedError):
        discard_output()
        return PIPE_CLOSED
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except OSError as error:
        discard_output()
        session.out.complain(f"the output cannot be written: {error.strerror}", "Free some space")
        return 1
    return status


def _run(given: list[str], session: Session) -> int:
    try:
        try:
            done = cli.main(given, prog_name="lamina", standalone_mode=False, obj=session)
        finally:
            session.close()
    except (BrokenPipeError, _PipeClosedError, click.Abort):
        raise
    except click.exceptions.NoArgsIsHelpError as error:
        session.out.raw(error.format_message())
        return error.exit_code
    except Exception as error:
        if session.debug:
            import traceback

            from lamina.config import without_passwords

            sys.stderr.write(without_passwords(traceback.format_exc()))
        session.give_up()
        return _report(_meaning(error), session.out)
    return done if isinstance(done, int) else 0


def _meaning(error: Exception) -> "LaminaError":
    """Any exception as one of Lamina's own."""
    from lamina.config import without_passwords
    from lamina.errors import InvalidInputError, LaminaError

    if isinstance(error, LaminaError):
        return error
    if isinstance(error, ValueError) and "null byte" in str(error):
        # A shell cannot pass one, a program that calls us can.
        return InvalidInputError("a path holds a NUL character", remedy="Name another")
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "lamina"
        # Click lists choices over several lines, and quotes what it was given.
        message = " ".join(without_passwords(error.format_message()).split()).rstrip(".")
        return InvalidInputError(message, remedy=f"See `{command} --help`")
    if isinstance(error, OSError) and error.strerror:
        where = f": {error.filename!s:.200}" if error.filename else ""
        if error.errno == ENAMETOOLONG:
            return InvalidInputError(f"{error.strerror}{where}", remedy="Name a shorter path")
        return LaminaError(f"{error.strerror}{where}", remedy="Set LAMINA_DEBUG=1 to see where")
    return LaminaError(
        f"something unexpected happened ({type(error).__name__}: {error!s:.200})",
        remedy="Set LAMINA_DEBUG=1 to see where, and please report it",
    )


def _report(error: "LaminaError", out: Printer) -> int:
    from lamina.surfaces.wire import error_out, exit_status

    told = error_out(error)
    if out.as_json:
        out.document(told)
        sys.stdout.flush()
    else:
        out.complain(told["error"]["message"], error.remedy)
    return exit_status(error)


def _asks_for_json(given: list[str]) -> bool:
    """Whether errors that come before the options are read should be JSON too."""
    return "--json" in (given[: given.index("--")] if "--" in given else given)


if __name__ == "__main__":
    sys.exit(main())
