"""The files of derived indexes beside the database: which there are, and which still fit it.

They are caches. Each one says which store and stream it was made from, by what means and up to
which event; one that does not fit is passed over, and a damaged one removed. One from before an
erase may hold what is gone, and goes with it.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

from lamina.errors import IndexDamagedError
from lamina.indexes.file import Header
from lamina.stores.sqlite import INDEXES
from lamina.stores.sqlite.driver import Connection, one

_SUFFIX: Final = ".segment"
_HASH: Final = 12
_ERASED: Final = "select 1 from event where sid = ? and seq > ? and action = 'erased' limit 1"


class Segment(Protocol):
    """What the shelf has to know of a segment."""

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

    def path(self, header: Header) -> Path:
        """Where a segment belongs; two of the same name hold the same."""
        place = self.folder / INDEXES
        place.mkdir(mode=0o700, exist_ok=True)
        covers = f"{header.stream}-{header.lo}-{header.hi}-{reaches(header)}"
        return place / f"{self.kind}-{covers}{_SUFFIX}"

    def chain(self, connection: Connection, stream: int, made_by: str) -> list[S]:
        """Segments that follow on one another from the beginning, as far as they go."""
        found = [
            segment for segment in self._opened(stream) if fits(connection, segment.header, made_by)
        ]
        chain: list[S] = []
        reached = 0
        while follow := [one for one in found if one.header.lo == reached < one.header.hi]:
            chain.append(max(follow, key=lambda one: one.header.hi))
            reached = chain[-1].header.hi
        return chain

    def keep_only(self, stream: int, headers: Iterable[Header]) -> None:
        """Remove the files of a stream that nothing needs any more."""
        wanted = {self.path(header) for header in headers}
        for path in self._files(f"{self.kind}-{stream}-*"):
            if path not in wanted:
                path.unlink(missing_ok=True)

    def clean(self, connection: Connection) -> None:
        """Remove what may hold something that was erased since."""
        for path in self._files(f"{self.kind}-*"):
            _, stream, _, _, seq = path.stem.split("-")
            if is_unclean(connection, int(stream), int(seq)):
                path.unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove all files."""
        for path in self._files(f"{self.kind}-*"):
            path.unlink(missing_ok=True)

    def _opened(self, stream: int) -> Iterator[S]:
        for path in self._files(f"{self.kind}-{stream}-*"):
            try:
                yield self.open(path)
            except IndexDamagedError:
                with contextlib.suppress(OSError):
                    path.unlink()
            except OSError:
                # Somebody made a better one of it just now.
                continue

    def _files(self, pattern: str) -> list[Path]:
        return sorted((self.folder / INDEXES).glob(pattern + _SUFFIX))


def fits(connection: Connection, header: Header, made_by: str) -> bool:
    """Whether a segment belongs to the history that this store has, and holds nothing erased."""
    seq = reaches(header)
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
