"""What each file was made from, kept beside the files: places in the log, and no content.

A file names its revision. Where the store stood when that was written is kept here, so what the
file said then can be read from history, however long somebody kept it open in an editor.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from lamina.files.folder import Stamp

if TYPE_CHECKING:
    from lamina.files.folder import Folder

_MOST: Final = 4_000_000
_TRAIL: Final = 200
"""How many projections back a file may be that somebody has edited."""
_KNOWN: Final = 10
"""How many of them name their entries, where they have to."""
WAS: Final = ".was"
"""The file that was replaced last: an editor may still be writing to it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One projection."""

    revision: str
    file: str
    """The digest of the whole file."""
    seq: int = 0
    """How far the stream of its scope had come."""
    hash: str = ""
    """What the log had come to there."""
    known: tuple[tuple[str, int, str], ...] = ()
    """Each entry with its revision and a digest, where that cannot be read from history."""


@dataclass(frozen=True, slots=True)
class Bases:
    """The last projections of a file, and what else is known of it."""

    trail: tuple[Mark, ...] = ()
    """Oldest first."""
    was: str = ""
    """The digest of the file that was replaced last."""
    stamp: Stamp | None = None
    """What the file was like when it was written or looked at last."""
    lost: tuple[str, ...] = field(default=())
    """The entries that were asked about: gone from the file, and still in the store."""

    def most(self, usual: int) -> int:
        """How large a file may be that is read: more than usual, where we wrote that much."""
        return max(usual, 2 * self.stamp.size if self.stamp else 0)

    def wrote(self, digest: str) -> bool:
        """Whether a file is as it was projected."""
        return any(mark.file == digest for mark in self.trail)

    def behind(self, digest: str, revision: str | None) -> Mark | None:
        """The projection that a file was made from."""
        for mark in reversed(self.trail):
            if mark.file == digest:
                return mark
        return next((mark for mark in reversed(self.trail) if mark.revision == revision), None)

    def projected(self, mark: Mark, was: str, stamp: Stamp | None) -> Bases:
        """The same with one more projection."""
        earlier = [one for one in self.trail if one != mark][1 - _TRAIL :]
        older = [replace(one, known=()) for one in earlier[:-_KNOWN]]
        trail = (*older, *earlier[-_KNOWN:], mark)
        return replace(self, trail=trail, was=was, stamp=stamp)


def read_bases(folder: Folder, file: str) -> Bases:
    """What is known of a file; nothing, where nothing can be read."""
    found = folder.read(f"{file}.json", _MOST)
    try:
        value = json.loads(found) if found else {}
        return Bases(
            trail=tuple(_mark(*one) for one in value["trail"]),
            was=str(value["was"]),
            stamp=Stamp(*value["stamp"]) if value["stamp"] else None,
            lost=tuple(value["lost"]),
        )
    except (ValueError, TypeError, KeyError):
        # Without a base nothing is forgotten and both sides of a difference are kept.
        return Bases()


def _mark(revision: Any, file: Any, seq: Any, log: Any, known: Any = ()) -> Mark:
    entries = tuple((str(name), int(rev), str(digest)) for name, rev, digest in known)
    return Mark(str(revision), str(file), int(seq), str(log), entries)


def write_bases(folder: Folder, file: str, bases: Bases) -> None:
    """Keep what is known of a file."""
    stamp = bases.stamp
    value: dict[str, Any] = {
        "trail": [
            [one.revision, one.file, one.seq, one.hash, *([one.known] if one.known else ())]
            for one in bases.trail
        ],
        "was": bases.was,
        "stamp": [stamp.inode, stamp.size, stamp.modified] if stamp else None,
        "lost": list(bases.lost),
    }
    folder.replace(f"{file}.json", json.dumps(value).encode())
