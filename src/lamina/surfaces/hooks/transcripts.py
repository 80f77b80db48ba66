"""A transcript that grows: read on from where the last look ended, in pieces of bounded size."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lamina.surfaces.hooks import claude, codex
from lamina.surfaces.hooks.messages import line_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from lamina.surfaces.hooks.messages import Message

_READERS: Final = {"claude": claude.messages, "codex": codex.messages}
_AT_ONCE: Final = 100
"""How many messages are kept in one commit."""
_LONGEST_LINE: Final = 4 << 20
"""A longer line holds a picture or a whole file, and is passed over."""
_LOOKED_AT: Final = 256


@dataclass(frozen=True, slots=True)
class Place:
    """How far a transcript was read, and what stands right before that."""

    offset: int = 0
    check: int = 0

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Place:
        """A place as it was written down; the beginning where none was."""
        offset, check = told.get("offset"), told.get("check")
        if isinstance(offset, int) and isinstance(check, int) and offset >= 0:
            return cls(offset, check)
        return cls()


@dataclass(frozen=True, slots=True)
class Piece:
    """Some messages, and the place behind them."""

    messages: tuple[Message, ...]
    place: Place


def pieces(path: Path, harness: str, start: Place) -> Iterator[Piece]:
    """What a transcript says behind a place; all of it, if it is another file by now.

    A last line that is not finished is left for the next look.
    """
    read = _READERS[harness]
    with path.open("rb") as file:
        at = start.offset if _is_same(file, start) else 0
        file.seek(at)
        found: dict[tuple[str, str], Message] = {}
        before = at
        for raw, offset, end in _lines(file, at):
            line = line_of(raw, offset)
            for one in read(line) if line is not None else ():
                found.setdefault((one.role, one.id), one)
            at = end
            if len(found) >= _AT_ONCE:
                yield Piece(tuple(found.values()), _place(file, at))
                found, before = {}, at
        if at > before:
            yield Piece(tuple(found.values()), _place(file, at))


def _lines(file: BinaryIO, at: int) -> Iterator[tuple[bytes, int, int]]:
    """Whole lines, each with where it begins and ends."""
    while raw := file.readline(_LONGEST_LINE):
        start, at = at, at + len(raw)
        if raw.endswith(b"\n"):
            yield raw, start, at
        elif len(raw) == _LONGEST_LINE:
            while (more := file.readline(_LONGEST_LINE)) and not more.endswith(b"\n"):
                at += len(more)
            at += len(more)
            yield b"", start, at
        elif line_of(raw, start) is not None:
            yield raw, start, at
        else:
            # Not even if the rest is there by now: it would be taken for a line of its own.
            return
        # The reader is asked for places in between.
        file.seek(at)


def _is_same(file: BinaryIO, place: Place) -> bool:
    return _check(file, place.offset) == place.check


def _place(file: BinaryIO, offset: int) -> Place:
    here = file.tell()
    found = Place(offset, _check(file, offset))
    file.seek(here)
    return found


def _check(file: BinaryIO, offset: int) -> int:
    """A number made from what stands before a place; -1 where the file does not reach so far."""
    start = max(0, offset - _LOOKED_AT)
    file.seek(start)
    found = file.read(offset - start)
    return zlib.crc32(found) if len(found) == offset - start else -1
