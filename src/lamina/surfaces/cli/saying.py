"""What most commands end with: a receipt or some records, in the form the reader asked for."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lamina import clock
from lamina.reading import MAX_LIMIT
from lamina.surfaces import wire
from lamina.surfaces.cli.marks import Span, line, visible
from lamina.surfaces.cli.output import Printer
from lamina.surfaces.cli.session import Session
from lamina.surfaces.cli.views import receipt_lines, record_grid, short_lines

if TYPE_CHECKING:
    from lamina.core.changes import Receipt
    from lamina.core.record import Record
    from lamina.surfaces.cli.marks import Grid


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


def say_kept(session: Session, receipt: "Receipt") -> None:
    """Print the receipt of a command that starts a store where there is none."""
    say_receipt(session, receipt)
    session.tell_if_new()


def say_untouched(session: Session, record: "Record") -> None:
    """Say that there was nothing to change; with `--quiet`, the id alone."""
    out = session.out
    if out.as_json:
        out.document(wire.untouched_out(record))
    elif out.quiet:
        out.raw(record.id)
    else:
        out.show(line(Span("unchanged", "green"), f" {record.id} rev {record.rev}"))


def say_records(session: Session, records: Sequence["Record"], total: int) -> None:
    """Print records, and of how many; with `--quiet`, the ids alone."""
    out = session.out
    if out.as_json:
        out.document(wire.records_out(records, total))
    elif out.quiet:
        for record in records:
            out.raw(record.id)
    elif records:
        _show(out, records)
    else:
        out.note("Nothing matches.")
    if total > len(records):
        more = "--limit shows more" if len(records) < MAX_LIMIT else "`lamina export` has all"
        out.note(f"{len(records):,} of {total:,} shown; {more}")


def say_table(
    session: Session,
    records: "list[Record]",
    table: "Callable[[list[Record]], Grid]",
    nothing: str,
    *,
    by_key: bool = False,
) -> None:
    """Print records of one layer in its own columns.

    With `--quiet` only what the other commands of the layer take: ids, or where it goes `by_key`,
    keys.
    """
    out = session.out
    if out.as_json:
        out.document(wire.records_out(records, len(records)))
    elif out.quiet:
        for record in records:
            out.raw(visible(str(record.key)) if by_key else record.id)
    elif records:
        out.show(table(records))
    else:
        out.note(nothing)


def none_of(what: str, scope: str, *, asked: bool) -> str:
    """That there is nothing at all, or nothing of what was asked for."""
    return f"No {what} of {scope} match." if asked else f"There are no {what} in {scope} yet."


def or_an_agents(session: Session) -> str:
    """Where else to look, for who sees what is the project's and may mean an agent's own."""
    return "" if session.is_acting else " --as NAME shows what is an agent's own."


def _show(out: Printer, records: Sequence["Record"]) -> None:
    width = out.width
    if width is None:
        out.show(record_grid(records))
    else:
        out.show(*short_lines(records, clock.now(), width))
