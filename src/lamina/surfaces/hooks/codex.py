"""Transcripts of Codex: rollouts, of which the items are what was said and done."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from lamina.surfaces.hooks.messages import call_text, message, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.surfaces.hooks.messages import Line, Message

_OF_THE_HARNESS: Final = re.compile(
    r"\s*(<(environment_context|user_instructions|permissions|turn_aborted|skill|INSTRUCTIONS)\b"
    r"|# AGENTS\.md instructions)"
)
_CALLS: Final = ("function_call", "custom_tool_call", "local_shell_call")
_RESULTS: Final = ("function_call_output", "custom_tool_call_output")


def messages(line: Line) -> Iterator[Message]:
    """What one line says."""
    told = line.told
    item = told.get("payload") if told.get("type") == "response_item" else told
    if isinstance(item, dict):
        found = _said(line, item) or _of_a_tool(line, item)
        if found is not None:
            yield found


def _said(line: Line, item: dict[str, Any]) -> Message | None:
    role = item.get("role")
    if item.get("type") != "message" or role not in ("user", "assistant"):
        return None
    text = texts(item.get("content"), "input_text", "output_text", "text")
    if role == "user" and _OF_THE_HARNESS.match(text):
        return None
    return message(line, role, text, item.get("id"))


def _of_a_tool(line: Line, item: dict[str, Any]) -> Message | None:
    kind, called = item.get("type"), item.get("call_id")
    if kind in _CALLS:
        tool = item.get("name") or kind
        given = item.get("arguments") or item.get("input") or item.get("action")
        return message(line, "tool_call", call_text(tool, given), called, tool)
    if kind in _RESULTS:
        output = item.get("output")
        inner = output.get("content") if isinstance(output, dict) else output
        return message(line, "tool_result", texts(inner, "input_text", "text"), called)
    return None
