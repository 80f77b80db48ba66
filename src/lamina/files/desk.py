"""What the synchronisation of every file needs: the store, the folder, and the report."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lamina import clock
from lamina.core import canonical
from lamina.core.principal import Surface
from lamina.core.record import State
from lamina.core.settings import MEMORY_CHARS
from lamina.files.folder import opened
from lamina.files.layout import KEPT
from lamina.files.memory_page import MemoryPage
from lamina.files.reading import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from lamina.core.record import Record
    from lamina.files.folder import Folder
    from lamina.files.taking import Taken
    from lamina.memory import Memory

Ask: TypeAlias = "Callable[[str, Sequence[Record]], bool | None]"
"""Asked about a file that lost much, with what is missing: was it meant? `None`: nobody knows."""
_QUIET_SECONDS: Final = 0.1
_LONGEST_WAIT: Final = 2.0


@dataclass(frozen=True, slots=True)
class Kept:
    """A file that could not be taken over as it was, and where a copy of it lies."""

    file: str
    copy: str
    why: tuple[str, ...]


@dataclass(slots=True)
class SyncReport:
    """What bringing files and store together came to."""

    written: list[str] = field(default_factory=list)
    """Files that were written anew."""
    added: int = 0
    changed: int = 0
    forgotten: int = 0
    """What people added, changed and removed in files, now in the store."""
    clashes: list[str] = field(default_factory=list)
    """Records that people and agents changed at once: both are kept, the agents' as proposals."""
    asides: list[Kept] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    """What stands where it does not belong, and was left alone."""

    @property
    def changes(self) -> int:
        """How many entries people changed."""
        return self.added + self.changed + self.forgotten

    def wrote(self, file: str) -> None:
        """A file was written."""
        if file not in self.written:
            self.written.append(file)

    def took(self, file: str, taken: Taken, kept: Sequence[Record]) -> None:
        """Entries of a file were taken over."""
        self.added += taken.added
        self.changed += taken.changed
        self.forgotten += taken.forgotten
        self.clashes += [record.id for record in taken.clashes]
        self.notices += [
            f"{file}: {record.id} was removed there and changed in the store, so it stays"
            for record in kept
        ]

    def kept(self, file: str, copy: str, why: Sequence[str]) -> None:
        """A copy of a file was put aside."""
        self.asides.append(Kept(file, copy, tuple(why)))


class Desk:
    """Where files and store meet."""

    def __init__(self, mem: Memory, root: Path, ask: Ask | None = None) -> None:
        self.mem = mem
        self.root = root
        self.reader = Reader(mem)
        self.path = mem.path_for(Surface.FILES)
        self.report = SyncReport()
        self.patience = _QUIET_SECONDS
        """How long a file must have been left alone before it is read."""
        self.questions = 0
        """How often something was found that is still asked about."""
        self._ask = ask
        self._page = MemoryPage()

    def state(self) -> tuple[int, ...]:
        """What grows whenever something is done or told."""
        told = self.report
        return (
            len(told.written), told.changes, len(told.asides), len(told.notices), self.questions
        )  # fmt: skip

    def fingerprint(self, text: str) -> str:
        """A digest that tells nothing of the text to who has not the key of the store."""
        return self.path.fingerprint(text.encode())

    def said(self, said: Mapping[str, Any]) -> str:
        """The digest of what an entry says."""
        return self.fingerprint(canonical.dumps(dict(said)))

    def file_digest(self, content: bytes) -> str:
        """The digest of a whole file."""
        return self.path.fingerprint(content)

    def settle(self, file: str, lost: Sequence[Record]) -> bool:
        """Ask about entries that are gone; whether it is known now if that was meant."""
        meant = self._ask(file, lost) if self._ask is not None and lost else None
        if meant:
            self.path.commit([self.path.move(record, State.FORGOTTEN) for record in lost])
            self.report.forgotten += len(lost)
        return meant is not None

    def fitting(self, records: Sequence[Record]) -> list[Record]:
        """As many of the records, weightiest first, as a file may hold."""
        shown, room = [], int(self.mem.settings()[MEMORY_CHARS])
        for record in records:
            room -= self._page.length(record)
            if room < 0:
                break
            shown.append(record)
        return shown

    def quiet(self, here: Folder, name: str, most: int) -> bytes | None:
        """A file that nobody is just writing, as far as its time tells."""
        waited = 0.0
        while self.patience and waited < _LONGEST_WAIT:
            stamp = here.stamp(name)
            age = clock.now().timestamp() - stamp.modified / 1e9 if stamp else self.patience
            if not 0 <= age < self.patience:
                break
            time.sleep(self.patience / 4)
            waited += self.patience / 4
        return here.read(name, most)

    def keep_aside(self, path: str, content: bytes, why: Sequence[str]) -> None:
        """Put a copy of a file where people find it."""
        where, name = _aside(path)
        with opened(self.root, where, make=True) as folder:
            folder.replace(name, content)
        self.report.kept(path, f"{where}/{name}", why)

    def move_aside(self, path: str, there: Folder, name: str) -> None:
        """Put a file that is too large to be looked at where people find it."""
        where, fresh = _aside(path)
        with opened(self.root, where, make=True) as folder:
            there.rename(name, fresh, to=folder)
            folder.sync()
        self.report.kept(path, f"{where}/{fresh}", ["it is far too long"])


def _aside(path: str) -> tuple[str, str]:
    """The folder and the name for a file that is kept aside."""
    where = PurePosixPath(KEPT, path)
    stamp = clock.now().strftime("%Y%m%d-%H%M%S-%f")
    return str(where.parent), f"{where.stem}.{stamp}{where.suffix}"
