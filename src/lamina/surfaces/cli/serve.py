"""`lamina serve`: the HTTP server on a store."""

import click

from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

_TRY = """curl -H "Authorization: Bearer $(cat '%s')" http://127.0.0.1:%d/api/auth/me"""


@click.command(cls=Command)
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Where to listen.")
@click.option("--port", default=8484, metavar="NUMBER", help="On which port; 0 takes a free one.")
@click.option(
    "--allow-host", multiple=True, metavar="NAME",
    help="A name it answers to, beside those of this machine for itself.",
)  # fmt: skip
@click.option(
    "--allow-origin", multiple=True, metavar="ORIGIN",
    help="The address of a proxy before it, as https://memory.example.com.",
)  # fmt: skip
@pass_session
def serve(
    session: Session,
    /,
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    allow_origin: tuple[str, ...],
) -> None:
    """Serve the memories of a store over HTTP.

    Whoever calls shows a key: `lamina token create NAME` makes one.
    """
    import uvicorn

    from lamina.surfaces.http.app import create_app
    from lamina.surfaces.http.binding import engine_at
    from lamina.tokens.local import key_file

    session.may_create = True
    engine = engine_at(session.unbound, host, allow_host, allow_origin)
    if path := key_file(session.unbound):
        session.out.note(f"The key of the owner lies in {path}", f"Try: {_TRY % (path, port)}")
    uvicorn.run(create_app(engine), host=host, port=port, timeout_graceful_shutdown=3)
