"""What most commands end with: a receipt or some records, in the form the reader asked for."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lamina import clock
from lamina.surfaces import wire
from lamina.surfaces.cli.session import Session
from lamina.surfaces.cli.views import receipt_lines, record_grid

if TYPE_CHECKING:
    from lamina.core.changes import Receipt
    from lamina.core.record import Record


def say_receipt(session: Session, receipt: "Receipt") -> None:
    """Print a receipt; with `--quiet`, the ids alone."""
    out = session.out
    if out.as_json:
        out.document(wire.receipt_out(receipt))
    elif out.quiet:
        for outcome in receipt.outcomes:
            out.raw(outcome.id)
    else:
        out.show(*receipt_lines(receipt))


def say_records(session: Session, records: Sequence["Record"]) -> None:
    """Print records; with `--quiet`, the ids alone."""
    out = session.out
    if out.as_json:
        out.document({"records": [wire.record_out(record) for record in records]})
    elif out.quiet:
        for record in records:
            out.raw(record.id)
    elif records:
        out.show(record_grid(records, clock.now(), on_terminal=out.on_terminal))
    else:
        out.note("Nothing matches.")
