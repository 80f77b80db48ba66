"""Files that are told and not asked: `LOG.md`, `items.json`, transcripts and their index."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from lamina.core import canonical
from lamina.core.instants import to_text
from lamina.core.record import State
from lamina.files.layout import SESSIONS
from lamina.files.page import front_matter, plain, split_front

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.record import Record
    from lamina.files.layout import Place
    from lamina.files.reading import Reader

LOG: Final = "LOG.md"
ITEMS: Final = "items.json"
INDEX_FILE: Final = "sessions.json"
INDEX: Final = f"{SESSIONS}/{INDEX_FILE}"
_ENTRIES: Final = 1_000
"""How many entries of the log a person can be asked to scroll through."""
_HEAD: Final = 400
_RESERVED: Final = frozenset(("id", "role", "content", "timestamp", "data"))


def log_file(reader: Reader, place: Place) -> str | None:
    """`LOG.md`: the newest entries, under their days, oldest first."""
    where = {"layer": "log", "scope": place.scope.path}
    entries = reader.newest(where, _ENTRIES)
    if not entries:
        return None
    older = reader.count(where) - len(entries)
    lines = front_matter({"lamina": "log", "scope": place.scope.path}, ())
    lines += ["# Log", ""]
    if older > 0:
        lines += [f"<!-- lamina: {older:,} older entries are in the store -->", ""]
    day = ""
    for entry in entries:
        when = to_text(entry.created_at)
        if when[:10] != day:
            lines += ["", f"## {when[:10]}", ""] if day else [f"## {when[:10]}", ""]
            day = when[:10]
        lines += _log_lines(entry, when[11:19])
    return "\n".join(lines) + "\n"


def is_log(raw: bytes) -> bool:
    """Whether a file is a log that Lamina wrote, whatever became of it."""
    ours, *_ = split_front(raw[:_HEAD].decode("utf-8", "replace"))
    return ours.get("lamina") == "log"


def is_items(raw: bytes) -> bool:
    """Whether a file lists what was extracted."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, list) and all(
        isinstance(one, dict) and {"sourceFile", "extractedAt"} <= one.keys() for one in found
    )


def _log_lines(entry: Record, clock: str) -> list[str]:
    first, *rest = plain(entry.text).split("\n")
    told = f"- {clock} **{entry.kind}** {first}".rstrip()
    return [f"{told} ^{entry.id}", *(f"  {line}" if line else "" for line in rest)]


def items_file(reader: Reader, place: Place) -> str | None:
    """`items.json`: what was extracted from files, each with where it stands."""
    items = reader.current({"layer": "item", "scope": place.scope.path})
    if not items:
        return None
    told = [_item(item) for item in items]
    told.sort(key=lambda item: (str(item["sourceFile"]), item["lineNumber"] or 0, item["id"]))
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


def _item(item: Record) -> dict[str, Any]:
    return {
        "id": item.id, "type": item.kind, "title": item.data.get("title", ""),
        "content": item.text, "sourceFile": item.data.get("file"),
        "lineNumber": item.data.get("line"), "confidence": item.confidence,
        "extractedAt": to_text(item.updated_at),
    }  # fmt: skip


def transcript_text(messages: Sequence[Record]) -> str | None:
    """`sessions/NAME.jsonl`: one message on each line, in the order they were said."""
    return "".join(f"{transcript_line(message)}\n" for message in messages) or None


def transcript_line(message: Record) -> str:
    """One message as its line has it."""
    told: dict[str, Any] = {
        "id": message.key or message.id, "role": message.kind, "content": message.text,
        "timestamp": to_text(message.created_at),
    }  # fmt: skip
    extra = {"data": message.data} if _RESERVED & message.data.keys() else message.data
    return json.dumps({**told, **canonical.ordered(extra)}, ensure_ascii=False)


def index_line(name: str, messages: Sequence[Record]) -> dict[str, Any] | None:
    """What `sessions/sessions.json` says of one session; nothing, when it has no messages."""
    if not messages:
        return None
    told = {
        "id": name, "file": f"{name}.jsonl", "started": to_text(messages[0].created_at),
        "updated": to_text(messages[-1].created_at), "messages": len(messages),
        "tokens": sum(message.tokens for message in messages),
    }  # fmt: skip
    is_archived = all(message.state is State.ARCHIVED for message in messages)
    return {**told, "archived": True} if is_archived else told


def index_file(lines: Sequence[dict[str, Any]]) -> str | None:
    """`sessions/sessions.json`: the sessions there are, in the order they began."""
    if not lines:
        return None
    told = sorted(lines, key=lambda one: (str(one["started"]), str(one["id"])))
    return json.dumps({"sessions": told}, ensure_ascii=False, indent=2) + "\n"


def sessions_of(reader: Reader, place: Place) -> set[str]:
    """The sessions of a place."""
    above = f"{place.scope.path}/session/"
    found = reader.said({"layer": "session", "scope": {"$prefix": above}})
    names = {message.scope.removeprefix(above) for message in found}
    return {name for name in names if "/" not in name}
