"""One file that people edit: take over what they wrote, then write it anew from the store."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from lamina.errors import ConflictError
from lamina.files.bases import WAS, Bases, read_bases, write_bases
from lamina.files.folder import opened
from lamina.files.layout import STATE
from lamina.files.memory_page import MOST, MemoryPage
from lamina.files.merging import Base, Known, Sides, merge
from lamina.files.placing import placed, swept, written
from lamina.files.reading import Book, read_book
from lamina.files.taking import Taken, Taking

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.core.record import Record
    from lamina.files.desk import Desk
    from lamina.files.folder import Folder
    from lamina.files.layout import Place
    from lamina.files.merging import Sheet
    from lamina.files.page import Frame, Page

_LARGEST: Final = 8_000_000
"""No file that people write by hand is larger."""
_TRIES: Final = 8


class TwoWay:
    """The synchronisation of one file."""

    def __init__(self, desk: Desk, place: Place, sheet: Sheet) -> None:
        self._desk = desk
        self._place = place
        self._sheet = sheet
        self._file = sheet.file
        self._scope = place.scope.path

    def sync(self) -> None:
        """Bring file and store together."""
        folder = f"{STATE}/{self._place.folder}" if self._place.folder else STATE
        with (
            opened(self._desk.root, self._place.folder, make=True) as here,
            opened(self._desk.root, folder, make=True) as there,
        ):
            bases = self._healed(here, there, read_bases(there, self._file))
            for _ in range(_TRIES):
                raw = self._desk.quiet(here, self._file, _LARGEST)
                bases, base = self._taken_in(there, bases, raw)
                if self._projected(here, there, bases, raw, base):
                    return
            raise ConflictError(
                f"{self._place.path(self._file)} keeps changing while it is written",
                remedy="Sync again when whoever writes it has finished",
            )

    # -- what people wrote

    def _healed(self, here: Folder, there: Folder, bases: Bases) -> Bases:
        """Take up what an interrupted run left, and what was written to a file already replaced."""
        swept(here, there, self._file)
        late = there.read(f"{self._file}{WAS}", _LARGEST)
        if late is not None:
            ours = [base.file for base in (bases.newest, bases.earlier) if base]
            if self._digest(late) not in (bases.was, *ours):
                bases, _ = self._taken_in(there, bases, late)
            there.remove(f"{self._file}{WAS}")
        return bases

    def _taken_in(
        self, there: Folder, bases: Bases, raw: bytes | None
    ) -> tuple[Bases, Base | None]:
        """Take over what a person wrote; the base that the file was made from comes back."""
        if raw is None:
            return bases, None
        digest = self._digest(raw)
        base = bases.behind(digest, None)
        if base is not None and base.file == digest:
            return bases, base
        text = _decoded(raw)
        if text is None:
            return self._aside(there, bases, raw, ["it is no text, or far too long"]), base
        page = self._sheet.parse(text)
        base = bases.behind(digest, page.revision)
        taken, lost = self._merged(page, base)
        if lost and self._desk.asks(self._place.path(self._file), lost):
            self._desk.forget(lost)
            lost = []
        problems = taken.problems
        if lost:
            problems = [*problems, f"{len(lost)} of its entries are gone; they stay in the store"]
        bases = replace(bases, lost=tuple(record.id for record in lost) or bases.lost)
        if problems:
            bases = self._aside(there, bases, raw, problems)
        return bases, base

    def _merged(self, page: Page, base: Base | None) -> tuple[Taken, list[Record]]:
        """Commit what the page asks for, again if the store moves in the meantime."""
        for _ in range(_TRIES):
            records, book = self._records(), read_book(self._desk.reader, self._scope, self._file)
            earlier = book.taken_from(base.revision if base else "")
            known = [*(base.entries if base else ()), *earlier.values()]
            current = self._current(records, page, known)
            kinds = frozenset(record.kind for record in records)
            sides = Sides(
                base or Base(), current, earlier,
                self._desk.fingerprint, partial(self._found, kinds),
            )  # fmt: skip
            found = merge(self._sheet, page, sides)
            desk, scope = self._desk, self._place.scope
            taking = Taking(desk.mem, desk.path, self._sheet, scope, kinds)
            taken = taking.take(found, sides)
            taken.problems = [*found.problems, *taken.problems]
            try:
                taking.commit(self._new_book(page, base, book, taken), book)
            except ConflictError:
                continue
            self._desk.report.took(self._place.path(self._file), taken, found.kept)
            return taken, found.lost
        raise ConflictError(f"the records of {self._place.path(self._file)} keep changing")

    def _new_book(self, page: Page, base: Base | None, book: Book, taken: Taken) -> Book:
        """What is kept of the file besides its entries."""
        revision = base.revision if base else ""
        digests = {self._desk.fingerprint(text): name for text, name in taken.names.items()}
        frame = self._arrangement(page, base, book.frame, taken.names)
        arranged = replace(book, frame=frame)
        return arranged.taking(revision, digests) if digests else arranged

    def _arrangement(
        self, page: Page, base: Base | None, before: Frame, names: Mapping[str, str]
    ) -> Frame:
        """The order of a file, as far as it is not the one that it would have by itself."""
        order = [names.get(entry.text) or entry.name for entry in page.entries]
        named = tuple(dict.fromkeys(name for name in order if name))
        paths = [entry.said.get("path") for entry in page.entries]
        known = list(base.entries) if base else []
        places = dict(zip(order, paths, strict=True))
        wanted = bool(before.order) or _is_rearranged(named, known, places)
        return replace(page.frame, order=named if wanted else ())

    # -- what the store holds

    def _records(self) -> list[Record]:
        """What belongs in the file: of too many, the weightiest and newest."""
        where = {"layer": self._sheet.layer, "scope": self._scope}
        weighty = isinstance(self._sheet, MemoryPage)
        found = self._desk.reader.current(where, MOST if weighty else None, weighty=weighty)
        shown = [record for record in found if self._sheet.shows(record)]
        return self._desk.fitting(shown) if weighty else shown

    def _current(
        self, records: Sequence[Record], page: Page, known: Sequence[str]
    ) -> dict[str, Record]:
        """Every record that the file speaks of or was made from, by name."""
        current = {self._sheet.name(record): record for record in records}
        if self._sheet.by_id:
            named = {entry.name for entry in page.entries if entry.name} | set(known)
            for record in self._desk.reader.named(named - set(current)):
                if record.state.value == "current" and record.scope == self._scope:
                    current[record.id] = record
        return current

    def _found(self, kinds: frozenset[str], said: Mapping[str, Any]) -> Record | None:
        """A record that says the same as a new entry, or holds its key."""
        if not self._sheet.by_id:
            return None
        draft = self._sheet.draft(None, said, kinds)
        where: dict[str, Any] = {"layer": self._sheet.layer, "scope": self._scope}
        if said["key"]:
            where |= {"kind": draft["kind"], "key": said["key"]}
            return next(iter(self._desk.reader.current(where, 1)), None)
        if not said["text"]:
            return None
        same = self._desk.reader.current({**where, "text": said["text"]}, 20)
        return next((one for one in same if self._sheet.said(one) == dict(said)), None)

    # -- the file itself

    def _projected(
        self, here: Folder, there: Folder, bases: Bases, raw: bytes | None, over: Base | None
    ) -> bool:
        """Write the file anew if it differs; whether that came about."""
        records, book = self._records(), read_book(self._desk.reader, self._scope, self._file)
        shown = self._sheet.arranged(records, book.frame)
        if raw is None and not shown and not self._is_always():
            return True
        content, base = self._rendered(shown, book.frame)
        if raw == content:
            if bases.newest != base or bases.stamp != here.stamp(self._file):
                kept = replace(bases, newest=base, stamp=here.stamp(self._file))
                write_bases(there, self._file, kept)
            return True
        was = self._digest(raw) if raw is not None else ""
        fresh, stamp = written(here, self._file, content)
        write_bases(there, self._file, replace(bases.projected(base, over, was), stamp=stamp))
        if not placed(here, there, self._file, fresh, is_new=raw is None):
            return False
        self._desk.report.wrote(self._place.path(self._file))
        return True

    def _rendered(self, shown: Sequence[Record], frame: Frame) -> tuple[bytes, Base]:
        known = {
            self._sheet.name(record): Known(record.rev, self._desk.said(self._sheet.said(record)))
            for record in shown
        }
        marks = "".join(f"{name} {one.rev}\n" for name, one in known.items())
        revision = hashlib.sha256(marks.encode()).hexdigest()[:12]
        head = {"lamina": self._sheet.form, "scope": self._scope, "revision": revision}
        hidden = 0
        if isinstance(self._sheet, MemoryPage):
            where = {"layer": self._sheet.layer, "scope": self._scope}
            hidden = max(0, self._desk.reader.count(where) - len(shown))
        content = self._sheet.render(shown, frame, head, hidden).encode()
        return content, Base(revision, self._digest(content), known)

    def _is_always(self) -> bool:
        return self._place.is_agents and self._sheet.form == "agent"

    def _aside(self, there: Folder, bases: Bases, raw: bytes, problems: list[str]) -> Bases:
        digest = self._digest(raw)
        path = self._place.path(self._file)
        if bases.kept != digest:
            kept = self._desk.keep_aside(path, raw)
            self._desk.report.kept(path, kept, problems)
            bases = replace(bases, kept=digest)
            write_bases(there, self._file, bases)
        return bases

    def _digest(self, content: bytes) -> str:
        return self._desk.file_digest(content)


def _decoded(raw: bytes) -> str | None:
    if len(raw) > _LARGEST or b"\0" in raw:
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _is_rearranged(
    named: Sequence[str], known: Sequence[str], paths: Mapping[str | None, Any]
) -> bool:
    """Whether people put entries in an order of their own."""
    stayed = [name for name in named if name in set(known)]
    if stayed != [name for name in known if name in set(named)]:
        return True
    ended: set[str] = set()
    old = set(known)
    # A new entry belongs behind the old ones of its section.
    for name in reversed(named):
        section = str(paths.get(name))
        if name in old:
            ended.add(section)
        elif section in ended:
            return True
    return False
