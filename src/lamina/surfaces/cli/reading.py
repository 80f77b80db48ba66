"""`lamina list`, `get` and `query`."""

from typing import Any

import click

from lamina.surfaces.cli.options import Command, scope_options, which_options
from lamina.surfaces.cli.session import Session, pass_session


@click.command("list", cls=Command)
@click.option("--layer", "layers", multiple=True, metavar="LAYER", help="Only this layer.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only this kind.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="With one of these tags.")
@click.option("--state", "states", multiple=True, metavar="STATE", help="As `forgotten`.")
@click.option("--limit", type=int, default=100, show_default=True, metavar="N")
@click.option("--order-by", metavar="FIELD", help="Greatest first; -FIELD reverses.")
@scope_options
@pass_session
def list_records(session: Session, /, limit: int, **options: Any) -> None:
    """List memories, newest first."""
    from lamina.surfaces.cli.saying import say_records

    scope, where = options["scope"], _where(options)
    memory = session.memory(scope)
    say_records(
        session, memory.query(where, order_by=options["order_by"], limit=limit, scope=scope)
    )


@click.command(cls=Command)
@click.argument("where", metavar="WHERE_JSON")
@click.option("--limit", type=int, default=100, show_default=True, metavar="N")
@click.option("--order-by", metavar="FIELD", help="Greatest first; -FIELD reverses.")
@scope_options
@pass_session
def query(session: Session, /, where: str, limit: int, **options: Any) -> None:
    """List the memories that match a filter.

    WHERE_JSON is an object such as '{"kind": "decision", "importance": {"$gte": 0.7}}'; the
    comparisons are $eq $ne $gt $gte $lt $lte $in $prefix.
    """
    from lamina.core.canonical import loads
    from lamina.surfaces.cli.saying import say_records

    scope = options["scope"]
    wanted = loads(where, "where")
    memory = session.memory(scope)
    say_records(
        session, memory.query(wanted, order_by=options["order_by"], limit=limit, scope=scope)
    )


@click.command(cls=Command)
@click.argument("name", metavar="ID_OR_KEY")
@which_options
@pass_session
def get(session: Session, /, name: str, **which: Any) -> None:
    """Show one memory.

    With --quiet, its text alone.
    """
    from lamina import clock
    from lamina.surfaces import wire
    from lamina.surfaces.cli.marks import line
    from lamina.surfaces.cli.views import record_lines

    out, record = session.out, session.find(name, **which)
    if out.as_json:
        out.document(wire.record_out(record))
    elif out.quiet:
        out.show(line(record.text))
    else:
        out.show(*record_lines(record, clock.now()))


def _where(options: dict[str, Any]) -> dict[str, Any]:
    """The filter that the options of `list` stand for; names that nothing has are refused."""
    from lamina.core.layers import layer_named
    from lamina.core.record import State
    from lamina.errors import InvalidInputError

    layers = [layer_named(name).name for name in options["layers"]]
    unknown = [state for state in options["states"] if state not in list(State)]
    if unknown:
        raise InvalidInputError(
            f"`--state` is not a state: {unknown[0]!r:.40}",
            remedy=f"Use one of: {', '.join(State)}",
        )
    chosen = {"layer": layers, "kind": list(options["kinds"]), "state": list(options["states"])}
    where: dict[str, Any] = {field: {"$in": names} for field, names in chosen.items() if names}
    return where | ({"tags": list(options["tags"])} if options["tags"] else {})
