"""Which format a file has, told from what it holds; its name only helps where that says nothing."""

import io
import re
from collections.abc import Mapping
from dataclasses import fields
from itertools import islice
from typing import Any, Final

from lamina.core.record import Record
from lamina.importing.formats import chatgpt, claude, mem0, server_memory
from lamina.importing.formats.items import Found
from lamina.importing.formats.json_values import text_stream, values
from lamina.importing.formats.tables import guess

LAMINA: Final = "lamina"
JSONL: Final = "jsonl"
CSV: Final = "csv"
FORMATS: Final = (
    LAMINA, "markdown", "basic-memory", server_memory.NAME, mem0.NAME, chatgpt.NAME, claude.NAME,
    JSONL, CSV,
)  # fmt: skip
"""What can be named instead of letting the content tell."""
_OWN: Final = frozenset(field.name for field in fields(Record))
_TOLD_BY: Final = (
    (chatgpt.NAME, chatgpt.is_wanted), (claude.NAME, claude.is_wanted),
    (server_memory.NAME, server_memory.is_wanted), (mem0.NAME, mem0.is_wanted),
)  # fmt: skip
_NAMES: Final = (
    (re.compile(rb'(?<!\\)"mapping"\s*:\s*\{'), chatgpt.NAME),
    (re.compile(rb'(?<!\\)"chat_messages"\s*:\s*\['), claude.NAME),
)
_LOOKED_AT: Final = 20


def format_of(head: bytes, name: str, mapping: Mapping[str, str]) -> str | None:
    """The format of a file that begins so; nothing for what none of them can be.

    Who says which column is what means rows.
    """
    told = _told(head, name)
    if not mapping or told == CSV:
        return told
    return CSV if told is None else JSONL


def _told(head: bytes, name: str) -> str | None:
    if not head.strip():
        return LAMINA
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start in (b"{", b"[") or head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _of_json(head)
    if name.lower().endswith((".csv", ".tsv")) or _looks_like_a_table(head):
        return CSV
    if any(line.lstrip().startswith(b"{") for line in head.splitlines()[:_LOOKED_AT]):
        return _of_json(head)
    return None


def _of_json(head: bytes) -> str:
    text = text_stream(io.BytesIO(head), head)
    found = islice(values(text, lambda value: True), _LOOKED_AT)
    objects = [one.value for one in found if isinstance(one, Found) and isinstance(one.value, dict)]
    for value in objects:
        if told := _of_value(value):
            return told
    for pattern, told in _NAMES:
        if pattern.search(head):
            return told
    return JSONL if any("text" in guess(value, {}) for value in objects) else LAMINA


def _of_value(value: dict[str, Any]) -> str | None:
    if {"id", "scope", "layer", "text"} <= value.keys() <= _OWN:
        return LAMINA
    return next((name for name, is_it in _TOLD_BY if is_it(value)), None)


def _looks_like_a_table(head: bytes) -> bool:
    """Whether the first line names a column of text among others."""
    first = head.split(b"\n", 1)[0].decode("utf-8", "replace")
    columns = [one.strip().strip('"') for one in re.split(r"[,;\t|]", first)]
    return len(columns) > 1 and "text" in guess(columns, {})
