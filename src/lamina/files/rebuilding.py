"""The store made again from its files: everything that they hold, under the ids they hold it by."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lamina import clock
from lamina.compaction.transcripts import as_archived
from lamina.core import canonical
from lamina.core.ids import RecordId, is_id, milliseconds_of
from lamina.core.instants import check_instant
from lamina.core.names import to_name
from lamina.core.record import Record, Trust, to_json
from lamina.core.text import estimate_tokens
from lamina.errors import InvalidInputError
from lamina.exchange import ImportReport, import_lines
from lamina.files.blocks import read_body
from lamina.files.folder import NotAFileError, opened
from lamina.files.keeper import Files
from lamina.files.layout import SESSIONS, STATE, Place, places_in
from lamina.files.memory_page import MemoryPage
from lamina.files.page import Frame, split_front
from lamina.files.reading import Book, book_draft
from lamina.files.sections_page import AGENT, NOW
from lamina.files.tasks_page import TasksPage
from lamina.files.told import ITEMS, LOG
from lamina.files.transcripts import whole_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.core.scope import Scope
    from lamina.files.merging import Sheet
    from lamina.files.page import Entry, Page
    from lamina.memory import Memory

_LARGEST: Final = 256_000_000
_LOGGED: Final = re.compile(r"(\d\d:\d\d:\d\d) \*\*([A-Z_]+)\*\*[ ]?(.*)", re.DOTALL)
_MARK: Final = re.compile(r" \^([0-9a-z]{26})$")
_HEAD: Final = 400
_FORMS: Final = ("now", "memory", "agent", "log")
_ITEM_KINDS: Final = ("note", "entity", "claim", "task", "decision")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def is_projected(folder: Path) -> bool:
    """Whether Lamina wrote the files in a folder."""
    if not os.path.isdir(folder):
        return False
    if (folder / STATE).is_dir():
        return True
    return any(_has_our_head(folder, place) for place in _places(folder))


def rebuild(mem: Memory, folder: Path) -> ImportReport:
    """Take everything into a store that the files of another one, or of itself, hold.

    What the store knows already stays as it is. Who said something the files do not tell, so it is
    believed as far as a file is.
    """
    report = import_lines(mem, _lines(mem, folder))
    files = Files(mem, folder)
    files.adopt()
    return report


def _lines(mem: Memory, folder: Path) -> Iterator[str]:
    """Everything as lines to import; an id that was copied along with its line counts once."""
    seen: set[str] = set()
    for record in _records(mem, folder):
        if record.id in seen:
            record = replace(record, id=clock.fresh_id())
        seen.add(record.id)
        try:
            line = canonical.dumps(to_json(record))
            line.encode()
        except (ValueError, RecursionError):
            # Half a character or an endless number: nothing that Lamina wrote.
            continue
        yield line


def _records(mem: Memory, folder: Path) -> Iterator[Record]:
    for place in _places(folder):
        for sheet in (AGENT, NOW, MemoryPage(), TasksPage()):
            raw = _read(folder, place.folder, sheet.file)
            if raw is not None:
                yield from _of_sheet(place, sheet, raw)
        yield from _of_log(place, _read(folder, place.folder, LOG))
        yield from _of_items(place, _read(folder, place.folder, ITEMS))
        yield from _of_sessions(folder, place)


def _places(folder: Path) -> Iterator[Place]:
    return (place for place in places_in(folder) if isinstance(place, Place))


def _has_our_head(root: Path, place: Place) -> bool:
    for file in (NOW.file, MemoryPage.file, AGENT.file, LOG):
        head = _read(root, place.folder, file, _HEAD)
        if head is not None and split_front(head)[0].get("lamina") in _FORMS:
            return True
    return False


def _read(root: Path, folder: str, file: str, most: int = _LARGEST) -> str | None:
    try:
        with opened(Path(os.path.realpath(root)), folder) as here:
            raw = here.read(file, most)
    except (OSError, NotAFileError):
        return None
    return None if raw is None else raw.decode("utf-8", "replace").replace("\0", "")


def _of_sheet(place: Place, sheet: Sheet, text: str) -> Iterator[Record]:
    page = sheet.parse(text)
    if sheet.form == "tasks":
        created = {to_name(str(task.get("id")), "task"): task for task in _tasks(text)}
    names: list[str] = []
    for entry in page.entries:
        record = _entry(place, sheet, entry)
        if sheet.form == "tasks":
            record = _dated(record, created.get(str(entry.name), {}))
        names.append(record.id if sheet.by_id else str(record.key))
        yield record
    frame = Frame(page.frame.front, page.frame.title, page.frame.sections, _order(page, names))
    if frame != Frame():
        draft = book_draft(Book(frame), place.scope.path, sheet.file)
        yield _record(place.scope, "now", {**draft}, None)


def _order(page: Page, names: list[str]) -> tuple[str, ...]:
    """The order of the entries, where it is not the one in which they were made."""
    by_section: dict[str, list[str]] = {}
    for entry, name in zip(page.entries, names, strict=True):
        by_section.setdefault(str(entry.said.get("path")), []).append(name)
    usual = all(found == sorted(found) for found in by_section.values())
    return () if usual else tuple(names)


def _entry(place: Place, sheet: Sheet, entry: Entry) -> Record:
    draft = sheet.draft(entry.name, entry.said, frozenset())
    known = entry.name if sheet.by_id and is_id(entry.name) else None
    return _record(place.scope, sheet.layer, {**draft}, known)


def _tasks(text: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return []
    tasks = found.get("tasks", []) if isinstance(found, dict) else found
    return [task for task in tasks if isinstance(task, dict)] if isinstance(tasks, list) else []


def _dated(record: Record, task: dict[str, Any]) -> Record:
    ended = task.get("completed")
    done = {"completed": ended} if isinstance(ended, str) and ended else {}
    at = _instant(task.get("created"), record.created_at)
    return replace(record, created_at=at, updated_at=at, data={**record.data, **done})


def _of_log(place: Place, text: str | None) -> Iterator[Record]:
    if text is None:
        return
    _, _, lines, first = split_front(text)
    for block in read_body(lines, first).blocks:
        mark = _MARK.search(block.lines[0]) if block.lines else None
        head = block.lines[0][: mark.start()] if mark else "".join(block.lines[:1])
        told = _LOGGED.fullmatch("\n".join((head, *block.lines[1:])))
        if not block.bullet or told is None or not block.path:
            continue
        known = mark[1] if mark and is_id(mark[1]) else None
        said = {"kind": told[2], "text": told[3]}
        at = _instant(f"{block.path[-1]}T{told[1]}Z", clock.now())
        yield _record(place.scope, "log", said, known, at)


def _of_items(place: Place, text: str | None) -> Iterator[Record]:
    try:
        items = json.loads(text) if text else []
    except (ValueError, RecursionError):
        return
    for item in items if isinstance(items, list) else []:
        if not isinstance(item, dict) or str(item.get("type")) not in _ITEM_KINDS:
            continue
        data = {"title": item.get("title"), "file": item.get("sourceFile"),
                "line": item.get("lineNumber")}  # fmt: skip
        said = {
            "kind": str(item["type"]), "text": str(item.get("content", "")), "data": data,
            "confidence": _share(item.get("confidence")),
        }  # fmt: skip
        known = item["id"] if is_id(item.get("id")) else None
        at = _instant(item.get("extractedAt"), clock.now())
        yield _record(place.scope, "item", said, known, at)


def _of_sessions(root: Path, place: Place) -> Iterator[Record]:
    folder = place.path(SESSIONS)
    try:
        with opened(Path(os.path.realpath(root)), folder) as here:
            names = sorted(name for name in here.names() if name.endswith(".jsonl"))
    except (OSError, NotAFileError):
        return
    for name in names:
        text = _read(root, folder, name)
        try:
            scope = place.scope.child("session", name.removesuffix(".jsonl"))
        except InvalidInputError:
            continue
        lines = whole_lines((text or "").encode())
        yield from as_archived([_message(scope, line) for line, _ in lines])


def _message(scope: Scope, line: dict[str, Any]) -> Record:
    own = ("id", "role", "content", "timestamp", "data")
    data = line["data"] if isinstance(line.get("data"), dict) else {}
    data = {**{name: value for name, value in line.items() if name not in own}, **data}
    name = line.get("id")
    known = name if is_id(name) else None
    said = {"kind": line["role"], "text": str(line.get("content", "")), "data": data}
    if isinstance(name, str) and known is None:
        said["key"] = name
    return _record(scope, "session", said, known, _instant(line.get("timestamp"), clock.now()))


def _record(
    scope: Scope, layer: str, said: dict[str, Any], known: str | None, at: datetime | None = None
) -> Record:
    """A record as the store that wrote it would have it, as far as the file tells."""
    text = said.get("text", "")
    made = _made(known) if known else None
    if at is None:
        at = made or clock.now()
    elif made is not None and made.replace(microsecond=0) == at:
        # A file tells seconds; the id knows the rest.
        at = made
    return Record(
        id=RecordId(known) if known else clock.fresh_id(), scope=scope.path, layer=layer,
        kind=said["kind"], key=said.get("key"), text=text, data=said.get("data", {}),
        confidence=said.get("confidence", 1.0), trust=Trust.FILE, source="user",
        tokens=estimate_tokens(text), created_at=at, updated_at=at,
    )  # fmt: skip


def _made(record_id: str) -> datetime | None:
    """When an id was made; nothing for one that was made up."""
    made = milliseconds_of(record_id)
    today = clock.now().timestamp() * 1_000
    return _EPOCH + timedelta(milliseconds=made) if made <= today else None


def _share(value: object) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= 1 else 1.0  # type: ignore[arg-type, operator]


def _instant(text: object, otherwise: datetime) -> datetime:
    try:
        return check_instant(text, "timestamp")
    except InvalidInputError:
        return otherwise
