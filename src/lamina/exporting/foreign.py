"""Memories as the files of other tools: the reference memory server's, and Mem0's."""

import json
from collections.abc import Iterator
from typing import Any, Final

from lamina.core.instants import to_text
from lamina.core.record import Record
from lamina.core.scope import Scope
from lamina.exporting.choosing import Chosen, current
from lamina.memory import Memory

_SAID: Final = ("knowledge", "fact")


def server_memory_lines(mem: Memory, chosen: Chosen | None = None) -> Iterator[str]:
    """Knowledge and facts as `memory.jsonl`: what is no entity becomes one with one observation."""
    for record in current(mem, chosen or Chosen(_SAID)):
        yield json.dumps(_node(record), ensure_ascii=False)


def mem0_lines(mem: Memory, chosen: Chosen | None = None) -> Iterator[str]:
    """Knowledge and facts as a list of memories in the shape of Mem0, line by line."""
    before = "["
    for record in current(mem, chosen or Chosen(_SAID)):
        yield before + json.dumps(_memory(record), ensure_ascii=False)
        before = ","
    yield "]" if before == "," else "[]"


def _node(record: Record) -> dict[str, Any]:
    data = record.data
    if record.kind == "relation" and {"from", "to", "relationType"} <= data.keys():
        ends = {name: data[name] for name in ("from", "to", "relationType")}
        return {"type": "relation", **ends}
    if record.kind == "entity" and isinstance(data.get("observations"), list):
        named, sort = data.get("name", record.key), data.get("entityType", "")
        observed = data["observations"]
    else:
        named, sort, observed = record.key or record.id, record.kind, [record.text]
    return {"type": "entity", "name": named, "entityType": sort, "observations": observed}


def _memory(record: Record) -> dict[str, Any]:
    scope = Scope.of(record.scope)
    people = {"user_id": scope.part("user"), "agent_id": scope.part("agent")}
    about = {"scope": record.scope, "kind": record.kind, "key": record.key, "trust": record.trust}
    return {
        "id": record.data.get("id", record.id),
        "memory": f"{record.key}: {record.text}" if record.key else record.text,
        **{name: value for name, value in people.items() if value},
        "categories": list(record.tags),
        "metadata": {name: value for name, value in about.items() if value},
        "created_at": to_text(record.created_at),
        "updated_at": to_text(record.updated_at),
    }
