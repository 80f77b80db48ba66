"""`lamina compact`."""

from typing import TYPE_CHECKING, Any

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.compaction import Compaction, Plan
    from lamina.memory import Memory
    from lamina.surfaces.cli.marks import Grid


@click.command(cls=Command)
@click.option("--session", "names", multiple=True, metavar="NAME", help="Only this session.",
              shell_complete=completing.sessions)  # fmt: skip
@click.option("--log", is_flag=True, help="Only the log, or beside the sessions named.")
@click.option("--force", is_flag=True, help="Also what is not long yet.")
@click.option("--dry-run", is_flag=True, help="Only say what would go, and the summary.")
@pass_session
def compact(
    session: Session, /, names: tuple[str, ...], *, log: bool, force: bool, dry_run: bool
) -> None:
    """Put summaries in the place of a long log and long sessions.

    With --as NAME, those of that agent. What a summary replaces goes to the layer `archive` first,
    where `lamina recall --layer archive` finds it, and `lamina undo` brings it back. A session is
    long at `compaction.threshold_tokens`, or earlier if much of it repeats; a log at
    `log.compact_entries` or `log.compact_bytes`. `compaction.summary` says who words the summary.
    """
    from lamina.surfaces.cli.marks import line
    from lamina.surfaces.wire_lifecycle import compaction_out

    done = [
        compaction_out(what, plan, None if dry_run else _carried_out(session.handle, what, plan))
        for what, plan in _plans(session.handle, names, log=log, force=force)
    ]
    out = session.out
    if out.as_json:
        out.document({"applied": not dry_run, "compacted": done})
    elif out.quiet:
        for one in done:
            out.raw(one["tx"] or one["what"])
    elif done:
        for one in done:
            out.show(_grid(one), *map(line, one["summary"].splitlines()))
    else:
        out.note(*_nothing(session.handle, force=force))


def _nothing(handle: "Memory", *, force: bool) -> "Iterator[str]":
    """Why nothing was done, and where else to look."""
    if force:
        yield f"There is nothing to compact in {handle.scope}."
    else:
        yield f"Nothing in {handle.scope} is long enough; --force compacts it all the same."
    if handle.scope.part("agent") is None:
        yield "--as NAME asks for what belongs to an agent; `lamina maintain` does that for all."


def _plans(
    handle: "Memory", names: tuple[str, ...], *, log: bool, force: bool
) -> "Iterator[tuple[str, Plan]]":
    """What there is to do, with the name of each: `log`, or that of a session."""
    from lamina.compaction import logs
    from lamina.errors import NotFoundError
    from lamina.models.summing import summariser

    known = handle.session.names()
    for name in names:
        if name not in known:
            raise NotFoundError(
                f"`--session`: nothing was said in {name!r:.80} at {handle.scope}",
                remedy=f"There are: {', '.join(known[:10]) or 'none'}; --as NAME asks an agent's",
            )
    everything, summarise = not names and not log, summariser(handle)
    if log or everything:
        plan = logs.plan(handle, handle.scope, force=force, summarise=summarise)
        if plan is not None:
            yield "log", plan
    for name in known if everything else names:
        plan = handle.session(name).plan_compaction(force=force, summarise=summarise)
        if plan is not None:
            yield f"session {name}", plan


def _carried_out(handle: "Memory", what: str, plan: "Plan") -> "Compaction":
    from lamina.compaction.archiving import carry_out
    from lamina.layers.pressing import compacted

    if what == "log":
        return carry_out(handle, plan)
    return compacted(handle, what.removeprefix("session "), plan)


def _grid(one: dict[str, Any]) -> "Grid":
    from lamina.surfaces.cli.marks import grid

    what = "replaced" if one["tx"] else "would replace"
    rows = [
        (what, f"{one['replaced']:,} of {one['what']} in {one['scope']}; {one['kept']:,} stay"),
        ("tokens", f"{one['before_tokens']:,} before, {one['after_tokens']:,} after"),
        ("why", one["why"]),
    ]
    if one["tx"]:
        rows.append(("to take it back", f"lamina undo {one['tx']}"))
    return grid(("what", "result"), rows)
