"""The write-ahead log, looked at before anybody opens the store.

SQLite takes in the log up to the first frame whose checksum does not hold, and drops what lies
behind: after a crash that is the torn end. If the disk has altered a frame in the middle, commits
that were acknowledged go the same way, and once the store was open nothing is left to show it.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from lamina.stores.base import Finding
from lamina.stores.sql.care.looking import COPY, damaged, note

_HEADER: Final = struct.Struct(">8I")
_FRAME: Final = struct.Struct(">6I")
_MAGIC: Final = 0x377F0682
"""The last bit says in which byte order the checksums are worked out."""
_WORD: Final = 0xFFFFFFFF
_ASIDE: Final = (
    "Copy the directory elsewhere before anything opens the store, which goes on without them;"
    " then restore from a backup, or accept the loss"
)


class _Frame(NamedTuple):
    salts: tuple[int, int]
    commits: bool
    holds: bool
    """Whether its checksum follows from the frame before."""


def look_at_log(database: Path) -> list[Finding]:
    """What would be lost if the store were opened now.

    One commit behind a torn frame is what a power cut leaves: it was never acknowledged.
    """
    path = database.with_name(f"{database.name}-wal")
    try:
        with path.open("rb") as file:
            lost = _commits_behind(file)
    except FileNotFoundError:
        return []
    except OSError as error:
        return [damaged("log", f"the write-ahead log cannot be read: {error.strerror}")]
    if lost > 1:
        what = f"the write-ahead log is damaged in the middle; commits lost behind it: {lost}"
        return [damaged("log", what, COPY, _ASIDE)]
    if lost:
        what = "the last commit in the write-ahead log is torn, as a power cut leaves it"
        return [note("log", what, "Nothing to do: it was never acknowledged")]
    return []


def _commits_behind(file: BinaryIO) -> int:
    """How many commits lie behind the first frame that does not hold."""
    whole, lost, salts = True, 0, None
    for frame in _frames(file):
        salts = salts or frame.salts
        whole = whole and frame.holds
        if not whole and frame.commits and frame.salts == salts:
            lost += 1
    return lost


def _frames(file: BinaryIO) -> Iterator[_Frame]:
    head = file.read(_HEADER.size)
    if len(head) < _HEADER.size:
        return
    magic, _, size, _, *salts, first, second = _HEADER.unpack(head)
    order = ">" if magic & 1 else "<"
    sums = _checksum(head[:24], (0, 0), order)
    sound = magic & ~1 == _MAGIC and sums == (first, second)
    if size not in {1 << bits for bits in range(9, 17)}:
        # The size of a page is what is damaged; it has never been another one.
        size = 4096
    while len(frame := file.read(_FRAME.size + size)) == _FRAME.size + size:
        page, pages, *marks = _FRAME.unpack(frame[: _FRAME.size])
        sums = _checksum(frame[:8] + frame[_FRAME.size :], sums, order)
        mine = sound and page > 0 and marks == [*salts, *sums]
        yield _Frame((marks[0], marks[1]), pages > 0, mine)


def _checksum(data: bytes, start: tuple[int, int], order: str) -> tuple[int, int]:
    one, two = start
    for first, second in struct.iter_unpack(f"{order}2I", data):
        one = (one + first + two) & _WORD
        two = (two + second + one) & _WORD
    return one, two
