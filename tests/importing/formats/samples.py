"""Small exports of other tools, as their files have them."""

import json
from pathlib import Path
from typing import Any


def node(
    name: str, role: str, text: Any, parent: str | None, at: float | None = None, **more: Any
) -> dict[str, Any]:
    """One message of a ChatGPT conversation."""
    content = text if isinstance(text, dict) else {"content_type": "text", "parts": [text]}
    message = {
        "id": name, "author": {"role": role}, "create_time": at, "content": content, **more
    }  # fmt: skip
    return {"id": name, "message": message, "parent": parent, "children": []}


def chatgpt(*nodes: dict[str, Any], name: str = "c1", **more: Any) -> dict[str, Any]:
    """One conversation, shown to its last message unless told otherwise."""
    mapping: dict[str, Any] = {
        "root": {"id": "root", "message": None, "parent": None, "children": []}
    }
    mapping |= {one["id"]: one for one in nodes}
    return {
        "conversation_id": name, "title": "Bread", "create_time": 1_700_000_000.0,
        "current_node": nodes[-1]["id"] if nodes else None, "mapping": mapping, **more,
    }  # fmt: skip


BREAD = chatgpt(
    node("n1", "user", "How do I feed a sourdough starter?", "root", 1_700_000_001.5),
    node("n2", "assistant", "Once a week.", "n1", 1_700_000_002),
    node("n3", "assistant", "Equal weights of flour and water.", "n1", 1_700_000_003),
)

TRIP = {
    "uuid": "t1", "name": "Trip", "created_at": "2024-05-01T10:00:00Z",
    "chat_messages": [
        {
            "uuid": "m1", "sender": "human", "created_at": "2024-05-01T10:00:01Z",
            "text": "Plan a trip to Oslo",
            "content": [{"type": "text", "text": "Plan a trip to Oslo"}],
            "attachments": [{"file_name": "list.txt", "extracted_content": "Passport, umbrella"}],
        },
        {
            "uuid": "m2", "sender": "assistant", "created_at": "2024-05-01T10:00:09Z", "text": "",
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "tool_use", "name": "trains", "input": {"to": "Oslo"}},
                {"type": "tool_result", "content": [{"type": "text", "text": "22:03"}]},
                {"type": "text", "text": "Take the night train."},
            ],
        },
    ],
}  # fmt: skip

GRAPH = """\
{"type":"entity","name":"Ann","entityType":"person","observations":["drinks tea","Ann is tall"]}
{"type":"entity","name":"Acme","entityType":"organisation","observations":[]}
{"type":"relation","from":"Ann","to":"Acme","relationType":"works_at"}
"""

MEM0 = {
    "results": [
        {
            "id": "892db2ae", "memory": "Likes hiking in Norway", "user_id": "alice",
            "categories": ["hobbies"], "metadata": {"season": "summer"},
            "created_at": "2024-07-20T01:30:36.275141-07:00", "updated_at": "2024-08-01T00:00:00Z",
        },
        {"id": "0b1c", "memory": "Has a dog called Rex", "agent_id": "helper"},
    ]
}  # fmt: skip


def written(folder: Path, name: str, content: Any) -> Path:
    """A file that holds a text, bytes, or a value as JSON."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    if not isinstance(content, str | bytes):
        content = json.dumps(content)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file
