"""`lamina ui`: the web interface, signed in without anybody typing a key."""

import json
from typing import TYPE_CHECKING, Final

import click

from lamina.surfaces.cli import workspace
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.memory import Memory
    from lamina.tokens.codes import Codes

_HOST: Final = "127.0.0.1"
_PATIENCE_SECONDS: Final = 10.0
_LONGEST: Final = 1 << 16
"""Bytes of an answer that are read: what listens may be anything."""


@click.command(cls=Command)
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8484, show_default=True, metavar="NUMBER",
    help="Where the server is, or is to be; 0 takes a free port.",
)  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Only say where to look.")
@pass_session
def ui(session: Session, /, port: int, *, no_browser: bool) -> None:
    """Open the web interface of a store in a browser.

    A server of this store that runs on the port is used; otherwise one is started, and Ctrl-C ends
    it. The address holds a code that lets the owner in once, within two minutes.
    """
    from lamina.errors import InvalidInputError

    try:
        from lamina.surfaces.http import running
        from lamina.surfaces.http.binding import engine_at
        from lamina.tokens.codes import Codes
    except ModuleNotFoundError as error:
        from lamina.surfaces.cli.serve import not_installed

        raise not_installed(error) from None

    if session.is_acting:
        raise InvalidInputError(
            "`--as` and `--role` say who somebody is, and this signs in the owner",
            remedy="Leave them out, or sign in with a key of `lamina token create`",
        )
    session.may_create = True
    key, codes = _owner_key(session.unbound), Codes(session.unbound)
    if port and _is_served(port, codes, key):
        _show(session, port, codes.issue(key), no_browser=no_browser)
        return
    with running.bind(_HOST, port) as where:
        engine = engine_at(session.unbound, _HOST)
        engine.workspace = workspace.of_server(session, None)
        session.tell_if_new()
        taken = where.getsockname()[1]

        def ready() -> None:
            _show(session, taken, codes.issue(key), no_browser=no_browser)
            session.out.note("Ctrl-C ends the server.")

        running.serve(engine, where, ready, log=False)


def _owner_key(whole: "Memory") -> str | None:
    from lamina.errors import UnsupportedError
    from lamina.tokens.local import ensure_owner_key, read_owner_key

    path = ensure_owner_key(whole)
    if path is None:
        raise UnsupportedError(
            "this store has no directory for its owner's key",
            remedy="Use `lamina serve`, and sign in with a key of `lamina token create`",
        )
    return read_owner_key(path)


def _is_served(port: int, codes: "Codes", key: str | None) -> bool:
    """Whether a server of this store listens there, and not another, or none.

    Only one that has the key of the store can answer a code with another. What listens there may
    be anybody's, so it is shown nothing but a code, which opens once.
    """
    from http.client import HTTPConnection, HTTPException

    from lamina.errors import BusyError, UnauthenticatedError

    line = HTTPConnection(_HOST, port, timeout=_PATIENCE_SECONDS)
    shown = json.dumps({"code": codes.issue(key)})
    try:
        line.request("POST", "/api/auth/enter", shown, {"Content-Type": "application/json"})
        codes.end(json.loads(line.getresponse().read(_LONGEST))["next_code"])
    except (HTTPException, ValueError, LookupError, TypeError, UnauthenticatedError):
        raise BusyError(
            f"what listens on port {port} is not a server of this store",
            remedy="Take another port: --port 0 finds a free one",
        ) from None
    except OSError:
        return False
    finally:
        line.close()
    return True


def _show(session: Session, port: int, code: str, *, no_browser: bool) -> None:
    """Say where to look, and look there."""
    import sys

    address = f"http://{_HOST}:{port}/#/enter/{code}"
    out = session.out
    if out.as_json:
        out.document({"url": address})
    else:
        out.raw(address)
    sys.stdout.flush()
    if not no_browser:
        import webbrowser

        webbrowser.open(address)
