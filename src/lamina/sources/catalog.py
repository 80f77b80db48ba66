"""What is known of the files under one root, and which chunks follow from it. Pure.

The chunk records of a root are a function of its file entries alone: every text is kept once, under
the key of its first place, and names the other places where it stands. Whoever indexes, and in
however many steps, ends with the same records.

Entries hold nothing of what a chunk says, so that nothing of it stays when the chunk is erased: a
name stands in them as its mark, and the names themselves are told to the catalog.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any, Final

from lamina.core.names import MAX_KEY
from lamina.sources.cutting import CUTTER

_MOST_PLACES: Final = 100
"""How many of its places a chunk names; a licence stands in thousands of files."""
_LONGEST_FILE: Final = 280
_LONGEST_NAME: Final = 160
_INVISIBLE: Final = "\u115f\u1160\u3164\uffa0\u2800"
_QUOTED: Final = "%#"
_MARK: Final = re.compile("#[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Piece:
    """One chunk in the entry of its file: the digest of its text, its lines, its name's mark."""

    digest: str
    first: int
    last: int
    mark: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of one file."""

    file: str
    language: str
    digest: str
    bytes: int
    modified_ns: int
    settled: bool
    pieces: tuple[Piece, ...]
    note: str = ""
    cutter: int = CUTTER

    def to_data(self) -> dict[str, Any]:
        """The entry as a record's data."""
        pieces = [[one.digest, one.first, one.last, one.mark] for one in self.pieces]
        return {
            "file": self.file, "language": self.language, "digest": self.digest,
            "bytes": self.bytes, "modified_ns": self.modified_ns, "settled": self.settled,
            "note": self.note, "cutter": self.cutter, "chunks": pieces,
        }  # fmt: skip

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "Entry":
        """Read what `to_data` wrote."""
        known = {name: data[name] for name in cls.__slots__ if name != "pieces"}
        return cls(**known, pieces=tuple(Piece(*piece) for piece in data["chunks"]))


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a text stands: its file and lines, and which of that name it is there."""

    file: str
    first: int
    last: int
    mark: str
    number: int
    language: str

    def to_data(self, name: str) -> dict[str, Any]:
        """The place as data of a record."""
        return {"file": self.file, "lines": [self.first, self.last], "name": name}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A chunk record as it should be, but for its text."""

    key: str
    digest: str
    place: Place
    data: dict[str, Any]


class Catalog:
    """The files of one root by path, and where each text stands."""

    def __init__(self, label: str, names: Mapping[str, str], entries: Iterable[Entry] = ()) -> None:
        self.label = label
        self._names = names
        self.entries: dict[str, Entry] = {}
        self._places: dict[str, set[Place]] = {}
        for entry in entries:
            self.put(entry)

    def put(self, entry: Entry) -> None:
        """Take in what is now known of a file."""
        self.drop(entry.file)
        self.entries[entry.file] = entry
        for digest, place in _places(entry):
            self._places.setdefault(digest, set()).add(place)

    def drop(self, file: str) -> None:
        """Forget a file."""
        entry = self.entries.pop(file, None)
        for digest, place in _places(entry) if entry else ():
            self._places[digest].discard(place)

    def wanted(self, digests: Iterable[str]) -> dict[str, Wanted]:
        """The records that these texts should have, by key; none for a text that stands nowhere."""
        found = (self._wanted(digest) for digest in digests)
        return {one.key: one for one in found if one is not None}

    def unnamed(self, digests: Iterable[str]) -> dict[str, set[str]]:
        """The files in which these texts have a name that nobody has told, by text."""
        found = {digest: self._unnamed(digest) for digest in digests}
        return {digest: files for digest, files in found.items() if files}

    def _unnamed(self, digest: str) -> set[str]:
        places = self._shown(digest)
        return {one.file for one in places if is_mark(one.mark) and one.mark not in self._names}

    def _shown(self, digest: str) -> list[Place]:
        return nsmallest(_MOST_PLACES, self._places.get(digest, ()))

    def _wanted(self, digest: str) -> Wanted | None:
        shown = self._shown(digest)
        if not shown:
            return None
        first, *others = shown
        data = {"root": self.label, **self._told(first), "language": first.language}
        data |= {"digest": digest, "places": len(self._places[digest])}
        if others:
            data["also"] = [self._told(place) for place in others]
        return Wanted(chunk_key(self.label, first, self._name(first)), digest, first, data)

    def _told(self, place: Place) -> dict[str, Any]:
        return place.to_data(self._name(place))

    def _name(self, place: Place) -> str:
        return self._names.get(place.mark, place.mark)


def digests_of(entry: Entry | None) -> set[str]:
    """The texts that stand in a file."""
    return {piece.digest for piece in entry.pieces} if entry else set()


def file_key(label: str, file: str) -> str:
    """The key of a file's own record."""
    return f"{label}/{_quoted(file)}"


def chunk_key(label: str, place: Place, name: str) -> str:
    """The key of the chunk that stands first at a place of that name."""
    key = f"{file_key(label, place.file)}#{name}~{place.number}"
    return key if len(key) <= MAX_KEY else f"{key[: MAX_KEY - 20]}~{_short(key)}"


def mark_of(name: str, fingerprint: Callable[[bytes], str]) -> str:
    """What stands for a name in entries; no name needs none."""
    return f"#{fingerprint(name.encode())}" if name else ""


def is_mark(mark: str) -> bool:
    """Whether this stands for a name, and is not one that an older entry spells out."""
    return _MARK.fullmatch(mark) is not None


def plain_name(name: str) -> str:
    """A name fit for a key: on one line, nothing invisible, not endless."""
    shown = " ".join(unicodedata.normalize("NFC", name).split())
    kept = "".join(c for c in shown if c.isprintable() and c not in _INVISIBLE)
    return kept[:_LONGEST_NAME].strip()


def _places(entry: Entry) -> Iterator[tuple[str, Place]]:
    seen: dict[str, int] = {}
    for piece in entry.pieces:
        number = seen[piece.mark] = seen.get(piece.mark, 0) + 1
        place = Place(entry.file, piece.first, piece.last, piece.mark, number, entry.language)
        yield piece.digest, place


def _quoted(file: str) -> str:
    """A path as part of a key: two paths never look alike, and `#` only ends one."""
    composed = unicodedata.is_normalized("NFC", file)

    def stands(character: str) -> bool:
        plain = character.isprintable() and character not in _QUOTED + _INVISIBLE
        return plain and (composed or character.isascii())

    quoted = "".join(c if stands(c) else "".join(f"%{b:02X}" for b in c.encode()) for c in file)
    if quoted.endswith(" "):
        quoted = f"{quoted[:-1]}%20"
    return quoted if len(quoted) <= _LONGEST_FILE else f"{quoted[:_LONGEST_FILE]}~{_short(file)}"


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
