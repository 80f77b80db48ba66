"""`lamina serve`: the HTTP server on a store."""

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from lamina.memory import Memory


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
@pass_session
def serve(
    session: Session, /, host: str, port: int, upkeep: str | None, *, access_log: bool
) -> None:
    """Serve the memories of a store over HTTP.

    Ctrl-C or SIGTERM ends it, once the requests in hand are answered.
    """
    try:
        from lamina.surfaces.http import running
        from lamina.surfaces.http.engine import Engine
    except ModuleNotFoundError as error:
        raise _not_installed(error) from None

    session.may_create = True
    where = running.bind(host, port)
    whole = session.unbound
    session.tell_if_new()
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{where.getsockname()[1]}"
    with _scheduled(whole, upkeep):
        running.serve(Engine(whole), where, lambda: _tell(session, address), log=access_log)


def _tell(session: Session, address: str) -> None:
    """Where it listens, and how to call it."""
    import sys

    out = session.out
    if out.as_json:
        out.document({"url": address})
    else:
        out.raw(f"Lamina listens on {address}")
        out.note(f"Try: curl {address}/api/records", f"What it takes: {address}/docs")
        out.note("Ctrl-C ends it.")
    sys.stdout.flush()


def _scheduled(whole: "Memory", every: str | None) -> "AbstractContextManager[Any]":
    if every is None:
        return nullcontext()
    from lamina.lifecycle.scheduling import Scheduler

    return Scheduler(whole.lifecycle, every)


def _not_installed(error: ModuleNotFoundError) -> Exception:
    from lamina.errors import UnsupportedError

    return UnsupportedError(
        f"serving needs the package `{error.name}`, which is not installed",
        remedy="Run `pip install 'lamina[server]'`",
    )
