"""The files of derived indexes beside the database: which there are, and which still fit it.

They are caches. Each one says which store and stream it was made from, by what means and up to
which event; one that does not fit is passed over, and a damaged one removed. One from before an
erase may hold what is gone, and goes with it.
"""

import contextlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

from lamina.clock import stopwatch
from lamina.errors import IndexDamagedError, StoreError
from lamina.indexes import tables
from lamina.indexes.base import Kept
from lamina.indexes.file import Header
from lamina.stores.sql.driver import one
from lamina.stores.sqlite import INDEXES
from lamina.stores.sqlite.driver import Connection

_SUFFIX: Final = ".segment"
_NUMBER: Final = r"\d{1,18}"
"""Such as SQLite has: what goes beyond names no stream and no event."""
_NAME: Final = re.compile(
    rf"([a-z]+\d*)-({_NUMBER})-{_NUMBER}-{_NUMBER}-({_NUMBER})\.segment", re.ASCII
)
"""Kind, stream, from, to, and the last event that it knows of."""
_UNFINISHED: Final = re.compile(rf"\.{_NAME.pattern}\.[0-9a-f]+")
_HASH: Final = 12
_TRIES: Final = 3
_READ_WHOLE: Final = 32 << 20
"""Bytes up to which a file is read and compared with its checksums before it is used."""
_PROBATION_SECONDS: Final = 30.0
"""How long a process uses a larger one before it reads it: one that ends sooner does without."""
_ERASED: Final = "select 1 from event where sid = ? and seq > ? and action = 'erased' limit 1"


class Segment(Protocol):
    """What the shelf has to know of a segment."""

    @property
    def file(self) -> Kept:
        """Where it is kept."""

    @property
    def header(self) -> Header:
        """What it covers."""

    def __len__(self) -> int:
        """How many entries it has."""


S = TypeVar("S", bound=Segment)


@dataclass(frozen=True, slots=True)
class Shelf(Generic[S]):
    """The files of one kind in a store's directory."""

    folder: Path
    kind: str
    open: Callable[[Path], S]
    _since: dict[str, float] = field(default_factory=dict)
    """When files that were not read whole were first used here."""
    _proven: set[str] = field(default_factory=set)

    def path(self, header: Header) -> Path:
        """Where a segment belongs; two of the same name hold the same."""
        place = self.folder / INDEXES
        if place.is_symlink():
            # An erase would not look where it points.
            raise StoreError(f"{place} is a symbolic link", remedy="Remove it")
        place.mkdir(mode=0o700, exist_ok=True)
        return place / self._name(header)

    def chain(self, connection: Connection, stream: int, made_by: str, last: int) -> list[S]:
        """Segments that follow on one another from the beginning, as far as they go.

        What reaches beyond `last` is of a later time than the one that the connection sees.
        """
        found = [
            segment
            for segment in self._opened(stream)
            if segment.header.stream == stream
            and segment.header.hi <= last
            and fits(connection, segment.header, made_by)
        ]
        chain: list[S] = []
        reached = 0
        while follow := [one for one in found if one.header.lo == reached < one.header.hi]:
            chain.append(max(follow, key=lambda one: one.header.hi))
            reached = chain[-1].header.hi
        return chain

    def is_to_be_proven(self, segment: S) -> bool:
        """Whether it has been in use for a while, and nobody has compared it with its checksums."""
        name = segment.file.path.name
        if name in self._proven or name not in self._since:
            return False
        return stopwatch() - self._since[name] >= _PROBATION_SECONDS

    def prove(self, segment: S) -> None:
        """Compare it with its checksums, once in this process.

        Raises:
            IndexDamagedError: It was altered.
        """
        name = segment.file.path.name
        if name in self._since and name not in self._proven:
            segment.file.verify()
            self._proven.add(name)

    def keep_only(self, stream: int, headers: Iterable[Header]) -> None:
        """Remove the files of a stream that nothing needs any more."""
        wanted = {self._name(header) for header in headers}
        for path, _, number, _ in named(self.folder, [self.kind]):
            if number == stream and path.name not in wanted:
                tables.remove(path)

    def clear(self) -> None:
        """Remove all files, as far as that can be done."""
        clear(self.folder, [self.kind])

    def damaged(self) -> list[str]:
        """What is wrong with the files, each read whole."""
        found = []
        try:
            paths = [path for path, *_ in named(self.folder, [self.kind])]
        except OSError as error:
            return [f"the folder of the index files cannot be read: {error.strerror}"]
        for path in paths:
            try:
                self.open(path).file.verify()
            except IndexDamagedError as error:
                found.append(error.message)
            except FileNotFoundError:
                continue
            except OSError as error:
                found.append(f"the index file {path.name} cannot be read: {error.strerror}")
        return found

    def _opened(self, stream: int) -> list[S]:
        for _ in range(_TRIES):
            paths = [path for path, _, number, _ in named(self.folder, [self.kind])
                     if number == stream]  # fmt: skip
            try:
                return [segment for path in paths if (segment := self._sound(path)) is not None]
            except FileNotFoundError:
                # Somebody made a better one of it just now.
                continue
        return []

    def _sound(self, path: Path) -> S | None:
        try:
            segment = self.open(path)
            if segment.file.size <= _READ_WHOLE:
                segment.file.verify()
            else:
                self._since.setdefault(path.name, stopwatch())
        except IndexDamagedError:
            with contextlib.suppress(OSError):
                tables.remove(path)
            return None
        except FileNotFoundError:
            raise
        except OSError:
            return None
        return segment

    def _name(self, header: Header) -> str:
        covers = f"{header.stream}-{header.lo}-{header.hi}-{reaches(header)}"
        return f"{self.kind}-{covers}{_SUFFIX}"


def named(
    folder: Path, kinds: Collection[str] | None = None
) -> Iterator[tuple[Path, str, int, int]]:
    """The files that have a segment's name: each with its kind, its stream and its last event."""
    for path in _files(folder):
        match = _NAME.fullmatch(path.name)
        if match and (kinds is None or match[1] in kinds):
            yield path, match[1], int(match[2]), int(match[3])


def clear(folder: Path, kinds: Collection[str] | None = None) -> None:
    """Remove all files, or those of some kinds, as far as that can be done."""
    with contextlib.suppress(OSError):
        for path, *_ in named(folder, kinds):
            with contextlib.suppress(OSError):
                tables.remove(path)


def sweep(connection: Connection, folder: Path, kinds: Collection[str]) -> list[str]:
    """Remove what was left unfinished, is of no kind any more, or may hold what was erased.

    Only for who holds the duty of folding: nobody else's file is unfinished then. Returns the names
    of those that could not be removed.
    """
    doomed = [path for path in _files(folder) if _UNFINISHED.fullmatch(path.name)]
    doomed += [
        path
        for path, kind, stream, seq in named(folder)
        if kind not in kinds or is_unclean(connection, stream, seq)
    ]
    # A table counts from the moment on that a file vouches for it.
    doomed += [path for path in _table_files(folder) if not path.exists()]
    left = []
    for path in doomed:
        try:
            tables.remove(path)
        except OSError:
            left.append(path.name)
    return left


def fits(connection: Connection, header: Header, made_by: str) -> bool:
    """Whether a segment belongs to the history that this store has, and holds nothing erased."""
    try:
        seq = reaches(header)
    except (ValueError, IndexError):
        return False
    mine = (identity(connection), epoch(connection, header.stream, seq, made_by))
    return (header.store, header.epoch) == mine and not is_unclean(connection, header.stream, seq)


def identity(connection: Connection) -> str:
    """What tells this store from others."""
    return str(one(connection, "select value from setting where name = 'identity'"))


def epoch(connection: Connection, stream: int, seq: int, made_by: str) -> str:
    """By what means a segment was made, and the link of the log that it reaches to."""
    digest = one(connection, "select hash from event where sid = ? and seq = ?", (stream, seq))
    return f"{made_by} {seq} {'-' if digest is None else digest.hex()[:_HASH]}"


def reaches(header: Header) -> int:
    """The last event that a segment knows of."""
    return int(header.epoch.rsplit(" ", 2)[1])


def is_unclean(connection: Connection, stream: int, seq: int) -> bool:
    """Whether anything was erased behind a place in the log."""
    return bool(one(connection, _ERASED, (stream, seq)))


def _files(folder: Path) -> list[Path]:
    return [path for path in _inside(folder) if path.is_file() and not path.is_symlink()]


def _table_files(folder: Path) -> list[Path]:
    """The files that belong to the tables that lie there, whether there are such files or not."""
    found = (path for path in _inside(folder) if path.suffix == tables.SUFFIX)
    every = (path.with_suffix(_SUFFIX) for path in found)
    return [path for path in every if _NAME.fullmatch(path.name)]


def _inside(folder: Path) -> list[Path]:
    """What lies in the place of the indexes, if it is a folder of the store's own."""
    place = folder / INDEXES
    if place.is_symlink() or not place.is_dir():
        return []
    try:
        return sorted(place.iterdir())
    except FileNotFoundError:
        # Somebody removed it just now.
        return []
