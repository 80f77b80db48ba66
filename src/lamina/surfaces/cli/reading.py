"""`lamina list`, `get` and `query`."""

from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.options import (
    Command,
    as_of_option,
    kind_option,
    layer_option,
    name_argument,
    page_options,
    read_json,
    scope_options,
    which_options,
)
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.core.record import Record

_FILES: Final = "source"


@click.command("list", cls=Command)
@layer_option("layers", multiple=True, help="Only this layer.")
@kind_option("kinds", multiple=True, help="Only this kind.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="With one of these tags.")
@click.option(
    "--state", "states", multiple=True, metavar="STATE", help="As `forgotten`.",
    shell_complete=completing.states,
)  # fmt: skip
@page_options
@as_of_option
@scope_options
@pass_session
def list_records(session: Session, /, **options: Any) -> None:
    """List memories, newest first.

    What was read out of files is left out; --layer source and --layer item list it. --kind decision
    lists what was decided.
    """
    _list(session, _where(options), options)
    if not options["layers"] and not options["kinds"]:
        _tell_of_files(session, options)


@click.command(cls=Command)
@click.argument("where", metavar="WHERE_JSON")
@page_options
@as_of_option
@scope_options
@pass_session
def query(session: Session, /, where: str, **options: Any) -> None:
    """List the memories that match a filter.

    WHERE_JSON is an object such as '{"kind": "decision", "importance": {"$gte": 0.7}}'; the
    comparisons are $eq $ne $gt $gte $lt $lte $in $prefix.
    """
    _list(session, read_json(where, "where"), options)


@click.command(cls=Command)
@name_argument
@as_of_option
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


def _list(session: Session, where: Any, options: dict[str, Any]) -> None:
    from lamina.surfaces.cli.nothing import tell_why
    from lamina.surfaces.cli.saying import say_records

    scope, as_of, limit = options["scope"], options["as_of"], options["limit"]
    memory = session.memory(scope)
    found = memory.query(where, order_by=options["order_by"], limit=limit, scope=scope, as_of=as_of)
    # Counting is only worth its time where something may have been cut off.
    total = len(found) if len(found) < limit else memory.count(where, scope=scope, as_of=as_of)
    shown = found if options.get("kinds", True) else [one for one in found if _is_told(one)]
    say_records(session, shown, max(total, len(found)) - len(found) + len(shown))
    if not found:
        tell_why(session, scope, as_of)


def _is_told(record: "Record") -> bool:
    """Whether it tells anything: how a file is arranged is kept for Lamina alone."""
    from lamina.core.layers import LAYERS

    return record.layer == _FILES or record.kind not in LAYERS[record.layer].unsaid


def _tell_of_files(session: Session, options: dict[str, Any]) -> None:
    if session.out.quiet or session.out.as_json:
        return
    for what, where in (
        ("pieces of files", {"layer": _FILES, "kind": "chunk"}),
        ("items of files", {"layer": "item"}),
    ):
        scope = options["scope"]
        number = session.memory(scope).count(where, scope=scope, as_of=options["as_of"])
        if number:
            layer = where["layer"]
            session.out.note(f"{number:,} {what} are not listed; --layer {layer} lists them")


def _where(options: dict[str, Any]) -> dict[str, Any]:
    """The filter that the options of `list` stand for; names that nothing has are refused."""
    from lamina.core.layers import LAYERS, layer_named
    from lamina.core.record import State
    from lamina.errors import InvalidInputError

    layers = [layer_named(name).name for name in options["layers"]]
    unknown = [state for state in options["states"] if state not in list(State)]
    if unknown:
        raise InvalidInputError(
            f"`--state` is not a state: {unknown[0]!r:.40}",
            remedy=f"Use one of: {', '.join(State)}",
        )
    kinds = list(options["kinds"])
    if not kinds:
        # What is known of the files themselves is for Lamina, and listed when it is asked for.
        told = [one.name for one in LAYERS.values() if not (one.pipeline_only or one.owner_only)]
        layers, kinds = (layers, ["chunk"]) if layers == [_FILES] else (layers or told, [])
    chosen = {"layer": layers, "kind": kinds, "state": list(options["states"])}
    where: dict[str, Any] = {field: {"$in": names} for field, names in chosen.items() if names}
    return where | ({"tags": list(options["tags"])} if options["tags"] else {})
