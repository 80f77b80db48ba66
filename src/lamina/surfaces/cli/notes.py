"""`lamina import` of Markdown: what became of each entry, and what to look at."""

from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli.exchange import make_vectors
from lamina.surfaces.cli.marks import Grid, grid
from lamina.surfaces.cli.progress import progress
from lamina.surfaces.cli.session import Session
from lamina.surfaces.cli.views import cut

if TYPE_CHECKING:
    from lamina.importing import Became, NotesReport

_NAMED: Final = 20
"""How many entries or files are named; `--json` names them all."""
_TO_LOOK_AT: Final = ("conflict", "proposed", "kept", "hidden", "failed")
_WAYS_OUT: Final = {
    "proposed": "`lamina accept ID` puts one in force",
    "hidden": "--all brings back what was forgotten by hand",
}


def import_notes(context: click.Context, source: str, how: dict[str, Any]) -> None:
    """Take in a file of Markdown, a folder or a vault, and say what became of it."""
    from lamina.importing import Fate, markdown
    from lamina.surfaces import wire

    session = context.ensure_object(Session)
    session.may_create = not how["dry_run"]
    memory = session.memory(how["scope"])
    with progress(session, "Importing", 100) as advance:
        report = markdown(
            memory, source, on_progress=lambda share: advance(round(100 * share)), **how
        )
    if report.applied:
        make_vectors(session)
    if session.out.as_json:
        session.out.document(wire.notes_out(report))
    elif not session.out.quiet:
        session.out.show(_table(report) if report.applied else _preview(report.entries))
        _tell(session, report)
    session.tell_if_new()
    if report.count(Fate.FAILED):
        context.exit(wire.USAGE)


def _table(report: "NotesReport") -> Grid:
    from lamina.importing import Fate

    counts = {fate.value: report.count(fate) for fate in Fate}
    counts |= {"files left out": len(report.skipped), "secrets sealed": report.sealed}
    rows = [(name, f"{number:,}") for name, number in counts.items() if number]
    form = [] if report.format == "markdown" else [("format", report.format)]
    rows = [*form, ("files", f"{report.files:,}"), *rows, ("scope", report.scope)]
    return grid(("what", "number"), rows)


def _preview(entries: "tuple[Became, ...]") -> Grid:
    rows = [
        (f"{one.file}:{one.line}", one.fate.value, one.kind, one.key or "-", cut(one.text))
        for one in entries
    ]
    return grid(("where", "becomes", "kind", "key", "text"), rows)


def _tell(session: Session, report: "NotesReport") -> None:
    """Name what a person should look at, and what was left out."""
    notable = [one for one in report.entries if one.fate.value in _TO_LOOK_AT]
    for one in notable[:_NAMED]:
        record = f" ({one.id})" if one.id else ""
        why = f": {one.note}" if one.note else ""
        session.out.note(f"{one.fate.value} {one.file}:{one.line}{record}{why}: {cut(one.text)}")
    if len(notable) > _NAMED:
        session.out.note(f"{len(notable) - _NAMED:,} more; --json names them all")
    for fate, remedy in _WAYS_OUT.items():
        if any(one.fate.value == fate for one in notable):
            session.out.note(remedy)
    for file, reason in (*report.skipped[:_NAMED], *report.notes[:_NAMED]):
        session.out.note(f"{file}: {reason}")
