"""What an import of Markdown came to."""

from dataclasses import dataclass
from enum import StrEnum

from lamina.core.ids import RecordId


class Fate(StrEnum):
    """What became of one entry, or of one record whose entry is gone."""

    ADDED = "added"
    REVISED = "revised"
    UNCHANGED = "unchanged"
    FORGOTTEN = "forgotten"
    """Its entry is no longer in the file."""
    PROPOSED = "proposed"
    """Another record holds its key and says something else: kept for review."""
    CONFLICT = "conflict"
    """Changed in the file and in memory: what is in memory stays."""
    KEPT = "kept"
    """Gone from the file, and changed in memory since: what is in memory stays."""
    HIDDEN = "hidden"
    """In the file, and forgotten in memory by hand: it stays so."""
    ERASED = "erased"
    """Erased here: it stays so."""
    LEFT = "left"
    """Nothing to be kept, with a reason."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Became:
    """One entry of a file and what became of it."""

    fate: Fate
    file: str
    line: int
    kind: str
    key: str | None
    text: str
    """What the file says, without secrets; for what is gone from it, what memory says."""
    id: RecordId | None = None
    """The record; none for what is not written yet."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class NotesReport:
    """What became of the entries of some files, or after a dry run would."""

    applied: bool
    scope: str
    files: int = 0
    """Files that were read, and files that are gone since an earlier import."""
    entries: tuple[Became, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    """Files that were left out, each with the reason."""
    notes: tuple[tuple[str, str], ...] = ()
    """Files that were taken in with a reservation."""
    sealed: int = 0
    """Secrets that were found in what was written, and sealed."""
    transactions: tuple[tuple[str, RecordId], ...] = ()
    """What `undo` takes to take a file back, for each file that changed something."""
    format: str = "markdown"
    """What the notes are: Markdown, or where one of them is of Basic Memory, that."""

    def count(self, fate: Fate) -> int:
        """How many entries came to this."""
        return sum(one.fate is fate for one in self.entries)
