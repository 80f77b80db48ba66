"""Real clients for tests of the MCP server: in this process, or over standard streams."""

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult

from lamina import Memory
from lamina.surfaces.mcp.server import build

T = TypeVar("T")


def talk(memory: Memory, told: Callable[[Client], Awaitable[T]], profile: str = "default") -> T:
    """What somebody finds out who talks to the server of a handle, in this process."""

    async def whole() -> T:
        async with Client(build(lambda _: memory, profile)) as client:
            return await told(client)

    return anyio.run(whole)


def call(memory: Memory, tool: str, profile: str = "default", **arguments: Any) -> CallToolResult:
    """One call of a tool."""
    return talk(memory, lambda client: client.call_tool(tool, arguments), profile)


def told(memory: Memory, tool: str, profile: str = "default", **arguments: Any) -> dict[str, Any]:
    """The structured answer of a call that is to succeed."""
    result = call(memory, tool, profile, **arguments)
    assert not result.is_error, result.content
    found: dict[str, Any] | None = result.structured_content
    assert found is not None
    return found


def text_of(result: CallToolResult) -> str:
    """The words of an answer."""
    [content] = result.content
    assert content.type == "text"
    return content.text


def error_of(result: CallToolResult) -> dict[str, Any]:
    """What went wrong with a call that is to fail."""
    assert result.is_error
    assert result.structured_content is None
    found: dict[str, Any] = json.loads(text_of(result))["error"]
    return found


def command(folder: Path, *options: str) -> StdioServerParameters:
    """How a client starts a server on the store of a folder."""
    arguments = ["-m", "lamina", "mcp", "--dir", str(folder), *options]
    return StdioServerParameters(command=sys.executable, args=arguments)
