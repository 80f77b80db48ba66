"""`lamina forget`, `undo`, `accept` and `reveal`."""

from typing import TYPE_CHECKING, Any

import click

from lamina.core.record import State
from lamina.surfaces.cli.options import Command, name_argument, names_argument, which_options
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.record import Record
    from lamina.curation.face import Undoing


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
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@pass_session
def undo(session: Session, /, tx: str, *, dry_run: bool) -> None:
    """Take back a whole transaction.

    TX is the transaction that a receipt or `lamina history` names.
    """
    from lamina.surfaces.cli.saying import say_receipt

    if dry_run:
        _show_undoing(session, session.handle.curation.would_undo(tx))
    else:
        say_receipt(session, session.handle.undo(tx))


def _show_undoing(session: Session, found: "Sequence[Undoing]") -> None:
    """Each memory as it is, and as it would be."""
    from lamina.surfaces.cli.marks import grid
    from lamina.surfaces.wire_curation import undoing_out

    if session.out.as_json:
        session.out.document(undoing_out(found))
        return
    rows = [(one.now.id, _said(one.now), _said(one.then)) for one in found]
    session.out.show(grid(("id", "now", "then"), rows))


def _said(record: "Record") -> str:
    from lamina.surfaces.cli.views import cut

    is_current = record.state is State.CURRENT
    return cut(record.text) if is_current else f"{cut(record.text)} ({record.state.value})"


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
