"""`lamina fact`."""

from typing import TYPE_CHECKING, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.groups import Group
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.core.record import Record
    from lamina.surfaces.cli.marks import Grid

_KEYS: Final = completing.keys_of("fact")
_CATEGORIES: Final = completing.kinds_of("fact")


@click.group(cls=Group, usual="list")
def fact() -> None:
    """Show or change single values by key.

    With --as NAME, the facts of that agent. Without, those of the project, which its agents read
    too, or outside a project those for everyone (the scope `global`).
    """


@fact.command("list")
@click.option(
    "--category", metavar="CATEGORY", shell_complete=_CATEGORIES, help="Only this category."
)
@pass_session
def list_facts(session: Session, /, category: str | None) -> None:
    """Show every fact, the newest first."""
    from lamina.core.layers import LAYERS, check_kind_of
    from lamina.surfaces.cli.saying import none_of, or_an_agents, say_table

    if category is not None:
        check_kind_of(LAYERS["fact"], category, "--category")
    face = session.handle.fact
    found = face.records(category)
    nothing = none_of("facts", face.scope, asked=category is not None) + or_an_agents(session)
    say_table(session, found, _grid, nothing, by_key=True)


@fact.command("get")
@click.argument("key", metavar="KEY", shell_complete=_KEYS)
@pass_session
def get_fact(session: Session, /, key: str) -> None:
    """Show the value of a key, and nothing else."""
    from lamina.surfaces import wire
    from lamina.surfaces.cli.marks import line

    found = session.handle.fact.record(key)
    if session.out.as_json:
        session.out.document(wire.record_out(found))
    else:
        session.out.show(line(found.text))


@fact.command("set")
@click.argument("key", metavar="KEY", shell_complete=_KEYS)
@click.argument("value", metavar="VALUE")
@click.option(
    "--category", metavar="CATEGORY", default="general", show_default=True,
    shell_complete=_CATEGORIES, help="general, preference, personal or config.",
)  # fmt: skip
@click.option("--expect", type=int, metavar="REV", help="The revision that must be current.")
@pass_session
def set_fact(session: Session, /, key: str, value: str, category: str, expect: int | None) -> None:
    """Keep a value; with the same key again, the new one counts."""
    from lamina.surfaces.cli.saying import say_kept

    session.may_create = True
    say_kept(session, session.handle.fact.save(key, value, category, expect=expect))


@fact.command("forget")
@click.argument("key", metavar="KEY", shell_complete=_KEYS)
@pass_session
def forget_fact(session: Session, /, key: str) -> None:
    """Hide a fact; undo brings it back."""
    from lamina.surfaces.cli.saying import say_receipt

    say_receipt(session, session.handle.fact.forget(key))


def _grid(records: "list[Record]") -> "Grid":
    from lamina.surfaces.cli.marks import Span, grid
    from lamina.surfaces.cli.views import instant

    rows = [
        (Span(str(one.key), "bold"), one.text, one.kind, instant(one.updated_at)) for one in records
    ]
    return grid(("key", "value", "category", "changed"), rows)
