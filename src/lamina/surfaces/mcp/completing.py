"""What a client may offer while somebody writes an address: keys of signals, ids of memories."""

from functools import partial
from typing import Any, Final

from anyio import to_thread
from mcp.server import MCPServer
from mcp_types import Completion, ResourceTemplateReference

from lamina.core.names import MAX_KEY
from lamina.memory import Memory
from lamina.surfaces.mcp.here import memory_here
from lamina.surfaces.mcp.refusing import told
from lamina.surfaces.mcp.resources import BOARD, RECORD

_MOST: Final = 100
"""More than this the protocol does not take."""


def add_completion(server: MCPServer[Any]) -> None:
    """Complete what has an end that the store knows."""

    async def complete(ref: Any, argument: Any, _: Any) -> Completion | None:
        if not isinstance(ref, ResourceTemplateReference):
            return None
        with told():
            return await to_thread.run_sync(
                partial(_completed, memory_here(), ref.uri, argument.value[:MAX_KEY])
            )

    server.completion()(complete)  # type: ignore[no-untyped-call]  # theirs says nothing


def _completed(memory: Memory, uri: str, begun: str) -> Completion | None:
    if uri.startswith(BOARD):
        found = list(memory.blackboard.list(begun, limit=_MOST + 1))
    elif uri.startswith(RECORD):
        begins = {"id": {"$prefix": begun}}
        found = [one.id for one in memory.query(begins, limit=_MOST + 1)]
    else:
        return None
    return Completion(values=found[:_MOST], has_more=len(found) > _MOST)
