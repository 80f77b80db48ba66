"""`lamina import` of what other tools exported: what became of it, and what to look at."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli.exchange import make_vectors
from lamina.surfaces.cli.marks import Grid, grid
from lamina.surfaces.cli.progress import progress
from lamina.surfaces.cli.session import Session
from lamina.surfaces.cli.views import cut

if TYPE_CHECKING:
    from lamina.importing import Brought
    from lamina.importing.formats.opened import Opened

_NAMED: Final = 20
_WAYS_OUT: Final = {
    "proposed": "`lamina accept ID` puts one in force; `lamina list --state proposed` shows them",
    "hidden": "--all brings back what was forgotten by hand",
}


def read_mapping(given: Iterable[str]) -> dict[str, str]:
    """The fields and columns of `--map FIELD=COLUMN`."""
    from lamina.errors import InvalidInputError
    from lamina.importing.formats.tables import check_mapping

    found: dict[str, str] = {}
    for one in given:
        field, separator, column = one.partition("=")
        if not separator or not column:
            raise InvalidInputError(
                f"`--map` is not FIELD=COLUMN: {one!r:.80}", remedy="Write --map text=note"
            )
        found[field.strip()] = column
    check_mapping(found)
    return found


def import_items(context: click.Context, streams: "Sequence[Opened]", how: dict[str, Any]) -> None:
    """Take in what was opened, and say what became of it."""
    from lamina.importing.bringing import bring_opened
    from lamina.importing.report import Fate
    from lamina.surfaces import wire
    from lamina.surfaces.wire_importing import brought_out

    session = context.ensure_object(Session)
    session.may_create = not how["dry_run"]
    memory = session.memory(how["scope"])
    with progress(session, "Importing", 100) as advance:
        report = bring_opened(
            memory, streams, on_progress=lambda share: advance(round(100 * share)), **how
        )
    if report.applied:
        make_vectors(session)
    if session.out.as_json:
        session.out.document(brought_out(report))
    elif not session.out.quiet:
        session.out.show(_table(report))
        if not report.applied:
            session.out.show(_samples(report))
        _tell(session, report)
    session.tell_if_new()
    if report.count(Fate.FAILED):
        context.exit(wire.USAGE)


def _table(report: "Brought") -> Grid:
    from lamina.importing.report import Fate

    counts = {fate.value: report.count(fate) for fate in Fate}
    counts |= {"sessions": report.sessions, "secrets sealed": report.sealed}
    rows = [(name, f"{number:,}") for name, number in counts.items() if number]
    rows = [("format", report.format), *rows, ("scope", report.scope)]
    return grid(("what", "number"), rows)


def _samples(report: "Brought") -> Grid:
    rows = [
        (str(one.place), one.fate.value, one.session or "-", cut(one.text or one.note))
        for one in report.samples
    ]
    return grid(("where", "becomes", "session", "text"), rows)


def _tell(session: Session, report: "Brought") -> None:
    """Name what a person should look at, and why things were left out."""
    for one in report.problems[:_NAMED]:
        said = f": {cut(one.text)}" if one.text else ""
        session.out.note(f"{one.fate.value} {one.place}: {one.note}{said}")
    if len(report.problems) > _NAMED:
        session.out.note(f"{len(report.problems) - _NAMED:,} more; --json names the first 1,000")
    named = {one.note for one in report.problems}
    for reason, number in report.reasons.items():
        if reason not in named:
            session.out.note(f"{number:,} × {reason}")
    for fate, remedy in _WAYS_OUT.items():
        if any(name.value == fate and number for name, number in report.counts.items()):
            session.out.note(remedy)
