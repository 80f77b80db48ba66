"""Following a folder: what changed in its files changes in memory, and nothing else does.

Files are taken in batches, each of them one commit that holds whole files. Every commit also counts
up the record of its root, so that two who index at once notice each other: the later one looks
again at what there is, and goes on. Killed at any point, the next run does what is left to do.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Protocol, TypedDict, Unpack

from lamina import clock
from lamina.core import settings
from lamina.core.access import Reach, check_write
from lamina.core.changes import Change
from lamina.core.principal import Principal, Role, Surface
from lamina.core.scope import Scope
from lamina.errors import ConflictError, ForbiddenError, InvalidInputError
from lamina.results import IndexReport
from lamina.sealing import scrub
from lamina.sources.books import LAYER, Books
from lamina.sources.catalog import Entry, Piece, Wanted, digests_of, file_key, plain_name
from lamina.sources.cutting import CUTTER, cut_text
from lamina.sources.reading import Document, UnreadableError, read_document
from lamina.sources.roots import locate
from lamina.sources.walking import Found, git_root, walk
from lamina.stores.base import Store
from lamina.writing import WritePath

_BATCH_FILES: Final = 64
_BATCH_CHUNKS: Final = 256
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


@dataclass(frozen=True, slots=True)
class _Step:
    """One file as it is to be known from now on; without an entry it is to be forgotten."""

    file: str
    entry: Entry | None
    texts: dict[str, str] = field(default_factory=dict)


class _MovedOnError(Exception):
    """A file is not what the catalog says, and has to come along."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.file = file


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
    largest = int(settings.effective(mem.store.settings())[settings.LARGEST_FILE])
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
        self._now_ns = int(clock.now().timestamp() * 1_000_000_000)
        self._open(books)

    def _open(self, books: Books) -> None:
        """Look at what there is, at first and whenever somebody else has changed it."""
        self._books = books
        known = {label: str(record.data["folder"]) for label, record in books.roots.items()}
        self._root = locate(self._path, known)
        self._catalog = books.catalog(self._root.label)
        self._moved = known.get(self._root.label) not in (None, str(self._root.base))

    def follow(self, tell: Callable[[float], None]) -> IndexReport:
        """Bring the records in line with the files."""
        walked = walk(self._root.base, self._root.start)
        files = [found for found in walked.files if not self._is_own(found.file)]
        self._skipped.update(walked.skipped)
        met = {found.file for found in files}
        batch = list(self._vanished(met, walked.unseen))
        for number, found in enumerate(files):
            step = self._step(found)
            if step is not None:
                batch.append(step)
            if _is_full(batch):
                self._take(batch)
                batch = []
            tell((number + 1) / len(files))
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

    def _is_own(self, file: str) -> bool:
        """Whether this is the store itself, where it is one file, or the key or lock beside it."""
        path = str(self._root.base / file)
        return path == self._books.location or path.startswith(f"{self._books.location}.")

    def _vanished(self, met: set[str], unseen: list[str]) -> Iterator[_Step]:
        for file in sorted(self._catalog.entries):
            hidden = any(file == one or file.startswith(f"{one}/") or not one for one in unseen)
            if self._root.covers(file) and file not in met and not hidden:
                yield _Step(file, None)

    def _step(self, found: Found) -> _Step | None:
        """What is to be done about a file that was met; nothing if it is known as it is."""
        known = self._catalog.entries.get(found.file)
        if known is not None and not self._reread and _looks_the_same(known, found):
            return None
        if found.bytes > self._largest:
            self._skipped[found.file] = f"larger than {self._largest:,} bytes"
            return _Step(found.file, None) if known else None
        return self._read(found.file)

    def _read(self, file: str) -> _Step | None:
        known = self._catalog.entries.get(file)
        try:
            document = self._document(file)
        except UnreadableError as error:
            self._skipped[file] = error.reason
            return _Step(file, None) if known and not error.known_stands else None
        digest = self._books.fingerprint(document.raw)
        same = known is not None and known.digest == digest and known.cutter == CUTTER
        if known is not None and same and not self._reread:
            seen = replace(known, modified_ns=document.modified_ns, settled=document.settled)
            return None if seen == known else _Step(file, seen)
        return self._cut(document, digest)

    def _document(self, file: str) -> Document:
        return read_document(self._root.base, file, most=self._largest, now_ns=self._now_ns)

    def _cut(self, document: Document, digest: str) -> _Step:
        texts: dict[str, str] = {}
        pieces = []
        for chunk in cut_text(document.text, document.language):
            name = plain_name(scrub(chunk.name))
            piece = Piece(
                self._books.fingerprint(chunk.text.encode()), chunk.first, chunk.last, name
            )
            texts[piece.digest] = chunk.text
            pieces.append(piece)
        entry = Entry(
            document.file, document.language, digest, len(document.raw), document.modified_ns,
            document.settled, tuple(pieces), document.note,
        )  # fmt: skip
        return _Step(document.file, entry, texts)

    def _take(self, batch: list[_Step]) -> None:
        """Carry out some steps in one commit; where one is refused, the others without it."""
        for _ in range(_MOST_TRIES):
            try:
                return self._try(batch)
            except ConflictError:
                self._open(self._books.reopened())
                batch = [step for step in batch if not self._is_done(step)]
            except _MovedOnError as error:
                batch = [*batch, self._read(error.file) or _Step(error.file, None)]
            except InvalidInputError as error:
                if len(batch) > 1:
                    for step in batch:
                        self._take([step])
                    return None
                [refused] = batch
                if refused.entry is None:
                    raise
                self._skipped[refused.file] = error.message
                batch = [_Step(refused.file, None)]
        raise ConflictError(
            f"{self._root.label} is indexed by others all the time", remedy="Try again later"
        )

    def _try(self, batch: list[_Step]) -> None:
        known = {step.file: self._catalog.entries.get(step.file) for step in batch}
        entries = (*known.values(), *(step.entry for step in batch))
        digests = {digest for entry in entries for digest in digests_of(entry)}
        before = self._catalog.wanted(digests)
        try:
            for step in batch:
                self._note(step.file, step.entry)
            after = self._catalog.wanted(digests)
            # What somebody forgot or erased by hand stays so while its text does not change.
            new = {key: one for key, one in after.items() if self._reread or before.get(key) != one}
            written = self._written_of(batch, new)
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

    def _note(self, file: str, entry: Entry | None) -> None:
        if entry is None:
            self._catalog.drop(file)
        else:
            self._catalog.put(entry)

    def _written_of(self, batch: list[_Step], wanted: dict[str, Wanted]) -> dict[str, Change]:
        """The chunks that are to be written, by key: those that do not stand there already."""
        texts = {digest: text for step in batch for digest, text in step.texts.items()}
        changes = {}
        for key, one in wanted.items():
            held = self._books.current(key)
            if held is not None and held.data == one.data:
                continue
            text = None
            if held is None or held.data["digest"] != one.digest:
                text = texts[one.digest] if one.digest in texts else self._text_at(one)
            changes[key] = self._books.chunk(self._root.label, one, text)
        return changes

    def _text_at(self, wanted: Wanted) -> str:
        """The text of a chunk whose first place is now in a file that did not change."""
        file = wanted.place.file
        try:
            document = self._document(file)
        except UnreadableError:
            raise _MovedOnError(file) from None
        texts = self._cut(document, "").texts
        if wanted.digest not in texts:
            raise _MovedOnError(file)
        return texts[wanted.digest]

    def _gone_of(self, keys: Iterable[str]) -> list[Change]:
        return [change for change in map(self._books.forget, keys) if change is not None]

    def _filed(self, batch: list[_Step], known: dict[str, Entry | None]) -> list[Change]:
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

    def _is_done(self, step: _Step) -> bool:
        """Whether somebody else has done it meanwhile."""
        known = self._catalog.entries.get(step.file)
        if known is None or step.entry is None:
            return known is step.entry
        return (known.digest, known.cutter) == (step.entry.digest, step.entry.cutter)

    def _count(self, batch: list[_Step], known: dict[str, Entry | None]) -> None:
        for step in batch:
            before = known[step.file]
            if step.entry is None:
                self._removed.update([step.file] if before else [])
            elif before is None or before.pieces != step.entry.pieces:
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


def _is_full(batch: list[_Step]) -> bool:
    chunks = sum(len(step.texts) for step in batch)
    return len(batch) >= _BATCH_FILES or chunks >= _BATCH_CHUNKS
