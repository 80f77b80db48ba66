"""`lamina edit`."""

import sys
from typing import TYPE_CHECKING, Any

import click

from lamina.surfaces.cli.options import (
    Command,
    content_fields,
    content_options,
    name_argument,
    scope_options,
)
from lamina.surfaces.cli.session import Session, pass_session, read_stdin

if TYPE_CHECKING:
    from lamina.core.record import Record


@click.command(cls=Command)
@name_argument
@click.option("--text", metavar="TEXT", help="The new text, or - for standard input.")
@scope_options
@content_options
@click.option("--editor", envvar=["VISUAL", "EDITOR"], metavar="COMMAND", help="Used for the text.")
@pass_session
def edit(
    session: Session, /, name: str, text: str | None, editor: str | None, **options: Any
) -> None:
    """Give a memory a new version.

    What is not named stays as it is. When no field is named, the text opens in an editor.
    """
    from lamina.core.canonical import MAX_BYTES
    from lamina.surfaces.cli.saying import say_receipt, say_untouched

    scope = options.pop("scope")
    fields = content_fields(options)
    expect = fields.pop("expect", None)
    record = session.find(name, scope=scope, layer=None, kind=None)
    if text == "-":
        text = read_stdin(MAX_BYTES)
    elif text is None and not fields:
        text = _edited(record, editor)
        expect = record.rev if expect is None else expect
        if text == record.text and expect == record.rev:
            say_untouched(session, record)
            return
    say_receipt(session, session.memory(scope).edit(record.id, text, expect=expect, **fields))


def _edited(record: "Record", editor: str | None) -> str:
    """The text as it comes back from an editor."""
    from lamina.errors import InvalidInputError

    if editor is None and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InvalidInputError(
            "no field to change was named", remedy="Use --text, or set EDITOR on a terminal"
        )
    try:
        found = click.edit(record.text, editor=editor, require_save=True)
    except (click.ClickException, OSError, ValueError) as error:
        said = error.format_message() if isinstance(error, click.ClickException) else str(error)
        raise InvalidInputError(
            f"the editor failed, nothing changed ({said:.200})",
            remedy="Set EDITOR or name one with --editor, or give the text with --text",
        ) from error
    if found is None:
        return record.text
    if record.text and not found.strip():
        raise InvalidInputError(
            "the text came back empty, nothing changed",
            remedy="`lamina forget` hides a memory, `lamina erase` removes it",
        )
    # The editor was handed a line break at the end, unless there was one.
    return found if record.text.endswith("\n") else found.removesuffix("\n")
