"""Taking notes in: what changed in a file changes in memory, in one transaction for each file.

What somebody changed in memory is never overwritten. The files are never written.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final, TypedDict, Unpack

from lamina import clock
from lamina.core import canonical
from lamina.core.access import check_write
from lamina.core.ids import RecordId
from lamina.core.markdown import read_note
from lamina.core.principal import Role, Surface
from lamina.core.record import Record
from lamina.core.scope import Scope
from lamina.errors import ConflictError, InvalidInputError
from lamina.importing.formats import basic_memory
from lamina.importing.known import LAYER, Known
from lamina.importing.marking import marked
from lamina.importing.pages import Pages, find_pages
from lamina.importing.planning import FilePlan, Planner, moved_here
from lamina.importing.report import Became, NotesReport
from lamina.importing.wanted import Wanted, is_own, wanted_of
from lamina.memory import Memory
from lamina.sources.reading import Document, UnreadableError, largest_file, read_document

_TRIES: Final = 5
_LOOKED_AT: Final = 20
"""How many notes that are gone a new one is compared with."""
_READABLE: Final = "Name a file of text, no larger than the setting index.max_bytes"
_OWN: Final = "kept by Lamina itself; `lamina sync` takes in what was changed in it"


class ImportOptions(TypedDict, total=False):
    """How notes are to be imported."""

    scope: str | None
    """Where the records belong, unless that is the scope of the handle."""
    dry_run: bool
    """Only tell what would be done."""
    again: bool
    """Bring back also what was forgotten here by hand."""
    on_progress: Callable[[float], None] | None
    """Told the share of the files that is done."""
    on_commit: Callable[[RecordId], None] | None
    """Told each transaction, right behind it: what `undo` takes."""
    known_as: str | None
    """What stands for the folder of the notes, where they were only brought to this place to be
    read, such as a digest of them: brought again to another, they are the same notes."""


def markdown(mem: Memory, path: str | Path, **options: Unpack[ImportOptions]) -> NotesReport:
    """Take in a Markdown file, a folder of them or an Obsidian vault, or follow what changed.

    Each item of a list, each paragraph and each block becomes a record of knowledge.

    Raises:
        InvalidInputError: There is no such path, or it is no note.
        ForbiddenError: The handle may not write knowledge there.
    """
    asked = options.get("scope")
    scope = Scope.of(mem.scope if asked is None else asked)
    surface = Surface.IMPORT if mem.principal.role is Role.ADMIN else mem.principal.surface
    check_write(replace(mem.principal, surface=surface), scope, LAYER)
    run = _Import(mem, surface, scope, options)
    return run.of(find_pages(path, run.is_known))


class _Import:
    """One run over some notes."""

    def __init__(self, mem: Memory, surface: Surface, scope: Scope, options: ImportOptions) -> None:
        self._path = mem.path_for(surface)
        self._scope = scope
        self._options = options
        self._known = Known(mem.store, self._path, scope)
        self._largest = largest_file(mem.store)
        self._now_ns = int(clock.now().timestamp() * 1_000_000_000)
        self._skipped: list[tuple[str, str]] = []
        self._notes: list[tuple[str, str]] = []
        self._sealed = 0
        self._transactions: list[tuple[str, RecordId]] = []
        self._format = "markdown"
        self._folders: dict[str, str] = {}
        """The folders inside the one that is imported, by their roots."""

    def is_known(self, folder: Path) -> bool:
        """Whether notes that stand were imported from a folder."""
        return "known_as" not in self._options and self._known.has(self._root(folder))

    def of(self, pages: Pages) -> NotesReport:
        """Bring the records in line with the notes."""
        self._skipped += pages.skipped
        self._folders = {self._root(pages.base / one): one for one in pages.folders}
        root = self._root(pages.base)
        planner = Planner(self._path, self._known, self._scope, root, self._folders)
        known = self._known_of(None if pages.start is not None else pages.files[0])
        gone = [one for one in sorted(known) if pages.is_gone(one) and planner.mine(known[one])]
        gone = self._without_renamed(pages, gone, known)
        if not (pages.files or pages.skipped or gone):
            raise InvalidInputError(
                f"`path` holds no Markdown: {pages.base / (pages.start or '')!s:.200}",
                remedy="Name a file that ends in .md, or a folder of them",
            )
        entries: list[Became] = []
        tell = self._options.get("on_progress") or (lambda share: None)
        done = 0
        for number, (file, wanted) in enumerate(self._each(pages, gone), start=1):
            if wanted is not None:
                entries += self._take(planner, file, wanted, known.get(file, []))
                done += 1
            tell(number / (len(pages.files) + len(gone)))
        return NotesReport(
            applied=not self._options.get("dry_run", False), scope=self._scope.path, files=done,
            entries=tuple(entries), skipped=tuple(self._skipped), notes=tuple(self._notes),
            sealed=self._sealed, transactions=tuple(self._transactions), format=self._format,
        )  # fmt: skip

    def _root(self, folder: Path) -> str:
        if (named := self._options.get("known_as")) is not None:
            # No path begins so.
            return self._path.fingerprint(f":{named}".encode())
        return self._path.fingerprint(str(folder).encode("utf-8", "surrogateescape"))

    def _known_of(self, file: str | None) -> dict[str, list[Record]]:
        """What is known of a file, by every name that it may have had in an import; or of all."""
        if file is None:
            return self._known.by_file(self._folders)
        parts = file.split("/")
        names = ["/".join(parts[at:]) for at in range(len(parts))]
        return self._known.by_file(self._folders, **{"data.file": {"$in": names}})

    def _without_renamed(
        self, pages: Pages, gone: list[str], known: dict[str, list[Record]]
    ) -> list[str]:
        """The notes that are gone, without those that a new note takes over under its own name."""
        left = dict.fromkeys(gone)
        saying: dict[str, list[str]] = defaultdict(list)
        for name in gone:
            for record in known[name]:
                saying[marked(record).digest].append(name)
        for file in pages.files if gone else ():
            if file in known:
                continue
            try:
                wanted = self._wanted(self._read(pages, file))
            except UnreadableError:
                continue
            alike = dict.fromkeys(name for one in wanted for name in saying.get(one.digest, ()))
            candidates = islice((name for name in alike if name in left), _LOOKED_AT)
            before = next((one for one in candidates if moved_here(known[one], wanted)), None)
            if before is not None:
                known[file] = known.pop(before)
                del left[before]
        return list(left)

    def _read(self, pages: Pages, file: str) -> Document:
        return read_document(pages.base, file, most=self._largest, now_ns=self._now_ns)

    def _each(self, pages: Pages, gone: Iterable[str]) -> Iterator[tuple[str, list[Wanted] | None]]:
        """Every file with what its entries should become; nothing for one that is left out."""
        for file in gone:
            yield file, []
        for file in pages.files:
            try:
                document = self._read(pages, file)
                if document.note:
                    self._notes.append((file, document.note))
                yield file, self._wanted(document)
            except UnreadableError as error:
                if pages.start is None:
                    raise InvalidInputError(
                        f"`path` cannot be taken in: {error.reason}", remedy=_READABLE
                    ) from None
                self._skipped.append((file, error.reason))
                yield file, None

    def _wanted(self, document: Document) -> list[Wanted]:
        note = read_note(document.text)
        if is_own(note):
            raise UnreadableError(_OWN)
        if basic_memory.subject_of(note.matter, note.title, document.file):
            self._format = basic_memory.NAME
        return wanted_of(note, document.file, self._path.fingerprint)

    def _take(
        self, planner: Planner, file: str, wanted: list[Wanted], known: list[Record]
    ) -> list[Became]:
        """One file; planned anew where somebody else changed its records meanwhile."""
        again = self._options.get("again", False)
        for attempt in range(_TRIES):
            plan = planner.plan(file, wanted, known, again=again)
            if self._options.get("dry_run") or not plan.changes:
                return list(plan.became())
            try:
                name = self._name(file, wanted, known, attempt)
                found = self._commit(file, plan, name)
            except ConflictError:
                found = None
            if found is not None:
                return found
            known = self._known_of(file).get(file, [])
        raise ConflictError(
            f"the records of {file} are changed by others all the time", remedy="Try again later"
        )

    def _name(self, file: str, wanted: list[Wanted], known: list[Record], attempt: int) -> str:
        """What two imports that meet the same file at the same time have in common."""
        seen = sorted([record.id, record.rev] for record in known)
        asked = [[one.line, one.digest, one.place] for one in wanted]
        named = canonical.dumps([self._scope.path, file, seen, asked, attempt])
        return f"import-{self._path.fingerprint(named.encode())}"

    def _commit(self, file: str, plan: FilePlan, name: str) -> list[Became] | None:
        """Carry out a plan; nothing if another import of the same file was faster."""
        receipt = self._path.commit(plan.changes, name)
        if receipt.repeated:
            return None
        self._sealed += len(receipt.sealed)
        self._transactions.append((file, receipt.tx))
        if (tell := self._options.get("on_commit")) is not None:
            tell(receipt.tx)
        return list(plan.became(receipt.outcomes))
