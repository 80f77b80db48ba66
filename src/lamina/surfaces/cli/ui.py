"""`lamina ui`: the web interface, signed in without anybody typing a key."""

import json
from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli import workspace
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.memory import Memory

_HOST: Final = "127.0.0.1"
_PATIENCE_SECONDS: Final = 10.0


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
    it. The address holds a code that lets in once, within two minutes.
    """
    try:
        from lamina.surfaces.http import running
        from lamina.surfaces.http.binding import engine_at
    except ModuleNotFoundError as error:
        from lamina.surfaces.cli.serve import not_installed

        raise not_installed(error) from None

    session.may_create = True
    key = _owner_key(session.unbound)
    code = _code_of(port, key) if port else None
    if code is not None:
        _show(session, port, code, no_browser=no_browser)
        return
    with running.bind(_HOST, port) as where:
        engine = engine_at(session.unbound, _HOST)
        engine.workspace = workspace.of_server(session, None)
        session.tell_if_new()
        taken = where.getsockname()[1]

        def ready() -> None:
            _show(session, taken, engine.codes.issue(key), no_browser=no_browser)
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


def _code_of(port: int, key: str | None) -> str | None:
    """A code from the server that runs there; nothing where none does."""
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    from lamina.errors import BusyError

    asked = Request(
        f"http://{_HOST}:{port}/api/auth/codes", method="POST",
        headers={"Authorization": f"Bearer {key}"},
    )  # fmt: skip
    try:
        with urlopen(asked, timeout=_PATIENCE_SECONDS) as answer:
            found: dict[str, Any] = json.loads(answer.read())
            return str(found["code"])
    except (HTTPError, ValueError, KeyError, TypeError):
        raise BusyError(
            f"what listens on port {port} is not a server of this store",
            remedy="Take another port: --port 0 finds a free one",
        ) from None
    except (URLError, OSError):
        return None


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
