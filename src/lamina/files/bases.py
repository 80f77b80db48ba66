"""What each file was made from, kept beside the files: digests and revisions, no content."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from lamina.files.folder import Stamp
from lamina.files.merging import Base, Known

if TYPE_CHECKING:
    from lamina.files.folder import Folder

_MOST: Final = 64_000_000
WAS: Final = ".was"
"""The file that was replaced last: an editor may still be writing to it."""


@dataclass(frozen=True, slots=True)
class Bases:
    """The last two projections of a file: which of them it shows, it says itself."""

    newest: Base | None = None
    earlier: Base | None = None
    was: str = ""
    """The digest of the file that was replaced last."""
    stamp: Stamp | None = None
    """What the file was like when it was looked at last."""
    kept: str = ""
    """The digest of what was kept aside last."""
    lost: tuple[str, ...] = field(default=())
    """The entries that were asked about: gone from the file, and still in the store."""

    def behind(self, digest: str, revision: str | None) -> Base | None:
        """The base of a file as it is now; in doubt the earlier one, which forgets less."""
        known = [base for base in (self.newest, self.earlier) if base is not None]
        for base in known:
            if base.file == digest:
                return base
        for base in known:
            if base.revision == revision:
                return base
        return known[-1] if known else None

    def projected(self, base: Base, over: Base | None, was: str) -> Bases:
        """The same, about to be projected anew over a file that was made from another base."""
        return replace(self, newest=base, earlier=over, was=was, stamp=None)


def read_bases(folder: Folder, file: str) -> Bases:
    """What is known of a file; nothing, where nothing can be read."""
    found = folder.read(f"{file}.json", _MOST)
    try:
        value = json.loads(found) if found else {}
        return Bases(
            newest=_base(value.get("newest")),
            earlier=_base(value.get("earlier")),
            was=str(value.get("was", "")),
            stamp=Stamp(*value["stamp"]) if value.get("stamp") else None,
            kept=str(value.get("kept", "")),
            lost=tuple(value.get("lost", ())),
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        # Without a base nothing is forgotten and both sides of a difference are kept.
        return Bases()


def write_bases(folder: Folder, file: str, bases: Bases) -> None:
    """Keep what is known of a file."""
    stamp = bases.stamp
    value = {
        "newest": _plain(bases.newest), "earlier": _plain(bases.earlier), "was": bases.was,
        "stamp": [stamp.inode, stamp.size, stamp.modified] if stamp else None,
        "kept": bases.kept, "lost": list(bases.lost),
    }  # fmt: skip
    folder.replace(f"{file}.json", json.dumps(value).encode())


def _base(value: Any) -> Base | None:
    if not value:
        return None
    entries = {name: Known(int(rev), str(digest)) for name, (rev, digest) in value["entries"]}
    return Base(str(value["revision"]), str(value["file"]), entries)


def _plain(base: Base | None) -> dict[str, Any] | None:
    if base is None:
        return None
    entries = [[name, [known.rev, known.digest]] for name, known in base.entries.items()]
    return {"revision": base.revision, "file": base.file, "entries": entries}
