"""The server on standard streams: one client, one principal, until the client goes."""

import json
import logging
import re
import signal
import sys
from typing import Any, Final

import anyio
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from lamina.memory import Memory
from lamina.surfaces.mcp.server import build

_ID: Final = re.compile(r'"id"\s*:\s*(-?\d{1,15}|"[^"\\]{1,100}")')
_WORDS: Final = {
    PARSE_ERROR: "this line holds no JSON that can be read",
    INVALID_REQUEST: "this is no request of the protocol",
}
_LOOKED_AT: Final = 4_096
"""How much of a line that is no JSON is searched for what its sender waits for."""


def serve(memory: Memory, profile: str) -> None:
    """Answer whoever started this process, in the name of a handle's principal."""
    # Standard output belongs to the protocol.
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    # Whoever waits for input cannot be woken by an interrupt, and would never end. A store takes
    # no harm from a process that is cut off.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(_served, build(lambda _: memory, profile))


async def _served(server: MCPServer[Any]) -> None:
    async with stdio_server() as (read, write):
        lowlevel = server._lowlevel_server
        options = lowlevel.create_initialization_options()
        await lowlevel.run(_Answered(read, write), write, options)


class _Answered:
    """What a client sends; a line that is no message is answered here, or it would wait forever."""

    def __init__(self, read: Any, write: Any) -> None:
        self._read = read
        self._write = write

    def __getattr__(self, name: str) -> Any:
        return getattr(self._read, name)

    async def __aenter__(self) -> "_Answered":
        return self

    async def __aexit__(self, *how: object) -> None:
        await self._read.aclose()

    def __aiter__(self) -> "_Answered":
        return self

    async def __anext__(self) -> Any:
        while True:
            item = await self._read.__anext__()
            if not isinstance(item, Exception):
                return item
            answer = _answer(item)
            if answer is not None:
                await self._write.send(SessionMessage(answer))


def _answer(error: Exception) -> JSONRPCError | None:
    """What is said to a line that is no message; nothing where nobody waits for it."""
    problems = error.errors() if isinstance(error, ValidationError) else []
    if any(one["type"] == "json_invalid" for one in problems):
        line = str(problems[0]["input"])
        return _refusal(PARSE_ERROR, _loosely(line)) if line.strip() else None
    requests = (one["input"] for one in problems)
    found = next((one for one in requests if isinstance(one, dict) and "method" in one), None)
    return _refusal(INVALID_REQUEST, found) if found is not None and "id" in found else None


def _refusal(code: int, given: Any) -> JSONRPCError:
    name = given.get("id") if isinstance(given, dict) else None
    known = name if isinstance(name, str | int) and not isinstance(name, bool) else None
    error = ErrorData(code=code, message=_WORDS[code])
    return JSONRPCError(jsonrpc="2.0", id=known, error=error)


def _loosely(line: str) -> Any:
    """A line as Python reads it, who takes more than the protocol; else only who sent it."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        found = _ID.search(line, 0, _LOOKED_AT)
        return {"id": json.loads(found[1])} if found else None
