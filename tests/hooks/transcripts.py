"""Transcripts as the harnesses write them, line by line."""

import json
from pathlib import Path
from typing import Any


def said(role: str, text: Any, name: str, **more: Any) -> dict[str, Any]:
    """A line of Claude Code."""
    told = {"role": role, "content": text}
    return {
        "type": role, "uuid": name, "timestamp": "2026-11-16T10:00:00.000Z", "message": told
    } | more  # fmt: skip


def item(number: int, **payload: Any) -> dict[str, Any]:
    """A line of Codex."""
    at = f"2026-11-16T10:00:{number:02}.000Z"
    return {"timestamp": at, "type": "response_item", "payload": payload}


def write(path: Path, *lines: dict[str, Any] | str, mode: str = "a") -> Path:
    """Add lines to a transcript; a text is written as it is."""
    with path.open(mode, encoding="utf-8") as file:
        file.writelines(one if isinstance(one, str) else json.dumps(one) + "\n" for one in lines)
    return path
