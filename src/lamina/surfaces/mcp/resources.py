"""Resources: what a memory holds, under addresses that a client can read, list and watch.

    lamina://now  lamina://log  lamina://facts  lamina://tasks  lamina://memory
    lamina://record/{id}  lamina://blackboard  lamina://blackboard/{key}

The first five are text, fenced in and labelled as data; the others are the JSON of the wire.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import quote

from mcp.server import MCPServer
from mcp.server.mcpserver.resources import ResourceSecurity
from mcp_types import Resource

from lamina.core.changes import Changed
from lamina.errors import NotFoundError
from lamina.layers.subscription import SIGNAL, Signal
from lamina.memory import Memory
from lamina.paging.showing import note_shown, show_part
from lamina.surfaces.mcp.here import memory_here
from lamina.surfaces.mcp.refusing import told
from lamina.surfaces.wire import record_out
from lamina.surfaces.wire_layers import signal_out

SCHEME: Final = "lamina://"
BOARD: Final = f"{SCHEME}blackboard"
RECORD: Final = f"{SCHEME}record"
_JSON: Final = "application/json"
_MOST_SIGNALS: Final = 100
_KEYS_ARE_NO_PATHS: Final = ResourceSecurity(exempt_params={"key"})
_PARTS: Final = {
    "now": ("now", "What you are doing, and what comes next."),
    "log": ("log", "The last entries of your log."),
    "facts": ("fact", "Single values by key."),
    "tasks": ("tasks", "What is to be done."),
    "memory": ("memory", "What weighs most of what you and your project know."),
}
"""The resources that are parts of a context: the part, and what a client is told of it."""
_OF_LAYER: Final = {"now": "now", "log": "log", "fact": "facts", "task": "tasks",
                    "knowledge": "memory"}  # fmt: skip


def add_resources(server: MCPServer[Any]) -> None:
    """Offer everything that can be read by an address."""
    for name, (part, about) in _PARTS.items():
        server.resource(f"{SCHEME}{name}", name=name, title=name.upper(), description=about)(
            _reading(part)
        )
    server.resource(BOARD, name="blackboard", title="Blackboard", mime_type=_JSON,
                    description="Signals that the project's agents share.")(_board)  # fmt: skip
    server.resource(BOARD + "/{key}", name="signal", title="A signal", mime_type=_JSON,
                    description="What stands on the blackboard under a key.",
                    security=_KEYS_ARE_NO_PATHS)(_signal)  # fmt: skip
    server.resource(RECORD + "/{id}", name="record", title="A memory", mime_type=_JSON,
                    description="One memory, whole.")(_record)  # fmt: skip


def signals_listed(memory: Memory) -> list[Resource]:
    """The signals on the board, as resources of their own."""
    found = memory.blackboard.list(limit=_MOST_SIGNALS).values()
    return [
        Resource(uri=signal_uri(one.key), name=one.key, mime_type=_JSON,
                 description=f"A signal of {one.publisher}.")
        for one in found
    ]  # fmt: skip


def signal_uri(key: str) -> str:
    """The address of a signal."""
    return f"{BOARD}/{quote(key, safe='')}"


def touched(memory: Memory, change: Changed) -> Iterator[str]:
    """The addresses whose content another change makes new, for one who may see it."""
    yield f"{RECORD}/{change.event.record}"
    record = change.record or change.before
    if record is None:
        return
    name = _OF_LAYER.get(record.layer)
    if name and record.scope in {memory.scope.path, memory.principal.common.path, "global"}:
        yield f"{SCHEME}{name}"
    if record.layer == "blackboard" and record.scope == memory.principal.common.path:
        yield BOARD
        yield signal_uri(record.key or "")


def changes_the_list(memory: Memory, change: Changed) -> bool:
    """Whether a signal came or went with a change, and so a resource."""
    record, before = change.record, change.before
    if record is None or (record.layer, record.kind) != ("blackboard", SIGNAL):
        return False
    is_here = record.scope == memory.principal.common.path
    return is_here and (before is None or before.state is not record.state)


def _reading(part: str) -> Callable[[], str]:
    def read() -> str:
        with told():
            return show_part(memory_here(), part)

    return read


def _board() -> str:
    with told():
        found = memory_here().blackboard.list()
        return _json({"signals": [signal_out(one) for one in found.values()]})


def _signal(key: str) -> str:
    with told():
        found: Signal | None = memory_here().blackboard.read(key)
        if found is None:
            raise NotFoundError(
                f"nothing stands on the blackboard under {key!r:.80}",
                remedy=f"{BOARD} lists what does",
            )
        return _json(signal_out(found))


def _record(id: str) -> str:  # noqa: A002 - it is the name in the address
    with told():
        memory = memory_here()
        found = memory.get(id)
        note_shown(memory, found)
        return _json(record_out(found))


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
