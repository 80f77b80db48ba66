"""Transcripts read again: lines that were added, and lines that are damaged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from lamina.core.names import check_name
from lamina.errors import LaminaError
from lamina.files.told import transcript_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.files.desk import Desk
    from lamina.files.layout import Place

ROLES: Final = frozenset(("user", "assistant", "tool_call", "tool_result", "summary"))
_OWN: Final = ("id", "role", "content", "timestamp", "data")


class Transcript:
    """The file of one session."""

    def __init__(self, desk: Desk, place: Place, name: str) -> None:
        self._desk = desk
        self.scope = place.scope.child("session", self.check(name))
        self._known: list[Record] | None = None

    @staticmethod
    def check(name: str) -> str:
        """The name of a session, or an error that says why it is none."""
        return check_name(name, "session")

    def messages(self) -> list[Record]:
        """What was said, as of the first look at it or of what was taken over since.

        What a summary has replaced is part of it, and so is what was archived: a transcript only
        grows.
        """
        if self._known is None:
            where = {"layer": "session", "scope": self.scope.path}
            self._known = self._desk.reader.said(where)
        return self._known

    def take(self, raw: bytes) -> bool:
        """Take over messages that were added at the end; whether the file says nothing else."""
        added = self._added(raw)
        drafts = [_draft(line) for line in added or ()]
        if added is None or not _is_whole(raw) or not all(drafts):
            return False
        told = [draft for draft in drafts if draft]
        try:
            if told:
                self._desk.path.commit(self._desk.path.puts(told, self.scope))
                self._known = None
        except LaminaError:
            return False
        self._desk.report.added += len(told)
        return True

    def _added(self, raw: bytes) -> list[dict[str, Any]] | None:
        """The lines behind those we know; none when one of ours was changed.

        Agents may have gone on since the file was written: what they said is not missing from it.
        """
        known = {transcript_line(message): str(message.key or message.id)
                 for message in self.messages()}  # fmt: skip
        found = [line for line, _ in whole_lines(raw)]
        ours = 0
        for line, wanted in zip(found, known, strict=False):
            if json.dumps(line, ensure_ascii=False) != wanted:
                break
            ours += 1
        names, taken = set(known.values()), found[ours:]
        is_new = all(line.get("id") is None or line.get("id") not in names for line in taken)
        return taken if is_new else None


def whole_lines(raw: bytes) -> Iterator[tuple[dict[str, Any], int]]:
    """The messages of a transcript with their line numbers; what is damaged is left out."""
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if not line.lstrip().startswith(b"{"):
            continue
        try:
            found = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and _is_role(found.get("role")):
            yield found, number


def _is_role(role: object) -> bool:
    return isinstance(role, str) and role in ROLES


def _is_whole(raw: bytes) -> bool:
    """Whether every line is a message, the last one included."""
    lines = [line for line in raw.split(b"\n") if line.strip()]
    return raw.endswith(b"\n") and len(lines) == sum(1 for _ in whole_lines(raw))


def _draft(line: dict[str, Any]) -> Draft | None:
    text, name = line.get("content", ""), line.get("id")
    if not isinstance(text, str) or not isinstance(name, str | None):
        return None
    extra = {key: value for key, value in line.items() if key not in _OWN}
    data = line.get("data", {})
    if not isinstance(data, dict):
        return None
    draft: Draft = {
        "layer": "session", "kind": line["role"], "text": text, "data": {**extra, **data}
    }  # fmt: skip
    return draft if name is None else {**draft, "key": name, "expect": 0}
