"""`lamina episodes`."""

from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.groups import Group
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.record import Record
    from lamina.surfaces.cli.marks import Grid

_ACTIONS: Final = completing.kinds_of("episode")
_TASKS: Final = completing.keys_of("task")
_STYLES: Final = {"completed": "green", "failed": "red"}


@click.group(cls=Group, usual="list")
def episodes() -> None:
    """Show or keep what was tried, and how it went.

    Episodes are the project's, whoever recorded them; --as NAME says who does. Outside a project
    they are everyone's (the scope `global`).
    """


@episodes.command("list")
@click.option("--task", metavar="TASK", shell_complete=_TASKS, help="Only for this task.")
@click.option("--agent", metavar="NAME", help="Only what this agent recorded.")
@click.option("--action", metavar="ACTION", shell_complete=_ACTIONS, help="As `failed`.")
@click.option("-n", "--limit", type=int, default=100, show_default=True, metavar="N")
@pass_session
def list_episodes(session: Session, /, **asked: Any) -> None:
    """Show episodes, newest first."""
    from lamina.core.layers import LAYERS, check_kind_of
    from lamina.core.names import check_name
    from lamina.surfaces.cli.saying import none_of, say_table

    for name in ("task", "agent"):
        if asked[name] is not None:
            check_name(asked[name], f"--{name}")
    if asked["action"] is not None:
        check_kind_of(LAYERS["episode"], asked["action"], "--action")
    face = session.handle.episode
    is_asked = any(asked[name] is not None for name in ("task", "agent", "action"))
    nothing = none_of("episodes", face.scope, asked=is_asked)
    say_table(session, face.query(**asked), _grid, nothing)


@episodes.command()
@click.argument("task", metavar="TASK", shell_complete=_TASKS)
@click.argument("action", metavar="ACTION", shell_complete=_ACTIONS)
@click.argument("what", default="", metavar="[TEXT]")
@click.option("--approach", metavar="TEXT", help="In what way it was tried.")
@click.option("--outcome", metavar="TEXT", help="How it went.")
@click.option("--duration-ms", type=int, metavar="N", help="How long it took.")
@click.option("--tokens-in", type=int, metavar="N", help="What it cost to ask.")
@click.option("--tokens-out", type=int, metavar="N", help="What it cost to answer.")
@pass_session
def record(session: Session, /, task: str, action: str, what: str, **course: Any) -> None:
    """Keep an episode.

    ACTION is attempted, completed, failed or retried. TEXT says what happened; else approach and
    outcome do.
    """
    from lamina.surfaces.cli.saying import say_kept

    said = {name: value for name, value in course.items() if value is not None}
    session.may_create = True
    say_kept(session, session.handle.episode.record(task, action, what, **said))


@episodes.command()
@pass_session
def rates(session: Session) -> None:
    """Show how often each approach succeeded, and what it cost."""
    from lamina.surfaces import wire_layers
    from lamina.surfaces.cli.marks import grid

    found = session.handle.episode.rates()
    if session.out.as_json:
        session.out.document({"rates": [wire_layers.rate_out(one) for one in found]})
        return
    rows = [
        (one.approach, f"{one.success:.0%}", str(one.completed), str(one.failed),
         _figure(one.duration_ms), _figure(one.tokens))
        for one in found
    ]  # fmt: skip
    headings = ("approach", "success", "completed", "failed", "mean ms", "mean tokens")
    _say_figures(session, grid(headings, rows, headed=True))


@episodes.command()
@click.argument("agent", metavar="AGENT")
@click.option(
    "--days", type=int, default=7, show_default=True, metavar="N", help="How long a span is."
)
@pass_session
def trend(session: Session, /, agent: str, days: int) -> None:
    """Show how an agent did, span after span."""
    from lamina.core.names import check_name
    from lamina.surfaces import wire_layers
    from lamina.surfaces.cli.marks import grid

    found = session.handle.episode.trend(check_name(agent, "agent"), days=days)
    if session.out.as_json:
        spans = [wire_layers.span_out(one) for one in found]
        session.out.document({"agent": agent, "days": days, "spans": spans})
        return
    rows = [
        (f"{one.begins:%Y-%m-%d}", "-" if one.success is None else f"{one.success:.0%}",
         str(one.completed), str(one.failed), f"{one.tokens:,}")
        for one in found
    ]  # fmt: skip
    headings = ("from", "success", "completed", "failed", "tokens")
    _say_figures(session, grid(headings, rows, headed=True))


@episodes.command()
@click.argument("words", nargs=-1, required=True, metavar="TEXT...")
@click.option("--all", "everything", is_flag=True, help="What failed as well.")
@click.option("-k", type=int, default=5, show_default=True, metavar="N", help="At most so many.")
@pass_session
def similar(session: Session, /, words: tuple[str, ...], k: int, *, everything: bool) -> None:
    """Show what worked for tasks like this one."""
    from lamina.surfaces import wire

    found = session.handle.episode.similar(" ".join(words), worked=not everything, k=k)
    if session.out.as_json:
        session.out.document({"hits": [wire.hit_out(hit) for hit in found]})
    elif session.out.quiet:
        for hit in found:
            session.out.raw(hit.record.id)
    elif found:
        session.out.show(_grid([hit.record for hit in found]))
    else:
        hint = "" if everything else "; --all looks at what failed as well"
        session.out.note(f"Nothing like it {'was tried' if everything else 'has worked'}{hint}.")


def _say_figures(session: Session, table: "Grid") -> None:
    if table.rows:
        session.out.show(table)
    else:
        session.out.note("Nothing that was tried has come to an end.")


def _grid(records: "Sequence[Record]") -> "Grid":
    from lamina.surfaces.cli.marks import Span, grid
    from lamina.surfaces.cli.views import cut, instant

    rows = [
        (
            instant(one.created_at), one.source, str(one.data.get("task", "-")),
            Span(one.kind, _STYLES.get(one.kind, "")), str(one.data.get("approach", "-")),
            cut(one.text),
        )
        for one in records
    ]  # fmt: skip
    return grid(("when", "agent", "task", "action", "approach", "what"), rows)


def _figure(number: float | None) -> str:
    return "-" if number is None else f"{number:,.0f}"
