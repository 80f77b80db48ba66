"""Following the files of a folder: the items of layer `item` are what the files say, and no more.

Files are taken in batches, each of them one commit that holds whole files and counts up the record
of their root, so that two who extract at once notice each other. Killed at any point, the next run
does what is left to do.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, TypedDict, Unpack

from lamina.core.access import check_write
from lamina.core.changes import Change
from lamina.core.principal import Role, Surface
from lamina.core.record import Record
from lamina.core.scope import Scope
from lamina.errors import ConflictError, ForbiddenError, InvalidInputError
from lamina.extraction.entries import Entry, Wanted, entry_key, marks_of, wanted
from lamina.extraction.findings import Finding
from lamina.extraction.mining import RULES, is_read, mine
from lamina.extraction.proposing import Proposer, ProposerError, name_of, proposed
from lamina.extraction.shelf import LAYER, Shelf
from lamina.extraction.steps import Lines, Settling, Step, Tally, as_it_stands, is_full, removed
from lamina.results import ExtractReport
from lamina.sources.books import Books
from lamina.sources.follow import Handle
from lamina.sources.reading import Document, UnreadableError, largest_file, read_document
from lamina.sources.roots import locate
from lamina.sources.steps import in_batches
from lamina.sources.walking import Found, Walk, walk

_MOST_TRIES: Final = 1000
_FILES_SHARE: Final = 0.5
"""Of the work, that which is about files; the rest makes vectors."""


class ExtractOptions(TypedDict, total=False):
    """How items are to be read out of a path."""

    dry_run: bool
    """Only tell what would be done."""
    reread: bool
    """Look again at files that did not change, and bring back what was removed by hand."""
    propose: Proposer | None
    """Somebody to be asked for proposals, such as a language model."""
    vectors: bool
    """Whether to make the vectors at once, as is usual, or leave them to the background."""
    on_progress: Callable[[float], None] | None
    """Told the share of the work that is done."""


def extract(
    mem: Handle, path: str | Path, scope: str, **options: Unpack[ExtractOptions]
) -> ExtractReport:
    """Read items out of the files at or below a path, and let those go that no file says any more.

    Raises:
        InvalidInputError: There is no such path, or an ignore file leaves it out.
        ForbiddenError: The handle is not an admin's, or the scope lies outside its project.
    """
    if mem.principal.role is not Role.ADMIN:
        raise ForbiddenError(
            "only an admin extracts items from files", remedy="Open the store with role admin"
        )
    where = Scope.of(scope)
    check_write(replace(mem.principal, surface=Surface.PIPELINE), where, LAYER)
    tell = options.get("on_progress") or (lambda share: None)
    follower = _Follower(mem, path, where, options)
    if options.get("dry_run") or not options.get("vectors", True):
        return follower.follow(tell)
    report = follower.follow(lambda share: tell(_FILES_SHARE * share))
    problem = mem.catch_up(lambda share: tell(_FILES_SHARE + (1 - _FILES_SHARE) * share))
    tell(1.0)
    return replace(report, degraded=(*report.degraded, *([problem] if problem else ())))


class _Follower:
    """One run over one root."""

    def __init__(
        self, mem: Handle, path: str | Path, scope: Scope, options: ExtractOptions
    ) -> None:
        self._store = mem.store
        self._door = mem.path_for(Surface.PIPELINE)
        self._scope = scope
        self._largest = largest_file(mem.store)
        self._dry_run = options.get("dry_run", False)
        self._reread = options.get("reread", False)
        self._proposer = options.get("propose")
        self._asking = name_of(self._proposer) if self._proposer else ""
        self._tallies: dict[str, Tally] = {}
        self._skipped: dict[str, str] = {}
        self._notes: dict[str, str] = {}
        self._problems: dict[str, None] = {}
        self._sealed = 0
        self._open(Books(self._store, self._door, scope), path)
        self._out_elsewhere: dict[str, dict[str, str]] = {}
        """What was removed by hand from files that are gone, by the digest of the whole file."""

    def _open(self, books: Books, path: str | Path) -> None:
        """Look at what there is, at first and whenever somebody else has changed it."""
        self._path = path
        self._books = books
        known = {label: str(record.data["folder"]) for label, record in books.roots.items()}
        self._root = locate(path, known)
        self._label = self._root.label
        self._shelf = Shelf(self._store, self._door, self._scope, self._label)
        found = (Entry.from_data(one.data) for one in books.extracts(self._label))
        self._entries = {entry.file: entry for entry in found}
        self._moved = known.get(self._label) not in (None, str(self._root.base))

    def follow(self, tell: Callable[[float], None]) -> ExtractReport:
        """Bring the items in line with the files."""
        walked = walk(self._root.base, self._root.start)
        files = [one for one in walked.files if self._is_meant(one)]
        self._skipped.update(walked.skipped)
        begun = list(self._vanished({one.file for one in files}, walked))
        for batch in in_batches(files, begun, self._step, is_full, tell):
            if batch or self._moved:
                self._take(batch)
        self._commit(self._foreign)
        tell(1.0)
        return self._report([one.file for one in files])

    def _is_meant(self, found: Found) -> bool:
        is_store = self._books.is_store(self._root.base / found.file)
        return is_read(found.file) and not is_store

    def _vanished(self, met: set[str], walked: Walk) -> Iterator[Step]:
        for file, entry in sorted(self._entries.items()):
            if self._root.covers(file) and file not in met and not walked.hides(file):
                self._out_elsewhere[entry.digest] = self._removed(entry)
                yield Step(file)

    def _step(self, found: Found) -> Step | None:
        """What is to be done about a file; nothing if it is known as it is."""
        file = found.file
        try:
            document = read_document(self._root.base, file, most=self._largest, now_ns=0)
        except UnreadableError as error:
            self._skipped[file] = error.reason
            return Step(file) if file in self._entries and not error.known_stands else None
        if document.note:
            self._notes[file] = document.note
        digest = self._books.fingerprint(document.raw)
        known = self._entries.get(file)
        is_same = known is not None and (known.digest, known.rules) == (digest, RULES)
        asks = bool(self._asking) and not (known and is_same and known.asked == self._asking)
        if is_same and not asks and not self._reread:
            self._tallies[file] = as_it_stands(self._shelf.by_file.get(file, ()))
            return None
        return self._mined(document, digest, asks=asks)

    def _mined(self, document: Document, digest: str, *, asks: bool) -> Step:
        fingerprint = self._books.fingerprint
        lines = Lines(document.text, fingerprint)
        items = tuple(wanted(mine(document.text, document.language), fingerprint))
        proposals = self._proposed(document, lines) if asks else None
        known = self._entries.get(document.file)
        entry = Entry(document.file, digest, marks_of(items, fingerprint))
        if proposals is not None:
            entry = replace(entry, proposed=marks_of(proposals, fingerprint), asked=self._asking)
        elif known is not None:
            asked = known.asked if known.digest == digest else ""
            entry = replace(entry, proposed=known.proposed, asked=asked)
        return Step(document.file, entry, items, proposals, lines)

    def _proposed(self, document: Document, lines: Lines) -> tuple[Wanted, ...] | None:
        """What is proposed for a file; `None` where the proposer fails."""
        if self._proposer is None:
            return None
        try:
            found = proposed(self._proposer, document.file, document.text, document.language)
        except ProposerError as error:
            self._problems[str(error)] = None
            return None

        def cited(finding: Finding) -> str:
            return lines.marks[finding.line - 1]

        return tuple(wanted(found, self._books.fingerprint, cited))

    def _take(self, batch: list[Step]) -> None:
        """Carry out some steps in one commit; where one is refused, the others without it."""
        try:
            self._commit(lambda: self._settled(batch))
        except InvalidInputError as error:
            if len(batch) > 1:
                for step in batch:
                    self._take([step])
                return
            [refused] = batch
            if refused.entry is None:
                raise
            self._skipped[refused.file] = error.message
            self._take([Step(refused.file)])

    def _settled(self, batch: list[Step]) -> tuple[list[Change], dict[str, Tally]]:
        changes: list[Change] = []
        tallies = {}
        for step in batch:
            settling = Settling(step, self._shelf, self._out(step), self._books.fingerprint)
            tallies[step.file] = settling.settle().tally
            changes += [*settling.changes, *self._filed(step)]
        return changes, tallies

    def _out(self, step: Step) -> dict[str, str]:
        """What somebody has removed of a file, also under the name that it had before."""
        known = self._entries.get(step.file)
        if self._reread or step.entry is None:
            return {}
        return self._removed(known) if known else self._out_elsewhere.get(step.entry.digest, {})

    def _removed(self, entry: Entry) -> dict[str, str]:
        return removed(entry, self._shelf, self._label, self._books.fingerprint)

    def _filed(self, step: Step) -> list[Change]:
        """The record of what is known of the file itself."""
        key = entry_key(self._label, step.file)
        if step.entry is None:
            gone = self._books.forget(key)
            return [] if gone is None else [gone]
        if step.entry == self._entries.get(step.file):
            return []
        return [self._books.extract(self._label, key, step.entry.to_data())]

    def _commit(self, make: Callable[[], tuple[list[Change], dict[str, Tally]]]) -> None:
        """Carry out changes; made anew whenever somebody else has changed something meanwhile."""
        for _ in range(_MOST_TRIES):
            changes, tallies = make()
            try:
                if (changes or self._moved) and not self._dry_run:
                    folder = str(self._root.base)
                    self._sealed += self._books.commit(changes, self._label, folder)
                    self._moved = False
            except ConflictError:
                self._open(self._books.reopened(), self._path)
                continue
            self._tallies.update(tallies)
            return
        raise ConflictError(
            f"{self._label} is extracted by others all the time", remedy="Try again later"
        )

    def _foreign(self) -> tuple[list[Change], dict[str, Tally]]:
        """Items of the same files under other roots, or of roots that there are no more.

        A file belongs to the root by which it was read last, so that nothing is said twice.
        """
        gone = [one for one in self._shelf.foreign() if self._is_taken_over(one)]
        files = {(str(one.data.get("root", "")), str(one.data.get("file", ""))) for one in gone}
        entries = (self._books.forget(entry_key(*one)) for one in sorted(files))
        changes = [self._shelf.expire(one) for one in gone]
        changes += [one for one in entries if one is not None]
        return changes, {"": Tally(expired=len(gone))} if gone else {}

    def _is_taken_over(self, record: Record) -> bool:
        label, file = record.data.get("root"), str(record.data.get("file", ""))
        if label is None:
            # It came with an import, which knows no root: it is of this one if the file is.
            return file in self._tallies
        root = self._books.roots.get(str(label))
        if root is None:
            return True
        meant = self._root.base / self._root.start
        return (Path(root.data["folder"]) / file).is_relative_to(meant)

    def _report(self, met: list[str]) -> ExtractReport:
        tallies = self._tallies.values()
        kinds = sum((one.kinds for one in tallies), start=Tally().kinds)
        return ExtractReport(
            applied=not self._dry_run,
            root=self._label,
            scope=self._scope.path,
            files=sum(file not in self._skipped for file in met),
            added=sum(one.added for one in tallies),
            replaced=sum(one.replaced for one in tallies),
            unchanged=sum(one.unchanged for one in tallies),
            expired=sum(one.expired for one in tallies),
            kept_out=sum(one.kept_out for one in tallies),
            proposed=sum(one.proposed for one in tallies),
            kinds={kind: kinds[kind] for kind in sorted(kinds)},
            skipped=tuple(sorted(self._skipped.items())),
            notes=tuple(sorted(self._notes.items())),
            sealed=self._sealed,
            degraded=tuple(self._problems),
        )
