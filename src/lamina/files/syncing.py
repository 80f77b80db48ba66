"""One file that people edit: take over what they wrote, then write it anew from the store."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from lamina.core.record import State
from lamina.errors import ConflictError
from lamina.files.bases import WAS, Bases, Mark, read_bases, write_bases
from lamina.files.folder import NotOursError, opened
from lamina.files.layout import STATE
from lamina.files.memory_page import MOST, MemoryPage
from lamina.files.merging import Base, Known, Sides, merge
from lamina.files.page import Frame
from lamina.files.placing import exchanged, swept
from lamina.files.reading import Book, read_book
from lamina.files.taking import Taken, Taking
from lamina.files.tasks_page import TasksPage
from lamina.layers.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.core.record import Record
    from lamina.files.desk import Desk
    from lamina.files.folder import Folder
    from lamina.files.layout import Place
    from lamina.files.merging import Sheet
    from lamina.files.page import Page

_LARGEST: Final = 8_000_000
"""No file that people write by hand is larger."""
_MOST_NEW: Final = 5_000
_TRIES: Final = 8
_STAY: Final = "they are in the store and the file again; `lamina sync --yes` forgets them"


class TwoWay:
    """The synchronisation of one file."""

    def __init__(self, desk: Desk, place: Place, sheet: Sheet) -> None:
        self._desk = desk
        self._place = place
        self._sheet = sheet
        self._file = sheet.file
        self._scope = place.scope.path
        self._has_sealed = False

    def sync(self) -> None:
        """Bring file and store together."""
        folder = f"{STATE}/{self._place.folder}" if self._place.folder else STATE
        with (
            opened(self._desk.root, self._place.folder, make=True) as here,
            opened(self._desk.root, folder, make=True) as there,
        ):
            bases = self._asked_again(there, read_bases(there, self._file))
            bases = self._healed(here, there, bases)
            for _ in range(_TRIES):
                raw = self._desk.quiet(here, self._file, bases.most(_LARGEST))
                bases = self._taken_in(bases, raw)
                if self._projected(here, there, bases, raw):
                    return
            raise ConflictError(
                f"{self._path} keeps changing while it is written",
                remedy="Sync again when whoever writes it has finished",
            )

    @property
    def _path(self) -> str:
        return self._place.path(self._file)

    # -- what people wrote

    def _asked_again(self, there: Folder, bases: Bases) -> Bases:
        """Put the question again that nobody could answer when entries went missing."""
        missing = [one for one in self._desk.reader.named(bases.lost) if one.state is State.CURRENT]
        if missing and not self._desk.settle(self._path, missing):
            self._desk.questions += 1
            return bases
        if not bases.lost:
            return bases
        settled = replace(bases, lost=())
        write_bases(there, self._file, settled)
        return settled

    def _healed(self, here: Folder, there: Folder, bases: Bases) -> Bases:
        """Take up what an interrupted run left, and what was written to a file already replaced."""
        swept(here, there, self._file)
        name, most = f"{self._file}{WAS}", bases.most(_LARGEST)
        late = there.read(name, most)
        if late is not None and len(late) > most:
            self._desk.move_aside(self._path, there, name)
        elif late is not None and self._digest(late) != bases.was:
            bases = self._taken_in(bases, late)
        there.remove(name)
        return bases

    def _taken_in(self, bases: Bases, raw: bytes | None) -> Bases:
        """Take over what a person wrote."""
        if raw is None or bases.wrote(self._digest(raw)):
            return bases
        if len(raw) > bases.most(_LARGEST):
            return bases
        text = _decoded(raw)
        if text is None or self._is_torn(raw):
            torn = "it ends within a line, as if half written" if raw else "it was empty"
            why = "it is no text in UTF-8" if text is None else torn
            self._desk.keep_aside(self._path, raw, [why])
            return bases
        page = self._sheet.parse(text)
        self._check(bases, page)
        if self._is_flooded(page):
            self._desk.keep_aside(self._path, raw, [f"more than {_MOST_NEW:,} entries are new"])
            return bases
        taken, lost = self._merged(page, self._base(bases, page.revision))
        problems = taken.problems
        if lost and not self._desk.settle(self._path, lost):
            problems = [*problems, f"{len(lost)} of its entries are gone; {_STAY}"]
            bases = replace(bases, lost=tuple(record.id for record in lost))
            self._desk.questions += 1
        if not bases.trail and page.revision is None:
            # Somebody wrote it before Lamina did, and will find it in another form.
            problems = [*problems, "it was here before; its entries were taken over"]
        if problems:
            self._desk.keep_aside(self._path, raw, problems)
        return bases

    def _check(self, bases: Bases, page: Page) -> None:
        """Leave a file alone that neither was ours nor can be understood."""
        is_strange = page.problems and not page.entries and page.revision is None
        if is_strange and not bases.trail:
            raise NotOursError(self._file)

    def _is_flooded(self, page: Page) -> bool:
        """Whether it brings more than anybody writes by hand: that is an import."""
        if len(page.entries) <= _MOST_NEW:
            return False
        names = {entry.name for entry in page.entries if entry.name}
        known = len(names & {self._sheet.name(record) for record in self._records()})
        return len(page.entries) - known > _MOST_NEW

    def _is_torn(self, raw: bytes) -> bool:
        """Whether it is the file as it should be, cut off within a line: no person edits so."""
        records, book, _ = self._at_once()
        whole = self._rendered(self._sheet.arranged(records, book.frame), book.frame)[1]
        inside = not raw.endswith(b"\n") and whole[len(raw) : len(raw) + 1] not in (b"\n", b"")
        return inside and whole.startswith(raw)

    def _base(self, bases: Bases, revision: str | None) -> Base:
        """What a file said when it was projected; nothing, if nobody knows any more."""
        mark, stream = bases.behind("", revision), self._stream
        if mark is None or not self._desk.reader.was_at(stream, mark.seq, mark.hash):
            return Base()
        if self._has_past:
            return Base(mark.revision, self._known(self._records({stream: mark.seq})))
        return Base(mark.revision, {name: Known(rev, said) for name, rev, said in mark.known})

    @property
    def _has_past(self) -> bool:
        return self._desk.reader.has_past(self._sheet.layer)

    @property
    def _stream(self) -> str:
        return self._desk.reader.stream(self._place.scope, self._sheet.layer)

    def _merged(self, page: Page, base: Base) -> tuple[Taken, list[Record]]:
        """Commit what the page asks for, again if the store moves in the meantime."""
        for _ in range(_TRIES):
            records, book = self._records(), read_book(self._desk.reader, self._scope, self._file)
            earlier = book.taken_from(base.revision)
            known = [*base.entries, *earlier.values()]
            current = self._current(records, page, known)
            kinds = frozenset(record.kind for record in records)
            sides = Sides(
                base, current, earlier, self._desk.fingerprint, self._once_said,
                partial(self._found, kinds),
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
            self._has_sealed |= taking.seals()
            if isinstance(self._sheet, TasksPage) and taken.changed:
                Tasks(self._desk.mem, self._place.scope).tidy()
            self._desk.report.took(self._path, taken, found.kept)
            return taken, found.lost
        raise ConflictError(f"the records of {self._path} keep changing")

    def _new_book(self, page: Page, base: Base, book: Book, taken: Taken) -> Book:
        """What is kept of the file besides its entries."""
        digests = {self._desk.fingerprint(text): name for text, name in taken.names.items()}
        frame = self._arrangement(page, base, book.frame, taken.names)
        arranged = replace(book, frame=frame)
        return arranged.taking(base.revision, digests) if digests else arranged

    def _arrangement(
        self, page: Page, base: Base, before: Frame, names: Mapping[str, str]
    ) -> Frame:
        """The order of a file, as far as it is not the one that it would have by itself."""
        order = [names.get(entry.mark) or entry.name for entry in page.entries]
        named = tuple(dict.fromkeys(name for name in order if name))
        paths = [entry.said.get("path") for entry in page.entries]
        known = list(base.entries)
        places = dict(zip(order, paths, strict=True))
        wanted = bool(before.order) or _is_rearranged(named, known, places)
        return replace(page.frame, order=named if wanted else ())

    # -- what the store holds

    def _records(self, as_of: Mapping[str, int] | None = None) -> list[Record]:
        """What belongs in the file, or did: of too many, the weightiest and newest."""
        where = {"layer": self._sheet.layer, "scope": self._scope}
        reader, weighty = self._desk.reader, isinstance(self._sheet, MemoryPage)
        most = MOST if weighty else None
        if as_of is not None:
            found = reader.current_at(where, as_of, most)
        else:
            found = reader.current(where, most, weighty=weighty)
        shown = [record for record in found if self._sheet.shows(record)]
        return self._desk.fitting(shown) if weighty else shown

    def _at_once(self) -> tuple[list[Record], Book, tuple[int, str]]:
        """What belongs in the file, and where the log stood when all of it was so."""
        reader, stream = self._desk.reader, self._stream
        for _ in range(_TRIES):
            place = reader.position(stream)
            records, book = self._records(), read_book(reader, self._scope, self._file)
            if reader.position(stream) == place:
                return records, book, place
        # Somebody writes all the time: the past stands still, where there is one.
        then = self._records({stream: place[0]}) if self._has_past else records
        return then, book, place

    def _known(self, records: Sequence[Record]) -> dict[str, Known]:
        digest = self._desk.said
        return {
            self._sheet.name(one): Known(one.rev, digest(self._sheet.said(one))) for one in records
        }

    def _once_said(self, record_id: str, digest: str) -> bool:
        versions = self._desk.reader.versions(record_id)
        # A line that was carried here from the file of another scope is new here.
        here = (one for one in versions if one is not None and self._is_ours(one))
        said = (self._sheet.said(version) for version in here)
        if any(self._desk.said(one) == digest for one in said):
            return True
        # Nothing is left of what was erased, nor of versions that nobody keeps any more.
        return None in versions and self._desk.reader.is_erased(record_id)

    def _current(
        self, records: Sequence[Record], page: Page, known: Sequence[str]
    ) -> dict[str, Record]:
        """Every record that the file speaks of or was made from, by name."""
        current = {self._sheet.name(record): record for record in records}
        if self._sheet.by_id:
            named = {entry.name for entry in page.entries if entry.name} | set(known)
            for record in self._desk.reader.named(named - set(current)):
                if record.state is State.CURRENT and self._is_ours(record):
                    current[record.id] = record
        return current

    def _is_ours(self, record: Record) -> bool:
        return record.scope == self._scope and record.layer == self._sheet.layer

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

    def _projected(self, here: Folder, there: Folder, bases: Bases, raw: bytes | None) -> bool:
        """Write the file anew if it differs; whether that came about."""
        records, book, (seq, digest) = self._at_once()
        shown = self._sheet.arranged(records, book.frame)
        if not shown and book.frame == Frame() and not self._is_always():
            self._withdraw(here, there, bases, raw)
            return True
        revision, content = self._rendered(shown, book.frame)
        mark = Mark(revision, self._digest(content), seq, digest, self._named(shown))
        if raw == content:
            stamp = here.stamp(self._file)
            known = bases.behind(mark.file, None)
            if known is None or bases.stamp != stamp:
                write_bases(there, self._file, bases.projected(known or mark, bases.was, stamp))
            return True
        was = self._digest(raw) if raw is not None else ""
        booked = partial(bases.projected, mark, was)
        if not exchanged(here, there, self._file, content, booked, is_new=raw is None):
            return False
        name = f"{self._file}{WAS}"
        if raw is not None and len(raw) > bases.most(_LARGEST):
            self._desk.move_aside(self._path, there, name)
        elif self._has_sealed:
            # What was sealed just now stands in the old file for all to read.
            there.remove(name)
        self._desk.report.wrote(self._path)
        return True

    def _named(self, shown: Sequence[Record]) -> tuple[tuple[str, int, str], ...]:
        """What a file says, for when that has to be known again and there is no past to ask."""
        if self._has_past:
            return ()
        return tuple((name, one.rev, one.digest) for name, one in self._known(shown).items())

    def _withdraw(self, here: Folder, there: Folder, bases: Bases, raw: bytes | None) -> None:
        """Take a file away that has nothing to say any more, if it was ours."""
        if raw is None or not bases.trail:
            return
        write_bases(there, self._file, replace(bases, was=self._digest(raw), stamp=None))
        with suppress(FileNotFoundError):
            # Not removed: somebody may have saved it in this moment, so it is looked at again.
            here.rename(self._file, f"{self._file}{WAS}", to=there)
            self._desk.report.wrote(self._path)

    def _rendered(self, shown: Sequence[Record], frame: Frame) -> tuple[str, bytes]:
        marks = "".join(f"{self._sheet.name(record)} {record.rev}\n" for record in shown)
        revision = hashlib.sha256(marks.encode()).hexdigest()[:12]
        head = {"lamina": self._sheet.form, "scope": self._scope, "revision": revision}
        hidden = 0
        if isinstance(self._sheet, MemoryPage):
            where = {"layer": self._sheet.layer, "scope": self._scope}
            hidden = max(0, self._desk.reader.count(where) - len(shown))
        return revision, self._sheet.render(shown, frame, head, hidden).encode()

    def _is_always(self) -> bool:
        return self._place.is_agents and self._sheet.form == "agent"

    def _digest(self, content: bytes) -> str:
        return self._desk.file_digest(content)


def _decoded(raw: bytes) -> str | None:
    if b"\0" in raw:
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
