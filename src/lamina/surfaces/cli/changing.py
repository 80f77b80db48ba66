"""`lamina forget`, `undo`, `accept` and `reveal`."""

from typing import Any

import click

from lamina.surfaces.cli.options import Command, name_argument, names_argument, which_options
from lamina.surfaces.cli.session import Session, pass_session


@click.command(cls=Command)
@names_argument
@which_options
@pass_session
def forget(session: Session, /, names: tuple[str, ...], **which: Any) -> None:
    """Hide memories; undo brings them back."""
    from lamina.surfaces.cli.saying import say_receipt

    ids = [session.find(name, **which).id for name in names]
    say_receipt(session, session.memory(which["scope"]).forget(*ids))


@click.command(cls=Command)
@click.argument("tx", metavar="TX")
@pass_session
def undo(session: Session, /, tx: str) -> None:
    """Take back a whole transaction.

    TX is the transaction that a receipt or `lamina history` names.
    """
    from lamina.surfaces.cli.saying import say_receipt

    say_receipt(session, session.handle.undo(tx))


@click.command(cls=Command)
@click.argument("record_id", metavar="ID")
@pass_session
def accept(session: Session, /, record_id: str) -> None:
    """Make a proposal current."""
    from lamina.surfaces.cli.evidence import evidence
    from lamina.surfaces.cli.saying import say_receipt

    say_receipt(session, session.handle.accept(record_id))
    if told := evidence(session.handle.get(record_id)):
        session.out.note(f"It rests on this: {told}.")


@click.command(cls=Command)
@name_argument
@click.argument("reference", metavar="REFERENCE")
@pass_session
def reveal(session: Session, /, name: str, reference: str) -> None:
    """Print a sealed secret; the log keeps who read it."""
    from lamina.surfaces.cli.marks import line

    value = session.handle.reveal(name, reference)
    if session.out.as_json:
        session.out.document({"value": value})
    elif session.out.on_terminal:
        session.out.show(line(value))
    else:
        session.out.raw(value)
