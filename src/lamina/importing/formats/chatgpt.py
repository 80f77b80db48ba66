"""Conversations that ChatGPT exported: a tree of messages each, of which one branch is shown."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from lamina.importing.formats.items import Found, Item, Left, instant_of, text_of
from lamina.importing.formats.turns import Talk, Turn

NAME: Final = "chatgpt"
_ROLES: Final = {"user": "user", "assistant": "assistant", "tool": "tool_result"}
_UNSAID: Final = frozenset(
    ("thoughts", "reasoning_recap", "user_editable_context", "model_editable_context")
)
"""Not said to anybody: how a model reasoned, and what it was told beforehand."""


def is_wanted(value: dict[str, Any]) -> bool:
    """Whether this is a conversation."""
    return isinstance(value.get("mapping"), dict)


def items(found: Iterable[Found | Left]) -> Iterator[Item | Left]:
    """The messages of the conversations, each along the branch that was shown last."""
    for one in found:
        if isinstance(one, Left):
            yield one
        elif not isinstance(one.value, dict) or not is_wanted(one.value):
            yield Left(one.place, "not a conversation: no `mapping`")
        else:
            yield from _conversation(one)


def _conversation(found: Found) -> Iterator[Item | Left]:
    value, mapping = found.value, found.value["mapping"]
    name = text_of(value.get("conversation_id")) or text_of(value.get("id"))
    if not name:
        # Old exports give none; its first message is in no other conversation.
        name = next((text_of(node) for node in mapping), "")
    if not name:
        yield Left(found.place, "a conversation without a message", bad=False)
        return
    began = instant_of(value.get("create_time"))
    talk = Talk(NAME, name, text_of(value.get("title")), found.place, began)
    shown, problem = _branch(mapping, value.get("current_node"))
    if problem:
        yield Left(found.place, f"{name:.80}: {problem}")
    for node in shown:
        turn = _turn(node)
        if isinstance(turn, Turn):
            yield from talk.items(turn)
        elif turn:
            yield Left(found.place, turn, bad=False)
    aside = sum(_says_something(node) for node in mapping.values()) - sum(
        map(_says_something, shown)
    )
    for _ in range(aside):
        yield Left(found.place, "on a branch that was not shown last", bad=False)


def _branch(mapping: dict[str, Any], current: object) -> tuple[list[Any], str]:
    """The nodes from the first message to the current one, and what is wrong with the tree."""
    if not isinstance(current, str) or current not in mapping:
        leaves = [name for name, node in mapping.items() if not _field(node, "children")]
        current = max(leaves or mapping, key=lambda name: _rank(mapping[name]), default=None)
    shown: dict[str, Any] = {}
    while isinstance(current, str) and current in mapping:
        if current in shown:
            return list(shown.values())[::-1], "its messages go round in a circle; cut there"
        shown[current] = mapping[current]
        current = _field(mapping[current], "parent")
    if isinstance(current, str):
        return list(shown.values())[::-1], "its beginning is missing"
    return list(shown.values())[::-1], ""


def _turn(node: Any) -> Turn | str:
    """A message; else why there is none, and nothing for what is not even one."""
    message = _field(node, "message")
    content = _field(message, "content")
    if not isinstance(content, dict):
        return ""
    role = _ROLES.get(str(_field(_field(message, "author"), "role")))
    sort = str(content.get("content_type"))
    metadata = _field(message, "metadata")
    if role is None or sort in _UNSAID or _field(metadata, "is_visually_hidden_from_conversation"):
        return "not said: instructions, reasoning or hidden"
    text = _text(content)
    if not text:
        return "a message without text"
    if role == "assistant" and _field(message, "recipient") not in (None, "all"):
        role = "tool_call"
    name = text_of(_field(message, "id")) or text_of(_field(node, "id"))
    about = {"model": _field(metadata, "model_slug"), "tool": _field(message["author"], "name")}
    if role == "tool_call":
        about["tool"] = _field(message, "recipient")
    return Turn(role, text, name or "?", instant_of(_field(message, "create_time")), about)


def _text(content: dict[str, Any]) -> str:
    parts = content.get("parts")
    if isinstance(parts, list):
        return "\n\n".join(filter(None, map(_part, parts)))
    said = (text_of(content.get(name)) for name in ("text", "result", "content"))
    return next(filter(None, said), "")


def _part(part: Any) -> str:
    if isinstance(part, str):
        return text_of(part)
    if not isinstance(part, dict):
        return ""
    if said := text_of(part.get("text")):
        return said
    sort = text_of(part.get("content_type"))
    return f"[{sort.removesuffix('_asset_pointer').replace('_', ' ')}]" if sort else ""


def _says_something(node: Any) -> bool:
    return isinstance(_turn(node), Turn)


def _rank(node: Any) -> tuple[bool, float]:
    """How likely a node is the one that was shown last."""
    at = instant_of(_field(_field(node, "message"), "create_time"))
    return _says_something(node), at.timestamp() if at else 0.0


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
