"""`lamina remember`."""

from typing import Any

import click

from lamina.surfaces.cli.options import (
    Command,
    content_fields,
    content_options,
    layer_option,
    scope_options,
)
from lamina.surfaces.cli.session import Session, pass_session, read_stdin


@click.command(cls=Command)
@click.argument("words", nargs=-1, metavar="[TEXT]...")
@click.option("--key", metavar="KEY", help="Its name; a new value replaces the current one.")
@layer_option(help="What sort of memory; `knowledge` unless given.")
@scope_options
@content_options
@click.option("--idempotency-key", metavar="KEY", help="Repeating a call with it does nothing.")
@pass_session
def remember(
    session: Session, /, words: tuple[str, ...], idempotency_key: str | None, **options: Any
) -> None:
    """Keep a memory.

    TEXT is what to remember, or - to read it from standard input; several words
    are one text. With --key, the new value replaces the current one, and the old one stays in its
    history.
    """
    from lamina.core.canonical import MAX_BYTES
    from lamina.surfaces.cli.saying import say_receipt

    said = read_stdin(MAX_BYTES) if words == ("-",) else " ".join(words)
    fields = content_fields(options)
    session.may_create = True
    memory = session.memory(options["scope"])
    say_receipt(session, memory.remember(said, idempotency_key=idempotency_key, **fields))
    session.tell_if_new()
