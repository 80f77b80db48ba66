"""`MEMORY.md`: knowledge under headings, one bullet for each record.

A bullet ends its first line with a block id, `^` and the id of the record, which Obsidian can link
to. What is indented below belongs to it. A bullet or paragraph without an id is new.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from lamina.core.ids import is_id
from lamina.files.blocks import REMARK, read_body
from lamina.files.headings import (
    SECTION,
    USUAL,
    heading_lines,
    path_of,
    place_of,
    usual_order,
)
from lamina.files.page import Entry, Frame, Page, front_matter, plain, split_front

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.files.blocks import Block
    from lamina.files.merging import IsTaken

_KEYED: Final = re.compile(r"\*\*((?:\\.|[^*\\])+)\*\*:(?:\s(.*))?", re.DOTALL)
_BOLD: Final = re.compile(r"\\*\*\*")
_GUARDED: Final = re.compile(r"\\+\*\*")
_MARK: Final = re.compile(r"(?:^|[ \t])\^([0-9a-z]{26})(?![0-9a-z])")
MOST: Final = 2_000
"""More entries than this no reader wants in one file."""


class MemoryPage:
    """How knowledge is written down and read again."""

    file = "MEMORY.md"
    by_id = True
    layer = "knowledge"
    form = "memory"

    def shows(self, record: Record) -> bool:
        """Whether the file has a place for this record."""
        return bool(plain(record.text) or record.key)

    def name(self, record: Record) -> str:
        """What the record is called in the file."""
        return record.id

    def said(self, record: Record) -> dict[str, Any]:
        """What the file says of a record."""
        path = path_of(record.data.get(SECTION), record.kind)
        return {"path": list(path), "key": record.key, "text": plain(record.text)}

    def arranged(self, records: Sequence[Record], frame: Frame) -> list[Record]:
        """The records in the order in which the file has them."""
        sections = {path: n for n, path in enumerate(_sections(records, frame))}
        places = {name: n for n, name in enumerate(frame.order)}
        last = len(places)

        def place(record: Record) -> tuple[Any, ...]:
            section = sections[path_of(record.data.get(SECTION), record.kind)]
            return section, places.get(record.id, last), record.created_at, record.id

        return sorted(records, key=place)

    def render(
        self, records: Sequence[Record], frame: Frame, head: Mapping[str, str], hidden: int
    ) -> str:
        """The file; `hidden` records found no place in it."""
        lines = front_matter(head, frame.front)
        lines += [f"# {frame.title or 'Memory'}", ""]
        by_section: dict[tuple[str, ...], list[Record]] = {}
        for record in records:
            path = path_of(record.data.get(SECTION), record.kind)
            by_section.setdefault(path, []).append(record)
        before: tuple[str, ...] = ()
        for path in _sections(records, frame):
            lines += heading_lines(path, before)
            for record in by_section.get(path, ()):
                lines += _bullet(record)
            lines += [""] if path in by_section else []
            before = path
        if hidden:
            lines += [f"{REMARK}: {hidden:,} more are in the store and not in this file -->", ""]
        return "\n".join(lines[:-1]) + "\n"

    def length(self, record: Record) -> int:
        """How many characters a record takes in the file."""
        return sum(len(line) + 1 for line in _bullet(record))

    def parse(self, text: str) -> Page:
        """Read a file that a person may have edited."""
        ours, extra, lines, first = split_front(text)
        body = read_body(lines, first)
        entries = tuple(_entry(block) for block in body.blocks)
        found = dict.fromkeys(path_of("\n".join(path), "") for path in body.sections)
        used = [path_of("\n".join(block.path), USUAL) for block in body.blocks]
        own = list(found) != usual_order(used)
        sections = tuple("\n".join(path) for path in found) if own else ()
        title = "" if body.title == "Memory" else body.title
        order = tuple(entry.name for entry in entries if entry.name)
        return Page(entries, Frame(extra, title, sections, order), ours.get("revision"))

    def draft(self, name: str | None, said: Mapping[str, Any], kinds: frozenset[str]) -> Draft:
        """A new record of what an entry says."""
        kind, section = place_of(tuple(said["path"]), kinds)
        draft: Draft = {"kind": kind, "text": said["text"], "layer": self.layer}
        if said["key"]:
            draft["key"] = said["key"]
        if section:
            draft["data"] = {SECTION: section}
        return draft

    def check(
        self, name: str | None, said: Mapping[str, Any], others: Mapping[str, Mapping[str, Any]]
    ) -> None:
        """Whatever a person writes here makes sense by itself."""

    def change(
        self, record: Record, said: Mapping[str, Any], kinds: frozenset[str]
    ) -> dict[str, Any] | None:
        """The fields that an edited entry changes; `None` when it is another record now."""
        if said["key"] != record.key:
            return None
        before = self.said(record)
        fields: dict[str, Any] = {}
        if said["text"] != before["text"]:
            fields["text"] = said["text"]
        if said["path"] != before["path"]:
            kind, section = place_of(tuple(said["path"]), kinds)
            data = {name: value for name, value in record.data.items() if name != SECTION}
            fields |= {"kind": kind, "data": data | ({SECTION: section} if section else {})}
        return fields

    def free(
        self, name: str | None, said: dict[str, Any], is_taken: IsTaken
    ) -> tuple[str | None, dict[str, Any]]:
        """A new entry; where another one holds its key already, the key is part of its text."""
        if said["key"] is None or not is_taken(None, said):
            return None, said
        whole = f"**{_escaped(said['key'])}**: {said['text']}".strip()
        return None, {**said, "key": None, "text": whole}


def _sections(records: Sequence[Record], frame: Frame) -> list[tuple[str, ...]]:
    """Every section there is: those that people arranged, then ours in their usual order."""
    arranged = [path_of(section, "") for section in frame.sections]
    used = [path_of(record.data.get(SECTION), record.kind) for record in records]
    return list(dict.fromkeys((*arranged, *usual_order(used))))


def _bullet(record: Record) -> list[str]:
    first, *rest = plain(record.text).split("\n")
    if record.key:
        head = f"**{_escaped(record.key)}**: {first}".rstrip(" \t")
    else:
        head = f"\\{first}" if _BOLD.match(first) else first
    return [f"- {head} ^{record.id}", *(f"  {line}" if line else "" for line in rest)]


def _entry(block: Block) -> Entry:
    text, name = _without_mark(block)
    text = plain(text)
    keyed = _KEYED.fullmatch(text) if block.bullet else None
    if keyed:
        key, text = _unescaped(keyed[1]).strip(), plain(keyed[2] or "")
        if key:
            return Entry(name, {"path": _path(block), "key": key, "text": text}, block.line)
    if block.bullet and _GUARDED.match(text):
        text = text[1:]
    return Entry(name, {"path": _path(block), "key": None, "text": text}, block.line)


def _path(block: Block) -> list[str]:
    return list(path_of("\n".join(block.path), USUAL))


def _without_mark(block: Block) -> tuple[str, str | None]:
    """The text of a block without its id: on its first line, or at its end where it was moved."""
    if not block.lines:
        return "", None
    for number in dict.fromkeys((0, len(block.lines) - 1)):
        line = block.lines[number]
        marks = [mark for mark in _MARK.finditer(line) if is_id(mark[1])]
        if marks:
            mark = marks[-1]
            rest = line[: mark.start()] + line[mark.end() :]
            lines = [*block.lines[:number], rest, *block.lines[number + 1 :]]
            return "\n".join(lines), mark[1]
    return block.text, None


def _escaped(key: str) -> str:
    return key.replace("\\", "\\\\").replace("*", "\\*")


def _unescaped(key: str) -> str:
    return re.sub(r"\\(.)", r"\1", key)
