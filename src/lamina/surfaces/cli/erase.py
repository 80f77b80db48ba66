"""`lamina erase`."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.listed import missing, read_ids
from lamina.surfaces.cli.marks import Grid, Span, grid, line
from lamina.surfaces.cli.options import Command, which_options
from lamina.surfaces.cli.session import Session

if TYPE_CHECKING:
    from lamina.core.ids import RecordId
    from lamina.memory import Memory
    from lamina.results import Erasure, ErasurePlan, Touched

_MOST_SHOWN: Final = 20


@click.command(cls=Command)
@click.argument("names", nargs=-1, metavar="[ID_OR_KEY...]", shell_complete=completing.records)
@click.option("--from", "listed", metavar="FILE", shell_complete=completing.files,
              help="Also the ids in a file, one a line; - is standard input.")  # fmt: skip
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Only show what would go, and what would stay.")
@which_options
@click.pass_context
def erase(context: click.Context, /, names: tuple[str, ...], **how: Any) -> None:
    """Remove memories for good, and verify it.

    Every version goes, with its index entries and sealed secrets; then the files are searched for
    what was erased. Only the fact that something was erased stays in the log. --from takes a list
    such as the ids that were erased since a dump was made which has now been restored; what of it
    is not there is counted and left out.
    """
    from lamina.surfaces import wire

    yes, dry_run, listed = how.pop("yes"), how.pop("dry_run"), how.pop("listed")
    session = context.ensure_object(Session)
    asked = _asked(names, listed)
    ids = [session.find(name, **how).id for name in names]
    memory = session.memory(how["scope"])
    ids += _there(session, memory, asked)
    if not ids:
        _say_nothing_went(session)
        return
    if dry_run:
        _show_plan(session, memory.would_erase(*ids))
        return
    if not yes and not _confirmed(session, memory, ids):
        session.out.note("Nothing was erased.")
        context.exit(wire.INTERNAL)
    report = memory.erase(*dict.fromkeys(ids))
    if session.out.as_json:
        session.out.document(wire.erasure_out(report))
    elif not session.out.quiet:
        session.out.show(report_grid(report))
    if not report.complete:
        context.exit(wire.DAMAGED)


def _asked(names: Sequence[str], listed: str | None) -> "list[RecordId]":
    from lamina.errors import InvalidInputError

    if listed is None and not names:
        raise InvalidInputError(
            "nothing was named to erase", remedy="Name memories, or a file of ids with --from FILE"
        )
    return [] if listed is None else read_ids(listed)


def _there(session: Session, memory: "Memory", asked: "Sequence[RecordId]") -> "list[RecordId]":
    """Those of the ids listed that there is something to erase of."""
    gone = missing(memory, asked)
    if gone:
        session.out.note(f"{len(gone):,} of {len(asked):,} ids listed are not there.")
    return [one for one in asked if one not in gone]


def _say_nothing_went(session: Session) -> None:
    from lamina.results import Erasure
    from lamina.surfaces import wire

    if session.out.as_json:
        nothing = Erasure((), 0, 0, 0, 0, (), (), (), chain_verified=True)
        session.out.document(wire.erasure_out(nothing))
    session.out.note("Nothing was erased: none of the ids listed is there.")


def report_grid(report: "Erasure") -> Grid:
    """What went, where it was looked for, and what remains."""
    left = ", ".join(report.residue)
    verdict = (
        Span("complete", "bold green") if report.complete else Span("NOT complete", "bold red")
    )
    rows: list[tuple[str, str | Span]] = [
        ("erase", verdict),
        ("records", str(len(report.records))),
        ("versions", str(report.versions)),
        ("sealed secrets", str(report.sealed)),
        ("searched", f"{report.files} files, {report.bytes:,} bytes"),
        ("left behind", Span(left, "red") if left else Span("nothing", "green")),
        *([("not looked at", Span(", ".join(report.unlooked), "red"))] if report.unlooked else []),
        ("log", Span("verified", "green") if report.chain_verified else Span("broken", "red")),
        ("others that say the same", _some(report.mentions) or "none"),
        *([("files that still hold it", _some(report.sources))] if report.sources else []),
    ]
    return grid(("what", "result"), rows)


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_SHOWN
    return ", ".join(names[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _confirmed(session: Session, memory: "Memory", ids: Sequence[str]) -> bool:
    from lamina.errors import InvalidInputError

    if session.out.as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InvalidInputError(
            "erasing cannot be undone and nobody is there to ask",
            remedy="Add --yes when you are sure, or --dry-run to see what would go",
        )
    _show_plan(session, memory.would_erase(*ids))
    return click.confirm("Erase?", default=False)


def _show_plan(session: Session, plan: "ErasurePlan") -> None:
    """What would go, and what would stay."""
    from lamina.surfaces.wire_erasing import erasure_plan_out

    if session.out.as_json:
        session.out.document(erasure_plan_out(plan))
        return
    session.out.show(
        line(Span("This goes for good, with every version:", "bold")),
        _touched_grid(plan.records),
        *_with_it(plan),
    )


def _touched_grid(records: "Sequence[Touched]") -> Grid:
    from lamina.surfaces.cli.views import cut

    rows = [
        (one.id, one.scope, str(one.versions), cut(one.text) + (f" ({one.why})" if one.why else ""))
        for one in records
    ]
    return grid(("id", "scope", "versions", "text"), rows)


def _with_it(plan: "ErasurePlan") -> list[Grid]:
    rows = [
        ("versions", str(plan.versions)),
        ("sealed secrets", str(plan.sealed)),
        ("entries of the index", f"{plan.words:,}, and the vectors"),
        ("files written anew", _some(plan.files)),
        ("others that say the same, and stay", _some(plan.mentions)),
        ("files that hold it, and stay", _some(plan.sources)),
        ("notes that would bring it back", _some(plan.notes)),
        ("never reached", "copies made before: backups, exports, capsules"),
    ]
    return [grid(("what", "which"), [(name, said) for name, said in rows if said])]
