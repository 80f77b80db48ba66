"""Transcripts of Claude Code: a line for each message, with blocks of text and of tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from lamina.surfaces.hooks.messages import blocks, call_text, message, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.surfaces.hooks.messages import Line, Message

_NOT_SAID: Final = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")
"""Lines of the harness itself, and of agents that it lets do part of the work."""
_REMINDER: Final = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_OF_THE_HARNESS: Final = re.compile(r"\s*<(command|local-command|bash|task|user-prompt-submit)-")


def messages(line: Line) -> Iterator[Message]:
    """What one line says."""
    told = line.told
    role, said = told.get("type"), told.get("message")
    if role not in ("user", "assistant") or not isinstance(said, dict):
        return
    if any(told.get(name) for name in _NOT_SAID):
        return
    content = said.get("content")
    text = _REMINDER.sub("", texts(content, "text"))
    if not _OF_THE_HARNESS.match(text):
        yield from _some(message(line, role, text, told.get("uuid")))
    for block in blocks(content):
        yield from _some(_of_a_tool(line, role, block))


def _of_a_tool(line: Line, role: str, block: dict[str, Any]) -> Message | None:
    match role, block.get("type"):
        case "assistant", "tool_use":
            tool = block.get("name")
            return message(
                line, "tool_call", call_text(tool, block.get("input")), block.get("id"), tool
            )
        case "user", "tool_result":
            text = texts(block.get("content"), "text")
            return message(line, "tool_result", text, block.get("tool_use_id"))
    return None


def _some(found: Message | None) -> Iterator[Message]:
    if found is not None:
        yield found
