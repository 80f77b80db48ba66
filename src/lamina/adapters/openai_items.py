"""Items of the Responses API as records: what is said in them, and what comes back unchanged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from lamina.core import canonical
from lamina.core.text.cut import head_and_tail
from lamina.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.core.draft import Draft
    from lamina.core.record import Record

ITEM: Final = "item"
JSON: Final = "json"
"""Holds an item that no record can hold as it is: as JSON, in parts."""
PART: Final = "part"
_LARGEST: Final = 400_000
"""How many bytes of JSON one record holds."""
_LONGEST: Final = 60_000
"""How many characters of what is said are searched."""
_SPOKEN: Final = ("text", "refusal", "transcript", "summary")
_WRITTEN: Final = ("output", "arguments", "input", "query", "code", "action", "summary", "content")


def drafts(item: Any, scope: str) -> Iterator[Draft]:
    """What is to be written for one item: a record, or several where it is long."""
    kind = kind_of(item)
    first: Draft = {"layer": "session", "scope": scope, "kind": kind, "text": text_of(item)}
    if kind == "tool_result":
        first["via"] = "tool"
    try:
        if len(canonical.dumps(canonical.check(item, ITEM)).encode()) <= _LARGEST:
            yield {**first, "data": {ITEM: item}}
            return
    except InvalidInputError:
        # Too large, too deep, or with characters or numbers that no record holds.
        pass
    whole = json.dumps(item)
    pieces = [whole[at : at + _LARGEST] for at in range(0, len(whole), _LARGEST)]
    for number, piece in enumerate(pieces, start=1):
        text = first["text"] if number == 1 else ""
        yield {**first, "text": text, "data": {JSON: piece, PART: number}}


def holds_item(record: Record) -> bool:
    """Whether a record is an item, or part of one; a summary of ours is none."""
    return ITEM in record.data or JSON in record.data


def is_first(record: Record) -> bool:
    """Whether an item begins with this record."""
    return bool(record.data.get(PART, 1) == 1)


def item_of(records: Sequence[Record]) -> Any:
    """The item that records hold together; the secrets in it are references."""
    if ITEM in records[0].data:
        return records[0].data[ITEM]
    return json.loads("".join(one.data[JSON] for one in records))


def kind_of(item: Any) -> str:
    """Who speaks: a person or the program for them, the model, or a tool."""
    told = item if isinstance(item, Mapping) else {}
    kind = str(told.get("type") or "message")
    if kind == "message":
        return "assistant" if told.get("role") == "assistant" else "user"
    if kind.endswith("_output") or kind.endswith("_response"):
        return "tool_result"
    return "tool_call" if kind.endswith(("_call", "_request", "mcp_list_tools")) else "assistant"


def text_of(item: Any) -> str:
    """What an item says, for whoever searches."""
    told = item if isinstance(item, Mapping) else {}
    said = [_spoken(told.get(name)) for name in _WRITTEN]
    name = told.get("name")
    parts = [f"{name}:" if isinstance(name, str) else "", *said]
    text = canonical.keepable(" ".join(part for part in parts if part)).strip()
    return head_and_tail(text, _LONGEST) or str(told.get("type") or "item")[:64]


def _spoken(value: Any) -> str:
    """The words in a value: texts as they are, of blocks what is text in them."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "\n".join(filter(None, map(_spoken, value)))
    if isinstance(value, Mapping):
        found = [_spoken(value.get(name)) for name in _SPOKEN]
        return "\n".join(filter(None, found))
    return ""
