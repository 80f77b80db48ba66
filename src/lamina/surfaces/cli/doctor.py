"""`lamina doctor`."""

from typing import TYPE_CHECKING, Final

import click

from lamina.surfaces.cli.marks import line
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.progress import progress
from lamina.surfaces.cli.session import Session

if TYPE_CHECKING:
    from lamina.stores.base import Finding, Repair

_PER_MILLE: Final = 1000
_UNTOUCHED: Final = (
    "The records themselves are damaged. Nothing here was changed, and nothing more should be"
    " written: reading goes on as far as it can."
)


@click.command(cls=Command)
@click.option("--repair", is_flag=True, help="Build anew what follows from the records.")
@click.pass_context
def doctor(context: click.Context, /, *, repair: bool) -> None:
    """Look the store over, and repair what can be rebuilt.

    Checks the file, the log and its chain, that every version is what was written, the keyword
    index, the ledger of what was erased, and the key to the secrets. A repair takes the records for
    the truth and leaves them as they are; where they are damaged, it changes nothing. Exits with 9
    when something is damaged.
    """
    from lamina.surfaces import wire

    session = context.ensure_object(Session)
    repaired, findings = _examine(session, repair=repair)
    damaged = any(finding.severity.is_damage for finding in findings)
    if session.out.as_json:
        found = [wire.finding_out(finding) for finding in findings]
        done = {"indexed": repaired and repaired.indexed, "repaired": _done(repaired)}
        session.out.document({"ok": not damaged, "findings": found, **done})
    else:
        _show(session, findings, repaired)
    if damaged:
        context.exit(wire.DAMAGED)


def _examine(session: Session, *, repair: bool) -> "tuple[Repair | None, list[Finding]]":
    from lamina.errors import StoreDamagedError
    from lamina.stores.base import Finding, Severity
    from lamina.stores.sqlite import DATABASE
    from lamina.stores.sqlite.care.logfile import look_at_log

    folder = None if session.config.database else session.config.path
    before = look_at_log(folder / DATABASE) if folder is not None and folder.is_dir() else []
    if any(finding.severity.is_damage for finding in before):
        # Opening the store would drop what the finding is about.
        return None, before
    try:
        repaired = _repair(session) if repair else None
        with progress(session, "Looking the store over", _PER_MILLE) as told:
            found = session.unbound.check(on_progress=lambda share: told(int(share * _PER_MILLE)))
    except StoreDamagedError as error:
        remedy = error.remedy or "Keep the file as it is and restore from a backup or an export"
        repaired, found = None, [Finding("store", Severity.RECORD, error.message, remedy)]
    return repaired, [*before, *found]


def _repair(session: Session) -> "Repair | None":
    """Build anew what can be; nothing when the records are damaged, as the check will say."""
    from lamina.errors import StoreDamagedError
    from lamina.maintaining import analysed

    store = session.unbound.store
    with progress(session, "Building anew what follows from the records", _PER_MILLE) as told:
        try:
            return store.repair(analysed, lambda share: told(int(share * _PER_MILLE)))
        except StoreDamagedError:
            return None


def _done(repaired: "Repair | None") -> list[str]:
    if repaired is None:
        return []
    return [
        f"the keyword index was built anew, records in it: {repaired.indexed:,}",
        *repaired.done,
    ]


def _show(session: Session, findings: "list[Finding]", repaired: "Repair | None") -> None:
    from lamina.surfaces.cli.views import finding_grid

    quiet = session.out.quiet
    for done in () if quiet else _done(repaired):
        session.out.show(line(f"{done[:1].upper()}{done[1:]}."))
    told = [finding for finding in findings if not quiet or finding.severity.value != "ok"]
    if told:
        session.out.show(finding_grid(told))
    if any(finding.severity.value == "record" for finding in findings):
        session.out.note(_UNTOUCHED)
