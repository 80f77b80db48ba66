"""`lamina serve`: the HTTP server on a store."""

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli import completing, workspace
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from lamina.memory import Memory

_EVERYWHERE: Final = ("", "0.0.0.0", "::")


@click.command(cls=Command)
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Where to listen.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8484, show_default=True, metavar="NUMBER",
    help="On which port; 0 takes a free one.",
)  # fmt: skip
@click.option(
    "--upkeep", metavar="SPAN", help="Do what is due every so often, as 1h; never unless given."
)
@click.option("--access-log", is_flag=True, help="Write a line for each request.")
@click.option(
    "--allow-host", "names", multiple=True, metavar="NAME",
    help="A name it answers to, beside those of this machine for itself.",
)  # fmt: skip
@click.option(
    "--allow-origin", "origins", multiple=True, metavar="ORIGIN",
    help="The address of a proxy before it, as https://memory.example.com.",
)  # fmt: skip
@click.option(
    "--workspace", metavar="DIR", shell_complete=completing.folders,
    help="Where artifacts are verified for the owner: the folder that holds `.lamina`.",
)  # fmt: skip
@pass_session
def serve(session: Session, /, host: str, port: int, upkeep: str | None, **how: Any) -> None:
    """Serve the memories of a store over HTTP.

    Whoever calls shows a key: `lamina token create NAME` makes one, and one of the owner's lies in
    the directory of the store, as `server.key`; for a store in a database, where the key to its
    secrets lies. Ctrl-C or SIGTERM ends the server, once the
    requests in hand are answered.
    """
    try:
        from lamina.surfaces.http import running
        from lamina.surfaces.http.binding import engine_at
    except ModuleNotFoundError as error:
        raise not_installed(error) from None

    session.may_create = True
    # A server keeps its store itself: one before another would lend out its key.
    if session.config.database is None:
        _ = session.config.path
    with running.bind(host, port) as where:
        whole = session.unbound
        engine = engine_at(whole, host, how["names"], how["origins"])
        engine.workspace = workspace.of_server(session, how["workspace"])
        session.tell_if_new()
        address = f"http://{callable_name(host, how['names'])}:{where.getsockname()[1]}"
        with _scheduled(whole, upkeep):
            running.serve(engine, where, lambda: _tell(session, address), log=how["access_log"])


def callable_name(host: str, allowed: "Sequence[str]") -> str:
    """A name by which it can be called; where it listens on all of them, that is none."""
    if host in _EVERYWHERE:
        return allowed[0] if allowed else "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _tell(session: Session, address: str) -> None:
    """Where it listens, and how to call it."""
    import shlex
    import sys

    from lamina.tokens.local import key_file

    out = session.out
    if out.as_json:
        out.document({"url": address})
    else:
        out.raw(f"Lamina listens on {address}")
        path = key_file(session.unbound)
        path = path if path is not None and path.exists() else None
        key = "KEY" if path is None else f"$(cat {shlex.quote(str(path))})"
        out.note(f'Try: curl -H "Authorization: Bearer {key}" {address}/api/records')
        out.note("In a browser: lamina ui")
        out.note(f"What it takes: {address}/docs; MCP clients: {address}/mcp")
        owner = "" if path is None else "That key is the owner's; "
        out.note(f"{owner}`lamina token create NAME` makes one for somebody else.")
        out.note("Ctrl-C ends it.")
    sys.stdout.flush()


def _scheduled(whole: "Memory", every: str | None) -> "AbstractContextManager[Any]":
    if every is None:
        return nullcontext()
    from lamina.lifecycle.scheduling import Scheduler
    from lamina.lifecycle.taking_turns import Turns

    return Scheduler(Turns(whole.lifecycle, whole.store, every), every)


def not_installed(error: ModuleNotFoundError) -> Exception:
    """What to say when the packages of the server are missing."""
    from lamina.errors import UnsupportedError

    return UnsupportedError(
        f"serving needs the package `{error.name}`, which is not installed",
        remedy="Run `pip install 'lamina[server]'`",
    )
