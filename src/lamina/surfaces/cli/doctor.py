"""`lamina doctor`."""

from typing import TYPE_CHECKING, Final

import click

from lamina.surfaces.cli.marks import Span, grid, line
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session

if TYPE_CHECKING:
    from lamina.stores.base import Finding

_STYLES: Final = {"ok": "green", "note": "cyan", "derived": "yellow", "record": "bold red"}


@click.command(cls=Command)
@click.option("--repair", is_flag=True, help="Rebuild the keyword index from the records.")
@click.pass_context
def doctor(context: click.Context, /, *, repair: bool) -> None:
    """Look the store over, and repair what can be rebuilt.

    Checks the file, the log and its chain, that every version is what was written, the keyword
    index, and the key to the secrets. Exits with 9 when something is damaged.
    """
    from lamina.surfaces import wire

    session = context.ensure_object(Session)
    indexed, findings = _examine(session, repair=repair)
    damaged = any(finding.severity.value in ("derived", "record") for finding in findings)
    if session.out.as_json:
        found = [wire.finding_out(finding) for finding in findings]
        session.out.document({"ok": not damaged, "findings": found, "indexed": indexed})
    else:
        _show(session, findings, indexed)
    if damaged:
        context.exit(wire.DAMAGED)


def _examine(session: Session, *, repair: bool) -> "tuple[int | None, list[Finding]]":
    from lamina.core.indexing import index_terms
    from lamina.errors import StoreDamagedError
    from lamina.stores.base import Finding, Severity

    try:
        memory = session.unbound
        indexed = None
        if repair:
            indexed = memory.store.reindex(lambda record: index_terms(record, record.key))
        return indexed, memory.check()
    except StoreDamagedError as error:
        remedy = "Keep the file as it is and restore from an export or a backup"
        return None, [Finding("store", Severity.RECORD, error.message, remedy)]


def _show(session: Session, findings: "list[Finding]", indexed: int | None) -> None:
    if indexed is not None:
        session.out.show(line(f"The keyword index was built anew: {indexed} records."))
    rows = [
        (
            finding.check,
            Span(finding.severity.value, _STYLES[finding.severity.value]),
            finding.message,
            finding.remedy,
        )
        for finding in findings
    ]
    session.out.show(grid(("check", "result", "what", "remedy"), rows))
