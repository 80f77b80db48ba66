"""`lamina mcp`: memory for whatever client speaks the Model Context Protocol."""

from typing import Final

import click

from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

_ASSISTANT: Final = "assistant"
_PROFILES: Final = ("default", "server-memory", "mem0")


@click.command(cls=Command)
@click.option(
    "--tools", type=click.Choice(_PROFILES), default="default", show_default=True,
    help="Whose tools it offers: ours, or those of another memory server.",
)  # fmt: skip
@pass_session
def mcp(session: Session, /, tools: str) -> None:
    """Serve memory to a model's client, over standard streams (MCP).

    Clients start this command themselves. It acts as the agent `assistant` unless --as names
    another, and ends when its client goes. Any number of them may share a store.
    """
    _serve(session, tools)


def _serve(session: Session, tools: str) -> None:
    from dataclasses import replace

    from lamina.core.principal import Surface
    from lamina.errors import UnsupportedError

    try:
        from lamina.surfaces.mcp.stdio import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("mcp", "mcp_types", "pydantic"):
            raise
        raise UnsupportedError(
            "`lamina mcp` needs the package `mcp`",
            remedy="Install it: pip install 'lamina[mcp]'",
        ) from None
    session.may_create = True
    if not session.is_acting:
        session.name = _ASSISTANT
    bound = replace(session.handle.principal, surface=Surface.MCP)
    serve(session.unbound.acting(bound), tools)
