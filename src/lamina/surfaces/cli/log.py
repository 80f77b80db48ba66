"""`lamina log`."""

from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.groups import Group
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.core.record import Record
    from lamina.surfaces.cli.marks import Grid

_STYLES: Final = {"ERROR": "red", "USER_FEEDBACK": "cyan", "SYSTEM": "dim"}
_KINDS: Final = completing.kinds_of("log")


@click.group(cls=Group, usual="tail")
def log() -> None:
    """Show or add to what was done, entry by entry.

    With --as NAME, the log of that agent. Without, that of the project itself, or outside a
    project the one for everyone (the scope `global`). Entries are added and never changed.
    """


@log.command()
@click.option("--kind", metavar="KIND", shell_complete=_KINDS, help="Only entries of this kind.")
@click.option("-n", "--lines", type=int, metavar="N", help="How many; else the setting `log.tail`.")
@pass_session
def tail(session: Session, /, kind: str | None, lines: int | None) -> None:
    """Show the last entries, oldest first."""
    from lamina.core.layers import LAYERS, check_kind_of
    from lamina.surfaces.cli.saying import none_of, or_an_agents, say_table

    if kind is not None:
        check_kind_of(LAYERS["log"], kind, "--kind")
    face = session.handle.log
    found = face.tail(lines, kind=kind)
    nothing = none_of("log entries", face.scope, asked=kind is not None)
    say_table(session, found, _grid, nothing + or_an_agents(session))


@log.command()
@click.argument("text", metavar="TEXT")
@click.option(
    "--kind", metavar="KIND", default="THOUGHT", show_default=True, shell_complete=_KINDS,
    help="TOOL_USE, THOUGHT, USER_FEEDBACK, ERROR or SYSTEM.",
)  # fmt: skip
@click.option("--data", metavar="JSON", help="A JSON object to keep with it.")
@pass_session
def add(session: Session, /, text: str, kind: str, data: str | None) -> None:
    """Add an entry."""
    from lamina.errors import InvalidInputError
    from lamina.surfaces.cli.options import read_json
    from lamina.surfaces.cli.saying import say_kept

    more: Any = {} if data is None else read_json(data, "--data", """'{"status": 1}'""")
    if not isinstance(more, dict) or more.keys() & {"kind", "text"}:
        raise InvalidInputError("`--data` must be a JSON object without `kind` and `text`")
    session.may_create = True
    say_kept(session, session.handle.log.append(kind, text, **more))


def _grid(records: "list[Record]") -> "Grid":
    from lamina.surfaces.cli.marks import Span, grid
    from lamina.surfaces.cli.views import instant

    rows = [
        (instant(one.created_at), Span(one.kind, _STYLES.get(one.kind, "bold")), one.text)
        for one in records
    ]
    return grid(("when", "kind", "text"), rows)
