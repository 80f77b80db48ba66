"""`lamina mcp --install`: our server in the settings of a client, and nothing else touched."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lamina import config
from lamina.errors import InvalidInputError
from lamina.surfaces.json_text import with_member
from lamina.surfaces.other_settings import Change, program, read_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME: Final = "lamina"
USER: Final = "user"
PROJECT: Final = "project"
_TABLE: Final = "mcp_servers"
_OURS: Final = re.compile(
    rf"^\[{_TABLE}\.(?:{NAME}|\"{NAME}\")\][^\n]*\n(?:(?!\s*\[)[^\n]*(?:\n|\Z))*", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Client:
    """A program that starts servers, and where it reads which ones."""

    title: str
    user: str
    """The settings of a user, below the home directory."""
    project: str | None
    """Those of a project, below its folder; some programs have none."""
    member: str = "mcpServers"
    """What holds the servers, in JSON."""
    typed: bool = False
    """Whether it wants to be told that a server is started and spoken to over its streams."""


_MAC: Final = sys.platform == "darwin"
_PROGRAMS: Final = "Library/Application Support" if _MAC else ".config"
CLIENTS: Final = {
    "claude": Client("Claude Code", ".claude.json", ".mcp.json", typed=True),
    "claude-desktop": Client(
        "Claude Desktop", f"{_PROGRAMS}/Claude/claude_desktop_config.json", None
    ),
    "cursor": Client("Cursor", ".cursor/mcp.json", ".cursor/mcp.json"),
    "vscode": Client(
        "VS Code", f"{_PROGRAMS}/Code/User/mcp.json", ".vscode/mcp.json", "servers", typed=True
    ),
    "codex": Client("Codex", ".codex/config.toml", ".codex/config.toml"),
}


def command_of(level: str, options: Sequence[str]) -> list[str]:
    """What a client starts; `options` are for it."""
    return [*program(shared=level == PROJECT), "mcp", *options]


def installed(client: str, level: str, command: Sequence[str], folder: Path) -> Change:
    """The settings of a client with our server in them."""
    path = _path(client, level, folder)
    before = read_settings(path)
    try:
        after = _with_server(client, before, command)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"{path} cannot be changed: {error.message}",
            remedy=f"Put this in by hand: {block(client, command)}",
        ) from None
    return Change(path, before, after)


def block(client: str, command: Sequence[str]) -> str:
    """What belongs into the settings of a client, by itself."""
    return _with_server(client, "", command).rstrip("\n")


def _with_server(client: str, before: str, command: Sequence[str]) -> str:
    if client == "codex":
        return _in_toml(before, command)
    chosen = CLIENTS[client]
    entry: dict[str, Any] = {"type": "stdio"} if chosen.typed else {}
    entry |= {"command": command[0], "args": list(command[1:])}
    return with_member(before, [chosen.member, NAME], entry)


def _in_toml(before: str, command: Sequence[str]) -> str:
    """Codex' settings: our table is replaced where it stands, or put at the end."""
    settings = _toml(before)
    said = (
        f"[{_TABLE}.{NAME}]\ncommand = {json.dumps(command[0])}\nargs = {json.dumps(command[1:])}\n"
    )
    found = _OURS.search(before)
    if found:
        rest = before[found.end() :]
        after = before[: found.start()] + said + ("\n" if rest.strip() else "") + rest
    else:
        after = f"{before.rstrip()}\n\n{said}" if before.strip() else said
    servers = settings.setdefault(_TABLE, {})
    if not isinstance(servers, dict):
        raise InvalidInputError(f"`{_TABLE}` is no table")
    wanted = {"command": command[0], "args": list(command[1:])}
    if servers.get(NAME) == wanted:
        return before
    servers[NAME] = wanted
    if _toml(after) != settings:
        raise InvalidInputError(f"`{_TABLE}` is written in a way that cannot be added to")
    return after


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"it is no TOML: {error!s:.120}") from None


def _path(client: str, level: str, folder: Path) -> Path:
    chosen = CLIENTS[client]
    if level == PROJECT:
        if chosen.project is None:
            raise InvalidInputError(
                f"{chosen.title} has no settings of a project", remedy="Leave --level out"
            )
        return folder / chosen.project
    if client in ("claude", "codex"):
        # Both may be told to keep their settings elsewhere.
        home = config.harness_folder(client)
        name = Path(chosen.user).name
        is_usual = home == config.home_folder() / f".{client}"
        return config.home_folder() / chosen.user if is_usual else home / name
    return config.home_folder() / chosen.user
