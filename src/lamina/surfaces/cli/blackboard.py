"""`lamina blackboard`."""

from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.groups import Group
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.layers.subscription import News, Signal
    from lamina.surfaces.cli.marks import Grid

_KEYS: Final = completing.keys_of("blackboard")
_DECLARED: Final = "Write each as 'task:{id}:status=text'"
_NO: Final = 1


@click.group(cls=Group, usual="list")
def blackboard() -> None:
    """Publish, read and await signals.

    The board is the project's: every agent of it reads and writes there. Outside a project it is
    the one for everyone (the scope `global`).
    """


@blackboard.command("list")
@click.argument("prefix", default="", metavar="[PREFIX]", shell_complete=_KEYS)
@pass_session
def list_signals(session: Session, /, prefix: str) -> None:
    """Show what stands under the keys that begin so."""
    board = session.handle.blackboard
    found = list(board.list(prefix).values())
    if found or session.out.as_json:
        _say(session, found)
    else:
        session.out.note(f"Nothing stands on the board of {board.scope}.")


@blackboard.command("get")
@click.argument("key", metavar="KEY", shell_complete=_KEYS)
@pass_session
def get_signal(session: Session, /, key: str) -> None:
    """Show the value of a key, and nothing else."""
    from lamina.errors import NotFoundError

    found = session.handle.blackboard.read(key)
    if found is None:
        raise NotFoundError(f"nothing stands on the board under {key!r:.80}")
    _say_value(session, found)


@blackboard.command()
@click.argument("key", metavar="KEY", shell_complete=_KEYS)
@click.argument("value", metavar="VALUE")
@click.option("--ttl", metavar="SPAN", help="Take it off again after so long, as 30s or 7d.")
@click.option("--expect", type=int, metavar="REV", help="The revision that must stand; 0 for none.")
@click.option("--strict", is_flag=True, help="Refuse what departs from what was declared.")
@pass_session
def publish(session: Session, /, key: str, value: str, **options: Any) -> None:
    """Put a value on the board, in place of what stood there.

    VALUE is JSON where it can be read as that, else text; a number as text is '"42"'. Put -- before
    a value that begins with a dash.
    """
    from lamina.surfaces import wire_layers
    from lamina.surfaces.cli.saying import say_kept

    session.may_create = True
    done = session.handle.blackboard.publish(key, _value(value), **options)
    if session.out.as_json:
        session.out.document(wire_layers.published_out(done))
        return
    say_kept(session, done.receipt)
    session.out.note(*done.drift)


@blackboard.command("wait")
@click.argument("key", metavar="KEY", shell_complete=_KEYS)
@click.option("--timeout", type=float, metavar="SECONDS", help="Give up after so long.")
@click.pass_context
def wait_for_signal(context: click.Context, /, key: str, timeout: float | None) -> None:
    """Wait until something stands under a key, and show it.

    Exits with 1 when time has run out.
    """
    from lamina.core.names import check_key
    from lamina.feed import check_timeout

    session = context.ensure_object(Session)
    found = session.handle.blackboard.wait_for(check_key(key), timeout=check_timeout(timeout))
    if found is not None:
        _say_value(session, found)
        return
    if session.out.as_json:
        session.out.document(None)
    session.out.note(f"Nothing came under {key}.")
    context.exit(_NO)


@blackboard.command("watch")
@click.argument("prefix", default="", metavar="[PREFIX]", shell_complete=_KEYS)
@click.option("--after", metavar="CURSOR", help="Go on from there.")
@click.option("--timeout", type=float, metavar="SECONDS", help="Stop after so long without news.")
@pass_session
def watch_board(session: Session, /, prefix: str, after: str | None, timeout: float | None) -> None:
    """Follow the keys that begin so, each change once and in order.

    With --json, each line is a document with a cursor of its own.
    """
    from lamina.feed import check_timeout
    from lamina.surfaces.cli.watch import LOOK_SECONDS, Source, follow

    patience = check_timeout(timeout)
    nap = LOOK_SECONDS if patience is None else min(LOOK_SECONDS, patience)
    feed = session.handle.blackboard.subscribe(prefix, after=after, timeout=nap)
    source = Source(feed, lambda news: _show_news(session, news), lambda news: str(news.cursor))
    command = ["blackboard", "watch", *([prefix] if prefix else [])]
    follow(session, source, command, patience=patience)


@blackboard.command()
@click.argument("key", metavar="KEY", shell_complete=_KEYS)
@pass_session
def clear(session: Session, /, key: str) -> None:
    """Take a signal off the board; undo brings it back."""
    from lamina.surfaces.cli.saying import say_receipt

    say_receipt(session, session.handle.blackboard.clear(key))


@blackboard.command()
@click.argument("namespace", metavar="NAMESPACE")
@click.argument("keys", nargs=-1, required=True, metavar="KEY=TYPE...")
@pass_session
def declare(session: Session, /, namespace: str, keys: tuple[str, ...]) -> None:
    """Say which keys belong in a namespace, and what they hold.

    As `declare task: 'task:{id}:status=text'`; a TYPE is text, number, boolean, list, object or
    any. What departs from it is published with a warning, or with --strict not at all.
    """
    from lamina.errors import InvalidInputError
    from lamina.layers.schemas import Schema
    from lamina.surfaces.cli.saying import say_kept

    pairs = [one.rpartition("=") for one in keys]
    wrong = [one for one, (key, _, kind) in zip(keys, pairs, strict=True) if not key or not kind]
    if wrong:
        raise InvalidInputError(f"`KEY=TYPE` is not {wrong[0]!r:.80}", remedy=_DECLARED)
    session.may_create = True
    schema = Schema({key: kind for key, _, kind in pairs})
    say_kept(session, session.handle.blackboard.declare(namespace, schema))


def _value(text: str) -> Any:
    """JSON where it is some, else the text itself."""
    from lamina.core.canonical import loads
    from lamina.errors import InvalidInputError

    try:
        return loads(text, "VALUE")
    except InvalidInputError:
        return text


def _say(session: Session, found: "Sequence[Signal]") -> None:
    from lamina.surfaces import wire_layers

    if session.out.as_json:
        session.out.document({"signals": [wire_layers.signal_out(one) for one in found]})
    elif session.out.quiet:
        for one in found:
            session.out.raw(one.key)
    else:
        session.out.show(_grid(found))


def _say_value(session: Session, found: "Signal") -> None:
    from lamina.surfaces import wire_layers
    from lamina.surfaces.cli.marks import line

    if session.out.as_json:
        session.out.document(wire_layers.signal_out(found))
    else:
        session.out.show(line(_told(found)))


def _grid(found: "Sequence[Signal]") -> "Grid":
    from lamina.surfaces.cli.marks import Span, grid
    from lamina.surfaces.cli.views import instant

    rows = [
        (
            Span(one.key, "bold"), _told(one), one.publisher, instant(one.published_at),
            str(one.rev), "-" if one.expires_at is None else instant(one.expires_at),
        )
        for one in found
    ]  # fmt: skip
    return grid(("key", "value", "by", "since", "rev", "until"), rows)


def _told(signal: "Signal") -> str:
    from lamina.core.canonical import dumps

    return signal.value if isinstance(signal.value, str) else dumps(signal.value)


def _show_news(session: Session, news: "News") -> None:
    from lamina.surfaces import wire_layers
    from lamina.surfaces.cli.marks import Span, grid

    if session.out.as_json:
        session.out.json_line(wire_layers.news_out(news))
        return
    if session.out.quiet:
        session.out.raw(news.key)
        return
    signal = news.signal
    told = Span("cleared", "red") if signal is None else Span(_told(signal), "bold")
    row = (news.key, told, "-" if signal is None else signal.publisher)
    session.out.show(grid(("key", "value", "by"), [row]))
