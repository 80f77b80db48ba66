"""`lamina promote`."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.options import Command, kind_option
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.core.record import Record
    from lamina.memory import Memory

    _Why = Mapping[str, tuple[str, ...]]


@click.command(cls=Command)
@click.argument("ids", nargs=-1, metavar="[ID]...", shell_complete=completing.records)
@click.option("--to", metavar="WHERE", shell_complete=completing.wider,
              help="experience, project or global; project unless given.")  # fmt: skip
@kind_option(help="What kind of knowledge it becomes.")
@click.option("--review", is_flag=True, help="Show what waits; on a terminal, ask about each.")
@click.option("--accept", multiple=True, metavar="ID", help="Let this proposal count.",
              shell_complete=completing.proposals)  # fmt: skip
@click.option("--reject", multiple=True, metavar="ID", help="Hide this proposal.",
              shell_complete=completing.proposals)  # fmt: skip
@click.option("-n", "--limit", type=int, default=100, show_default=True, metavar="N",
              help="With --review, at most so many.")  # fmt: skip
@pass_session
def promote(session: Session, /, ids: tuple[str, ...], **how: Any) -> None:
    """Copy memories to a wider scope, or review what waits for a yes.

    The memory stays where it is. The copy is knowledge; it says where it came from and is trusted
    no more than that. `lamina undo` takes it back. Its kind is the one that a note is marked with
    or that knowledge has, else `fact`. A preference for everybody (--to global) waits for review,
    and so does what agents say where `knowledge.accept` is `review`. Nothing is promoted by itself
    unless `promotion.auto` says so.
    """
    from lamina.errors import InvalidInputError

    reviews = how["review"] or how["accept"] or how["reject"]
    if bool(ids) == bool(reviews):
        raise InvalidInputError(
            "`promote` takes ids of memories, or one of --review, --accept and --reject",
            remedy="`lamina promote --review` shows what waits",
        )
    if how["accept"] or how["reject"]:
        _settle(session, how["accept"], how["reject"])
    elif ids:
        _promote(session, ids, how)
    else:
        _review(session, how["limit"])


def _promote(session: Session, ids: tuple[str, ...], how: dict[str, Any]) -> None:
    from lamina.surfaces.cli.saying import say_receipt

    to = "project" if how["to"] is None else how["to"]
    receipt = session.handle.lifecycle.promote(*ids, to=to, kind=how["kind"])
    if receipt is not None:
        say_receipt(session, receipt)
    elif session.out.as_json:
        session.out.document({"outcomes": []})
    else:
        session.out.note("All of it had been promoted before.")


def _settle(session: Session, accept: tuple[str, ...], reject: tuple[str, ...]) -> None:
    from lamina.surfaces import wire
    from lamina.surfaces.cli.views import receipt_lines

    lifecycle = session.handle.lifecycle
    done = (lifecycle.accept(*accept), lifecycle.reject(*reject))
    receipts = [one for one in done if one is not None]
    if session.out.as_json:
        session.out.document({"receipts": [wire.receipt_out(one) for one in receipts]})
    else:
        for one in receipts:
            session.out.show(*receipt_lines(one))


def _review(session: Session, limit: int) -> None:
    from lamina.surfaces.cli.saying import say_table

    told = session.handle.lifecycle.review.waiting(limit=limit)
    waiting, why = [one.record for one in told], {str(one.record.id): one.why for one in told}
    asks = session.out.on_terminal and sys.stdin.isatty() and not session.out.quiet
    if not asks or not waiting:
        say_table(session, waiting, partial(_grid, why=why), "Nothing waits for review.")
        return
    for record in waiting:
        _ask(session, session.handle, record, why)


def _ask(session: Session, memory: "Memory", record: "Record", why: "_Why") -> None:
    """One proposal and one answer; whoever is not sure leaves it."""
    from lamina.surfaces.cli.views import receipt_lines

    session.out.show(_grid([record], why))
    answer = click.prompt("Accept, reject, or leave it?", default="leave",
                          type=click.Choice(["accept", "reject", "leave"]))  # fmt: skip
    if answer == "accept":
        session.out.show(*receipt_lines(memory.accept(record.id)))
    elif answer == "reject" and (receipt := memory.lifecycle.reject(record.id)) is not None:
        session.out.show(*receipt_lines(receipt))


def _grid(records: "Iterable[Record]", why: "_Why") -> Any:
    from lamina.surfaces.cli.evidence import evidence
    from lamina.surfaces.cli.marks import grid
    from lamina.surfaces.cli.views import cut

    rows = [
        (
            one.id, one.scope, one.kind, one.source, one.trust.value, cut(one.text),
            "; ".join(why[one.id]), evidence(one),
        )
        for one in records
    ]  # fmt: skip
    titles = ("id", "scope", "kind", "source", "trust", "what", "why it waits", "evidence")
    if any(row[-1] for row in rows):
        return grid(titles, rows)
    return grid(titles[:-1], [row[:-1] for row in rows])
