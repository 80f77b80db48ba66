"""What Claude exported: conversations, each a list of messages made of blocks, and memories."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from lamina.core import canonical
from lamina.importing.formats.claude_memories import is_memory, memories
from lamina.importing.formats.items import Found, Item, Left, instant_of, plain, text_of
from lamina.importing.formats.turns import Talk, Turn

NAME: Final = "claude"
_ROLES: Final = {"human": "user", "user": "user", "assistant": "assistant"}


def is_wanted(value: dict[str, Any]) -> bool:
    """Whether this is a conversation, or what was noted of some."""
    return _is_conversation(value) or is_memory(value)


def items(found: Iterable[Found | Left]) -> Iterator[Item | Left]:
    """The messages of the conversations, with what was attached to them, and the memories."""
    for one in found:
        if isinstance(one, Left):
            yield one
        elif not isinstance(one.value, dict) or not is_wanted(one.value):
            yield Left(one.place, "not a conversation: no `chat_messages`")
        elif _is_conversation(one.value):
            yield from _conversation(one)
        else:
            yield from memories(one)


def _is_conversation(value: dict[str, Any]) -> bool:
    return isinstance(value.get("chat_messages"), list)


def _conversation(found: Found) -> Iterator[Item | Left]:
    name = text_of(found.value.get("uuid"))
    messages = found.value["chat_messages"]
    if not name and messages:
        yield Left(found.place, "a conversation without `uuid`")
        return
    began = instant_of(found.value.get("created_at"))
    talk = Talk(NAME, name, text_of(found.value.get("name")), found.place, began)
    for number, message in enumerate(messages, start=1):
        role = _ROLES.get(str(message.get("sender"))) if isinstance(message, dict) else None
        if role is None:
            yield Left(found.place, f"message {number} has no known sender")
            continue
        turns = list(_turns(message, role, text_of(message.get("uuid")) or f"message {number}"))
        for turn in turns:
            yield from talk.items(turn)
        if not turns:
            yield Left(found.place, "a message without text", bad=False)


def _turns(message: dict[str, Any], role: str, name: str) -> Iterator[Turn]:
    at = instant_of(message.get("created_at"))
    blocks = [one for one in _listed(message, "content") if isinstance(one, dict)]
    for number, attached in enumerate(_listed(message, "attachments"), start=1):
        text = text_of(attached.get("extracted_content")) if isinstance(attached, dict) else ""
        if text:
            about = {"attached": attached.get("file_name")}
            yield Turn("tool_result", text, f"{name} attachment {number}", at, about, is_file=True)
    for number, block in enumerate(blocks, start=1):
        if called := _tool(block):
            kind, text = called
            about = {"tool": block.get("name")}
            yield Turn(kind, text, f"{name} {number}", at, about)
    said = "\n\n".join(text for block in blocks if (text := _text(block)))
    said = said or text_of(message.get("text"))
    files = [_name(one) for kind in ("files", "attachments") for one in _listed(message, kind)]
    if said:
        yield Turn(role, said, name, at, {"files": [file for file in files if file]})


def _text(block: dict[str, Any]) -> str:
    return text_of(block.get("text")) if block.get("type") in ("text", None) else ""


def _tool(block: dict[str, Any]) -> tuple[str, str] | None:
    """What a block says that is a call of a tool or its result."""
    if block.get("type") == "tool_use":
        return "tool_call", f"{text_of(block.get('name'))} {_shown(block.get('input'))}".strip()
    if block.get("type") != "tool_result":
        return None
    content = block.get("content")
    parts = content if isinstance(content, list) else [content]
    texts = [text_of(one.get("text") if isinstance(one, dict) else one) for one in parts]
    text = "\n\n".join(filter(None, texts))
    return ("tool_result", text) if text else None


def _shown(value: Any) -> str:
    return canonical.dumps(plain(value)) if value else ""


def _name(file: Any) -> str:
    return text_of(file.get("file_name")) if isinstance(file, dict) else ""


def _listed(value: dict[str, Any], name: str) -> list[Any]:
    found = value.get(name)
    return found if isinstance(found, list) else []
