"""`lamina maintain`."""

import signal
import sys
from typing import TYPE_CHECKING, Any

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.marks import Grid, Span, grid, line
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from lamina.lifecycle.plan import Plan
    from lamina.lifecycle.scheduling import Turn
    from lamina.lifecycle.upkeep import Upkeep
    from lamina.memory import Memory

_SHOWN = 5
"""How many records of a plan are shown with what becomes of them; `--json` has all."""


@click.command(cls=Command)
@click.option(
    "--only", multiple=True, metavar="NAME", shell_complete=completing.upkeep,
    help="Only this part: promotion, consolidation, retention, archiving, eviction, compaction,"
    " history, partitions or stale. May be given several times.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--yes", "-y", is_flag=True, help="Agree beforehand to parts that take a lot.")
@click.option("--every", metavar="SPAN", help="Again and again, as 1h, until it is interrupted.")
@click.pass_context
def maintain(context: click.Context, /, *, only: tuple[str, ...], **how: Any) -> None:
    """Do what is due: archive, merge, evict, compact, drop old history.

    Episodes and silent sessions go to the archive after `episode.retain_days` and
    `session.retain_days`. Knowledge that says the same becomes one. A project over
    `project.max_items` loses the least important tenth. Long logs and sessions are compacted. Old
    versions go as `history.LAYER` says. `promotion.auto` switches promotion on. Each part is a
    transaction that `lamina undo` takes back; dropped history is gone. What has faded goes only
    with `--only stale --yes`. A part that takes over 5% of all asks, and then nothing is done
    without `--yes`. In Postgres a project of `project.partition_at` records gets partitions of its
    own. Made for cron: a second run at the same time ends with status 75.
    """
    session = context.ensure_object(Session)
    memory = session.handle if session.is_acting else session.unbound
    if how["every"] is not None:
        _again_and_again(session, memory, only, how)
        return
    if not how["dry_run"] and not how["yes"]:
        how["yes"] = _agreed(context, session, memory, only)
    _say(session, memory.lifecycle.run(*only, dry_run=how["dry_run"], confirm=how["yes"]))


def _agreed(context: click.Context, session: Session, memory: "Memory", only: Any) -> bool:
    """Whether it may go ahead though some of it asks; what asks for nothing needs no yes."""
    from lamina.errors import InvalidInputError
    from lamina.surfaces import wire

    found = memory.lifecycle.run(*only, dry_run=True)
    if not found.asks:
        return False
    if session.out.as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InvalidInputError(
            "; ".join(found.asks),
            remedy="Look with --dry-run (dry_run); then agree with --yes (confirm), name other"
            " parts with --only, or keep more by the settings",
        )
    session.out.show(line(Span("This would be done:", "bold")), _table(found))
    if not click.confirm("Do it?", default=False):
        session.out.note("Nothing was done.")
        context.exit(wire.INTERNAL)
    return True


def _again_and_again(session: Session, memory: "Memory", only: Any, how: dict[str, Any]) -> None:
    from lamina.errors import InvalidInputError
    from lamina.lifecycle.scheduling import Scheduler

    if how["dry_run"]:
        raise InvalidInputError("`--every` does things, and `--dry-run` does none")
    # Said now, rather than by every run.
    memory.lifecycle.run(*only, dry_run=True)

    def told(turn: "Turn") -> None:
        if turn.upkeep is not None:
            _say(session, turn.upkeep, one_of_many=True)
        elif turn.error is not None:
            session.out.note(f"{turn.at:%Y-%m-%d %H:%M:%S}: {turn.error}")
        sys.stdout.flush()

    # Whoever asks it to end gets that, between two steps: what is in hand is undone or finished.
    before = signal.signal(signal.SIGTERM, _end)
    try:
        Scheduler(memory.lifecycle, how["every"], *only, confirm=how["yes"], told=told).loop()
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(_: int, __: "FrameType | None") -> None:
    raise SystemExit(0)


def _say(session: Session, found: "Upkeep", *, one_of_many: bool = False) -> None:
    from lamina.surfaces.wire_lifecycle import upkeep_out

    out = session.out
    if out.as_json:
        (out.json_line if one_of_many else out.document)(upkeep_out(found))
    elif not out.quiet:
        out.show(_table(found))
        out.note(*found.asks)


def _table(found: "Upkeep") -> Grid:
    rows = [row for done in found.done for row in _plan_rows(done.plan, found, done)]
    if found.logs is not None:
        told = f"{len(found.compacted):,} {'compacted' if found.applied else 'to compact'}"
        why = f"long logs and sessions of {found.logs:,} agents become summaries"
        rows.append(("compaction", told, "-", why))
        rows += [
            ("", f"{one.entries:,} entries", one.tx or "-", one.what) for one in found.compacted
        ]
    rows += _history_rows(found)
    rows += _arranged_rows(found)
    if found.asks and not found.applied:
        rows.append(("to go ahead", "needs --yes", "-", ""))
    return grid(("part", "result", "id", "why"), rows)


def _plan_rows(plan: "Plan", found: "Upkeep", done: Any) -> "Iterator[tuple[str, ...]]":
    from lamina.surfaces.cli.views import cut

    what = f"{len(plan.steps):,} of {plan.of:,}"
    said = "waits for --yes" if done.waits and found.applied else what
    more = f" ({plan.left:,} more the next time)" if plan.left else ""
    yield plan.name, said, "-" if done.receipt is None else done.receipt.tx, plan.why + more
    for step in plan.steps[:_SHOWN]:
        where = f" in {step.target}" if step.target else ""
        yield (
            "",
            f"{step.does.value}{where}",
            step.record.id,
            f"{step.reason}: {cut(step.record.text)}",
        )
    if len(plan.steps) > _SHOWN:
        yield "", f"and {len(plan.steps) - _SHOWN:,} more", "-", "--json shows all"


def _history_rows(found: "Upkeep") -> "Iterator[tuple[str, ...]]":
    report = found.history
    if report is None:
        return
    what = "dropped" if report.applied else "would drop"
    dropped = [one for one in report.layers if one.pruned]
    yield "history", f"{what} {report.pruned:,} of {report.versions:,} versions", "-", ""
    for one in dropped:
        yield "", f"{what} {one.pruned:,} of {one.versions:,} versions", "-", one.layer
    yield "", f"{what} {report.receipts:,} receipts", "-", ""
    if report.applied:
        emptied = "emptied" if report.tidied else "left alone, because somebody is reading"
        yield "", f"write-ahead log {emptied}", "-", ""


def _arranged_rows(found: "Upkeep") -> "Iterator[tuple[str, ...]]":
    for one in found.arranged:
        if one.apart:
            told = "has partitions of its own" if found.applied else "to get its own"
        else:
            told = "shares partitions again" if found.applied else "to share them again"
        yield "partitions", told, "-", f"{one.stream}, {one.records:,} records"
