"""`lamina serve`: the HTTP server on a store."""

import click

from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session


@click.command(cls=Command)
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Where to listen.")
@click.option("--port", default=8484, metavar="NUMBER", help="On which port; 0 takes a free one.")
@pass_session
def serve(session: Session, /, host: str, port: int) -> None:
    """Serve the memories of a store over HTTP."""
    import uvicorn

    from lamina.surfaces.http.app import create_app
    from lamina.surfaces.http.engine import Engine
    from lamina.surfaces.http.server import Server

    session.may_create = True
    engine = Engine(session.unbound)
    Server(uvicorn.Config(create_app(engine), host=host, port=port), engine).run()
