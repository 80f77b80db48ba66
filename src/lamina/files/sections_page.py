"""`NOW.md` and `AGENT.md`: one record under each heading, known by its key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from lamina.files.page import Entry, Frame, Page, front_matter, plain, split_front
from lamina.layers.now import NEXT_STEPS, OBJECTIVE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.files.merging import IsTaken

FRAME: Final = "frame"
PROFILE: Final = "profile"
_HEADING: Final = re.compile(r"(#{1,6})(?:[ \t]+(.*))?")
_LIKE_HEADING: Final = re.compile(r"\\*#{1,6}(?:[ \t]|$)")
_GUARDED: Final = re.compile(r"\\+#{1,6}(?:[ \t]|$)")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,4}[.)])[ \t]+(.*)")


@dataclass(frozen=True, slots=True)
class SectionsPage:
    """How keyed records are written down as sections and read again."""

    file: str
    form: str
    title: str
    known: Mapping[str, str]
    """The heading of each key that has one of its own, in their order."""
    prefix: str = ""
    """What the keys of this file begin with."""
    kind: str | None = None
    """The kind of its records; without one each key is its own."""
    always: bool = False
    """Whether the known headings stand there even when nothing stands below them."""
    layer: str = "now"
    by_id: bool = False

    def shows(self, record: Record) -> bool:
        """Whether the record has a place in this file."""
        if self.kind is not None:
            is_ours = record.kind == self.kind
        else:
            is_ours = record.kind not in (FRAME, PROFILE)
        # A key that its heading does not tell would come back as another one.
        key = str(record.key)
        is_told = record.key is not None and self._key(self._heading(key)) == key
        return is_ours and is_told and any(self.said(record).values())

    def name(self, record: Record) -> str:
        """What the record is called in the file."""
        return str(record.key)

    def said(self, record: Record) -> dict[str, Any]:
        """What the file says of a record."""
        if record.key == NEXT_STEPS:
            listed = record.data.get("steps")
            steps = listed if isinstance(listed, list) else record.text.split("\n")
            return {"steps": [" ".join(str(one).split()) for one in steps if str(one).strip()]}
        return {"text": plain(record.text)}

    def arranged(self, records: Sequence[Record], frame: Frame) -> list[Record]:
        """The records in the order in which the file has them."""
        known = {key: n for n, key in enumerate(self.known)}
        places = {name: n for n, name in enumerate(frame.order)}

        def place(record: Record) -> tuple[Any, ...]:
            key = str(record.key)
            return places.get(key, len(places)), known.get(key, len(known)), key

        return sorted(records, key=place)

    def render(
        self, records: Sequence[Record], frame: Frame, head: Mapping[str, str], hidden: int
    ) -> str:
        """The file."""
        lines = front_matter(head, frame.front)
        lines += [f"# {frame.title or self.title}", ""]
        held = {str(record.key) for record in records}
        for record in records:
            lines += [f"## {self._heading(str(record.key))}", "", *self._lines(record), ""]
        for key in self.known if self.always else ():
            lines += [] if key in held else [f"## {self.known[key]}", ""]
        return "\n".join(lines[:-1]) + "\n"

    def parse(self, text: str) -> Page:
        """Read a file that a person may have edited."""
        ours, extra, lines, first = split_front(text)
        title, found = "", dict[str, tuple[int, list[str]]]()
        key = ""
        for number, line in enumerate(lines, start=first + 1):
            heading = _HEADING.fullmatch(line)
            if heading and len(heading[1]) == 1 and not title and not found:
                title = (heading[2] or "").rstrip(" \t")
            elif heading:
                key = self._key(heading[2] or "")
                found.setdefault(key, (number, []))[1].append("")
            elif line.strip(" \t") or key:
                guarded = _GUARDED.match(line)
                found.setdefault(key, (number, []))[1].append(line[1:] if guarded else line)
        entries = self._entries(found)
        order = tuple(entry.name for entry in entries if entry.name)
        frame = Frame(extra, "" if title == self.title else title, (), order)
        return Page(entries, frame, ours.get("revision"))

    def draft(self, name: str | None, said: Mapping[str, Any], kinds: frozenset[str]) -> Draft:
        """A new record of what an entry says."""
        kind = self._kind(str(name))
        return cast("Draft", {"layer": self.layer, "kind": kind, "key": name, **self._fields(said)})

    def free(
        self, name: str | None, said: dict[str, Any], is_taken: IsTaken
    ) -> tuple[str | None, dict[str, Any]]:
        """A new section; every one has a name."""
        return name, said

    def check(
        self, name: str | None, said: Mapping[str, Any], others: Mapping[str, Mapping[str, Any]]
    ) -> None:
        """Whatever a person writes here makes sense by itself."""

    def change(
        self, record: Record, said: Mapping[str, Any], kinds: frozenset[str]
    ) -> dict[str, Any] | None:
        """The fields that an edited entry changes."""
        return {} if said == self.said(record) else self._fields(said)

    def _kind(self, key: str) -> str:
        if self.kind is not None:
            return self.kind
        return key if key in self.known else "note"

    def _entries(self, found: dict[str, tuple[int, list[str]]]) -> tuple[Entry, ...]:
        entries = []
        loose = found.pop("", None)
        if loose and plain("\n".join(loose[1])):
            # What stands above the first heading belongs to what comes first.
            key = next(iter(self.known))
            line, below = found.get(key, (loose[0], []))
            found = {key: (line, [*loose[1], "", *below]), **found}
            found[key] = (line, [*loose[1], "", *below])
        for key, (line, lines) in found.items():
            said = self._said_in(key, lines)
            if any(said.values()):
                entries.append(Entry(key, said, line))
        return tuple(entries)

    def _said_in(self, key: str, lines: list[str]) -> dict[str, Any]:
        if key != NEXT_STEPS:
            return {"text": plain("\n".join(lines))}
        items = (_ITEM.fullmatch(line) for line in lines)
        told = (item[1] if item else line for item, line in zip(items, lines, strict=True))
        return {"steps": [" ".join(one.split()) for one in told if one.strip()]}

    def _fields(self, said: Mapping[str, Any]) -> dict[str, Any]:
        if "steps" in said:
            return {"text": "\n".join(said["steps"]), "data": {"steps": list(said["steps"])}}
        return {"text": said["text"]}

    def _lines(self, record: Record) -> list[str]:
        said = self.said(record)
        if "steps" in said:
            return [f"- {step}" for step in said["steps"]]
        lines = said["text"].split("\n")
        return [f"\\{line}" if _LIKE_HEADING.match(line) else line for line in lines]

    def _heading(self, key: str) -> str:
        return self.known.get(key, key.removeprefix(self.prefix))

    def _key(self, heading: str) -> str:
        for key, known in self.known.items():
            if known.lower() == heading.strip().lower():
                return key
        return f"{self.prefix}{' '.join(heading.split()) or 'untitled'}"


NOW: Final = SectionsPage(
    "NOW.md", "now", "Now", {OBJECTIVE: "Objective", NEXT_STEPS: "Next steps"}
)
AGENT: Final = SectionsPage(
    "AGENT.md", "agent", "Agent",
    {"profile:identity": "Identity", "profile:rules": "Rules",
     "profile:capabilities": "Capabilities"},
    prefix="profile:", kind=PROFILE, always=True,
)  # fmt: skip
