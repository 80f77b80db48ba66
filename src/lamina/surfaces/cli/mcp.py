"""`lamina mcp`: memory for whatever client speaks the Model Context Protocol."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Iterator

_ASSISTANT: Final = "assistant"
_USUAL: Final = "default"
_PROFILES: Final = (_USUAL, "server-memory", "mem0")
_CLIENTS: Final = ("claude", "claude-desktop", "cursor", "vscode", "codex")
_SHARED: Final = "project"
_LEVELS: Final = ("user", _SHARED)
_INSTALL: Final = "pip install 'lamina[mcp]'"
_PACKAGES: Final = ("mcp", "mcp_types", "pydantic", "starlette", "uvicorn")


@click.command(cls=Command)
@click.option(
    "--tools",
    type=click.Choice(_PROFILES),
    default=_USUAL,
    show_default=True,
    help="Whose tools it offers: ours, or those of another memory server.",
)
@click.option(
    "--install",
    "client",
    type=click.Choice(_CLIENTS),
    help="Write it into a client's settings.",
)
@click.option(
    "--level",
    type=click.Choice(_LEVELS),
    default="user",
    show_default=True,
    help="With --install: in your own settings, or in those of the folder you are in.",
)
@click.option("--print", "only_shown", is_flag=True, help="With --install: only show it.")
@pass_session
def mcp(
    session: Session, /, tools: str, client: str | None, level: str, *, only_shown: bool
) -> None:
    """Serve memory to a model's client, over standard streams (MCP).

    Clients start this command themselves. It acts as the agent `assistant` unless --as names
    another, and ends when its client goes. Any number of them may share a store.
    """
    if client is not None:
        _install(session, client, level, _options(session, tools), only_shown=only_shown)
    elif only_shown or level != _LEVELS[0]:
        raise click.UsageError("--print and --level go with --install")
    else:
        _serve(session, tools)


def _serve(session: Session, tools: str) -> None:
    from dataclasses import replace

    from lamina.core.principal import Role, Surface
    from lamina.errors import UnsupportedError

    try:
        from lamina.surfaces.mcp.stdio import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        raise UnsupportedError(
            f"`lamina mcp` needs the package `{_PACKAGES[0]}`", remedy=f"Install it: {_INSTALL}"
        ) from None
    session.may_create = True
    if session.unbound.principal.role is not Role.ADMIN:
        # The key of a server says who acts.
        serve(session.handle, tools)
        return
    if not session.is_acting:
        session.name = _ASSISTANT
    bound = replace(session.handle.principal, surface=Surface.MCP)
    serve(session.unbound.acting(bound), tools)


def _options(session: Session, tools: str) -> list[str]:
    """What was said on this command line, for the one that a client will use."""
    said = {
        "--dir": session.lasting_directory,
        "--hot": session.lasting_hot,
        "--project": session.project,
        "--as": session.name,
        "--role": session.role,
        "--tools": None if tools == _USUAL else tools,
    }
    return [part for option, value in said.items() if value is not None for part in (option, value)]


def _install(
    session: Session, client: str, level: str, options: list[str], *, only_shown: bool
) -> None:
    from lamina.surfaces.cli.marks import line
    from lamina.surfaces.mcp.installing import CLIENTS, block, command_of, installed

    command = command_of(level, options)
    if only_shown:
        session.out.raw(block(client, command))
        return
    change = installed(client, level, command, Path.cwd())
    if change.is_any:
        change.apply()
    if session.out.as_json:
        session.out.document({"path": str(change.path), "changed": change.is_any})
        return
    now = "now" if change.is_any else "already"
    session.out.show(line(f"{CLIENTS[client].title} {now} starts Lamina: {change.path}"))
    if change.is_any:
        session.out.note(f"Start {CLIENTS[client].title} anew to have it take notice.")
    for one in _in_the_way(shared=level == _SHARED):
        session.out.note(one)


def _in_the_way(*, shared: bool) -> "Iterator[str]":
    """What would keep a client from starting us."""
    from importlib.util import find_spec

    from lamina.surfaces.other_settings import unknown_name

    if find_spec(_PACKAGES[0]) is None:
        yield f"It needs the package `{_PACKAGES[0]}`: {_INSTALL}"
    missing = unknown_name() if shared else None
    if missing:
        yield missing
