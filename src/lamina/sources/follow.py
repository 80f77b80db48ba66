"""Following a folder: what changed in its files changes in memory, and nothing else does.

Files are taken in batches, each of them one commit that holds whole files. Every commit also counts
up the record of its root, so that two who index at once notice each other: the later one looks
again at what there is, and goes on. Killed at any point, the next run does what is left to do.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol, TypedDict, Unpack

from lamina import clock
from lamina.core.access import Reach, check_write
from lamina.core.changes import Change
from lamina.core.principal import Principal, Role, Surface
from lamina.core.scope import Scope
from lamina.errors import ConflictError, ForbiddenError, InvalidInputError
from lamina.results import IndexReport
from lamina.sealing import scrub
from lamina.sources.books import LAYER, Books
from lamina.sources.catalog import Entry, Piece, Wanted, digests_of, file_key, mark_of, plain_name
from lamina.sources.cutting import CUTTER, cut_text
from lamina.sources.reading import Document, UnreadableError, largest_file, read_document
from lamina.sources.roots import locate
from lamina.sources.steps import MovedOnError, Step, in_batches, is_full, pieces_of
from lamina.sources.walking import Found, Walk, git_root, walk
from lamina.stores.base import Store
from lamina.writing import WritePath

_MOST_TRIES: Final = 1000
_FILES_SHARE: Final = 0.2
"""Of the work of indexing, that which is about files; the rest makes vectors."""


class Handle(Protocol):
    """What indexing needs of a memory handle."""

    store: Store
    principal: Principal
    scope: Scope
    reach: Reach

    def path_for(self, surface: Surface) -> WritePath:
        """The write path through another door."""

    def catch_up(self, on_progress: Callable[[float], None] | None = None) -> str | None:
        """Make the vectors that wait; what kept it from doing so, if anything did."""


class IndexOptions(TypedDict, total=False):
    """How a path is to be indexed."""

    scope: str | None
    """Where its chunks belong, unless that is the scope of the handle."""
    dry_run: bool
    """Only tell what would be done."""
    reread: bool
    """Read every file again, also those that look unchanged, and mend what was lost."""
    vectors: bool
    """Whether to make the vectors at once, as is usual, or leave them to the background."""
    on_progress: Callable[[float], None] | None
    """Told the share of the work that is done."""


def index(mem: Handle, path: str | Path, **options: Unpack[IndexOptions]) -> IndexReport:
    """Take the files at or below a path into layer `source`, and let those go that are gone.

    Raises:
        InvalidInputError: There is no such path, or an ignore file leaves it out.
        ForbiddenError: The handle is not an admin's, or the scope lies outside its project.
    """
    if mem.principal.role is not Role.ADMIN:
        raise ForbiddenError("only an admin indexes files", remedy="Open the store with role admin")
    scope = options.get("scope")
    where = Scope.of(mem.scope if scope is None else scope)
    check_write(replace(mem.principal, surface=Surface.PIPELINE), where, LAYER)
    books = Books(mem.store, mem.path_for(Surface.PIPELINE), where)
    largest = largest_file(mem.store)
    tell = options.get("on_progress") or (lambda share: None)
    follower = _Follower(books, path, largest, options)
    if options.get("dry_run") or not options.get("vectors", True):
        return follower.follow(tell)
    report = follower.follow(lambda share: tell(_FILES_SHARE * share))
    problem = mem.catch_up(lambda share: tell(_FILES_SHARE + (1 - _FILES_SHARE) * share))
    tell(1.0)
    return replace(report, degraded=(problem,) if problem else ())


class _Follower:
    """One run over one root."""

    def __init__(self, books: Books, path: str | Path, largest: int, options: IndexOptions) -> None:
        self._path = path
        self._largest = largest
        self._dry_run = options.get("dry_run", False)
        self._reread = options.get("reread", False)
        self._indexed: set[str] = set()
        self._removed: set[str] = set()
        self._written: set[str] = set()
        self._forgotten: set[str] = set()
        self._skipped: dict[str, str] = {}
        self._sealed = 0
        self._names: dict[str, str] = {}
        self._now_ns = int(clock.now().timestamp() * 1_000_000_000)
        self._open(books)

    def _open(self, books: Books) -> None:
        """Look at what there is, at first and whenever somebody else has changed it."""
        self._books = books
        known = {label: str(record.data["folder"]) for label, record in books.roots.items()}
        self._root = locate(self._path, known)
        self._catalog = books.catalog(self._root.label, self._names)
        self._moved = known.get(self._root.label) not in (None, str(self._root.base))

    def follow(self, tell: Callable[[float], None]) -> IndexReport:
        """Bring the records in line with the files."""
        walked = walk(self._root.base, self._root.start)
        base = self._root.base
        files = [one for one in walked.files if not self._books.is_store(base / one.file)]
        self._skipped.update(walked.skipped)
        met = {found.file for found in files}
        begun = list(self._vanished(met, walked))
        for batch in in_batches(files, begun, self._step, is_full, tell):
            if batch or self._moved:
                self._take(batch)
        self._absorb()
        tell(1.0)
        return self._report(len(files))

    def _absorb(self) -> None:
        """Let go of folders inside this one that were indexed by themselves before it was."""
        for label, record in self._books.roots.items():
            base = Path(record.data["folder"])
            if label == self._root.label or git_root(base) == base:
                continue
            if base.is_relative_to(self._root.base / self._root.start) and not self._dry_run:
                self._books.dismiss(label)

    def _vanished(self, met: set[str], walked: Walk) -> Iterator[Step]:
        for file in sorted(self._catalog.entries):
            if self._root.covers(file) and file not in met and not walked.hides(file):
                yield Step(file, None)

    def _step(self, found: Found) -> Step | None:
        """What is to be done about a file that was met; nothing if it is known as it is."""
        known = self._catalog.entries.get(found.file)
        if known is not None and not self._reread and _looks_the_same(known, found):
            return None
        if found.bytes > self._largest:
            self._skipped[found.file] = f"larger than {self._largest:,} bytes"
            return Step(found.file, None) if known else None
        return self._read(found.file)

    def _read(self, file: str) -> Step | None:
        known = self._catalog.entries.get(file)
        try:
            document = self._document(file)
        except UnreadableError as error:
            self._skipped[file] = error.reason
            return Step(file, None) if known and not error.known_stands else None
        digest = self._books.fingerprint(document.raw)
        same = known is not None and known.digest == digest and known.cutter == CUTTER
        if known is not None and same and not self._reread:
            seen = replace(known, modified_ns=document.modified_ns, settled=document.settled)
            return None if seen == known else Step(file, seen)
        return self._cut(document, digest)

    def _document(self, file: str) -> Document:
        return read_document(self._root.base, file, most=self._largest, now_ns=self._now_ns)

    def _cut(self, document: Document, digest: str) -> Step:
        texts: dict[str, str] = {}
        pieces = []
        for chunk in cut_text(document.text, document.language):
            mark = self._learn(plain_name(scrub(chunk.name)))
            text_digest = self._books.fingerprint(chunk.text.encode())
            texts[text_digest] = chunk.text
            pieces.append(Piece(text_digest, chunk.first, chunk.last, mark))
        entry = Entry(
            document.file, document.language, digest, len(document.raw), document.modified_ns,
            document.settled, tuple(pieces), document.note,
        )  # fmt: skip
        return Step(document.file, entry, texts)

    def _learn(self, name: str) -> str:
        """The mark of a name, which the catalog can read from now on."""
        mark = mark_of(name, self._books.fingerprint)
        self._names[mark] = name
        return mark

    def _take(self, batch: list[Step]) -> None:
        """Carry out some steps in one commit; where one is refused, the others without it."""
        for _ in range(_MOST_TRIES):
            try:
                return self._try(batch)
            except ConflictError:
                self._open(self._books.reopened())
                batch = [step for step in batch if not self._is_done(step)]
            except MovedOnError as error:
                batch = [*batch, self._read(error.file) or Step(error.file, None)]
            except InvalidInputError as error:
                if len(batch) > 1:
                    for step in batch:
                        self._take([step])
                    return None
                [refused] = batch
                if refused.entry is None:
                    raise
                self._skipped[refused.file] = error.message
                batch = [Step(refused.file, None)]
        raise ConflictError(
            f"{self._root.label} is indexed by others all the time", remedy="Try again later"
        )

    def _try(self, batch: list[Step]) -> None:
        known = {step.file: self._catalog.entries.get(step.file) for step in batch}
        digests = self._digests(batch, known)
        before = self._wanted(digests)
        try:
            for step in batch:
                self._note(step.file, step.entry)
            new = self._new(before, self._wanted(digests))
            self._read_names(new)
            after = self._catalog.wanted(digests)
            written = self._written_of(batch, [one for one in after.values() if one.digest in new])
            gone = sorted(before.keys() - after.keys())
            self._commit([*written.values(), *self._gone_of(gone), *self._filed(batch, known)])
        except BaseException:
            # Nothing of it was kept, so nothing of it is known.
            for file, entry in known.items():
                self._note(file, entry)
            raise
        self._written.update(after[key].digest for key in written)
        self._forgotten.update(gone)
        self._count(batch, known)

    def _digests(self, batch: list[Step], known: dict[str, Entry | None]) -> set[str]:
        """The texts of which something may have changed."""
        changed = [(known[step.file], step.entry) for step in batch]
        if not self._reread:
            changed = [(old, new) for old, new in changed if pieces_of(old) != pieces_of(new)]
        return {piece.digest for pair in changed for entry in pair for piece in pieces_of(entry)}

    def _wanted(self, digests: set[str]) -> dict[str, Wanted]:
        """The chunks that these texts should have; the chunks that there are tell their names."""
        unnamed = self._catalog.unnamed(digests)
        for name in self._books.names(self._root.label, unnamed) if unnamed else ():
            self._learn(name)
        return self._catalog.wanted(digests)

    def _new(self, before: dict[str, Wanted], after: dict[str, Wanted]) -> set[str]:
        """The texts that have to be written: none that somebody forgot or erased by hand."""
        if self._reread:
            return {one.digest for one in after.values()}
        stood = {one.digest: key for key, one in before.items()}
        changed = (one.digest for key, one in after.items() if before.get(key) != one)
        return {
            digest
            for digest in changed
            if digest not in stood or self._books.current(stood[digest])
        }

    def _read_names(self, digests: set[str]) -> None:
        """Learn the names that no chunk tells from the files that they stand in."""
        unnamed = self._catalog.unnamed(digests)
        for file in sorted({file for files in unnamed.values() for file in files}):
            try:
                self._cut(self._document(file), "")
            except UnreadableError:
                raise MovedOnError(file) from None
            if any(file in files for files in self._catalog.unnamed(digests).values()):
                raise MovedOnError(file)

    def _note(self, file: str, entry: Entry | None) -> None:
        if entry is None:
            self._catalog.drop(file)
        else:
            self._catalog.put(entry)

    def _written_of(self, batch: list[Step], wanted: list[Wanted]) -> dict[str, Change]:
        """The chunks that are to be written, by key: those that do not stand there already."""
        texts = {digest: text for step in batch for digest, text in step.texts.items()}
        changes = {}
        for one in wanted:
            held = self._books.current(one.key)
            if held is not None and held.data == one.data:
                continue
            text = None
            if held is None or held.data["digest"] != one.digest:
                text = texts[one.digest] if one.digest in texts else self._text_at(one)
            changes[one.key] = self._books.chunk(self._root.label, one, text)
        return changes

    def _text_at(self, wanted: Wanted) -> str:
        """The text of a chunk whose first place is now in a file that did not change."""
        file = wanted.place.file
        try:
            document = self._document(file)
        except UnreadableError:
            raise MovedOnError(file) from None
        texts = self._cut(document, "").texts
        if wanted.digest not in texts:
            raise MovedOnError(file)
        return texts[wanted.digest]

    def _gone_of(self, keys: Iterable[str]) -> list[Change]:
        return [change for change in map(self._books.forget, keys) if change is not None]

    def _filed(self, batch: list[Step], known: dict[str, Entry | None]) -> list[Change]:
        """The records of the files themselves."""
        label = self._root.label
        changed = [step for step in batch if step.entry != known[step.file]]
        kept = [self._books.file(label, step.entry) for step in changed if step.entry is not None]
        gone = [file_key(label, step.file) for step in changed if step.entry is None]
        return [*kept, *self._gone_of(gone)]

    def _commit(self, changes: list[Change]) -> None:
        if (changes or self._moved) and not self._dry_run:
            self._sealed += self._books.commit(changes, self._root.label, str(self._root.base))
            self._moved = False

    def _is_done(self, step: Step) -> bool:
        """Whether somebody else has done it meanwhile."""
        known = self._catalog.entries.get(step.file)
        if known is None or step.entry is None:
            return known is step.entry
        return (known.digest, known.cutter) == (step.entry.digest, step.entry.cutter)

    def _count(self, batch: list[Step], known: dict[str, Entry | None]) -> None:
        for step in batch:
            before = known[step.file]
            if step.entry is None:
                self._removed.update([step.file] if before else [])
            elif before is None or pieces_of(before) != pieces_of(step.entry):
                self._indexed.add(step.file)

    def _report(self, met: int) -> IndexReport:
        entries = [e for e in self._catalog.entries.values() if self._root.covers(e.file)]
        digests = {digest for entry in entries for digest in digests_of(entry)}
        files = {entry.file for entry in entries}
        return IndexReport(
            applied=not self._dry_run,
            root=self._root.label,
            files=met,
            indexed=len(self._indexed & files),
            unchanged=len(files - self._indexed),
            removed=len(self._removed - files),
            chunks_written=len(self._written & digests),
            chunks_unchanged=len(digests - self._written),
            chunks_removed=len(self._forgotten),
            bytes=sum(entry.bytes for entry in entries),
            skipped=tuple(sorted(self._skipped.items())),
            notes=tuple(sorted((entry.file, entry.note) for entry in entries if entry.note)),
            scope=self._books.scope,
            sealed=self._sealed,
        )


def _looks_the_same(known: Entry, found: Found) -> bool:
    stamp = (known.bytes, known.modified_ns, known.cutter)
    return known.settled and stamp == (found.bytes, found.modified_ns, CUTTER)
