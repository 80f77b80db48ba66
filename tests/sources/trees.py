"""Folders of files to index, and what memory holds of them."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lamina.memory import Memory

LONG_AGO = 1_700_000_000
PROSE = "It goes on for long enough to be a section that stands by itself, as this sentence shows."


def section(title: str, says: str) -> str:
    """A section of Markdown that is not tiny."""
    return f"## {title}\n\n{says}. {PROSE}\n\n"


def write(root: Path, files: Mapping[str, str | bytes], *, at: int = LONG_AGO) -> None:
    """Write files that look as if they had been there for years."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        os.utime(path, (at, at))


def chunks(mem: Memory) -> dict[str, tuple[str, dict[str, Any]]]:
    """Every chunk by key: its text, and what is known of its places."""
    found = mem.query({"layer": "source", "kind": "chunk"}, limit=10_000)
    return {str(record.key): (record.text, record.data) for record in found}


def texts(mem: Memory) -> dict[str, str]:
    """Every chunk by key."""
    return {key: text for key, (text, _) in chunks(mem).items()}


def known(mem: Memory) -> set[str]:
    """The files that memory knows."""
    found = mem.query({"layer": "source", "kind": "file"}, limit=10_000)
    return {record.data["file"] for record in found}


def happened(mem: Memory) -> int:
    """How many changes there have been."""
    return sum(1 for _ in mem.changes())
