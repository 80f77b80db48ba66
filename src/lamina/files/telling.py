"""One file that is told: written from the store; what somebody writes into it is kept aside."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from lamina.errors import ConflictError
from lamina.files.bases import WAS, Bases, Mark, read_bases, write_bases
from lamina.files.folder import NotOursError, opened
from lamina.files.layout import STATE
from lamina.files.placing import exchanged, swept

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.files.desk import Desk
    from lamina.files.folder import Folder

_LARGEST: Final = 64_000_000
_TRIES: Final = 8


def _always(raw: bytes) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Told:
    """What a file is made from."""

    render: Callable[[], str | None]
    take: Callable[[bytes], bool] | None = None
    """Takes over what was added to the file; whether that was all there is to it."""
    is_ours: Callable[[bytes], bool] = _always
    """Whether a file that nobody remembers to have written looks as if Lamina had."""


class OneWay:
    """The projection of one file."""

    def __init__(self, desk: Desk, folder: str, file: str, told: Told) -> None:
        self._desk = desk
        self._folder = folder
        self._file = file
        self._told = told
        self._render = told.render

    @property
    def _path(self) -> str:
        return f"{self._folder}/{self._file}" if self._folder else self._file

    def sync(self) -> None:
        """Write the file as the store has it."""
        state = f"{STATE}/{self._folder}" if self._folder else STATE
        with (
            opened(self._desk.root, self._folder, make=True) as here,
            opened(self._desk.root, state, make=True) as there,
        ):
            bases = read_bases(there, self._file)
            most = bases.most(_LARGEST)
            self._heal(here, there, bases, most)
            for _ in range(_TRIES):
                raw = self._desk.quiet(here, self._file, most)
                self._check(bases, raw)
                self._look_at(bases, raw, most)
                if self._projected(here, there, bases, raw):
                    return
            raise ConflictError(
                f"{self._path} keeps changing while it is written",
                remedy="Sync again when whoever writes it has finished",
            )

    def _heal(self, here: Folder, there: Folder, bases: Bases, most: int) -> None:
        """Take up what an interrupted run left, and what was written to a file already replaced."""
        swept(here, there, self._file)
        name = f"{self._file}{WAS}"
        late = there.read(name, most)
        if late is not None and len(late) > most:
            self._desk.move_aside(self._path, there, name)
        elif late is not None and self._desk.file_digest(late) != bases.was:
            self._look_at(bases, late, most)
        there.remove(name)

    def _check(self, bases: Bases, raw: bytes | None) -> None:
        if raw is not None and not bases.trail and not self._told.is_ours(raw):
            raise NotOursError(self._file)

    def _look_at(self, bases: Bases, raw: bytes | None, most: int) -> None:
        """Keep aside what nobody but a person or another program can have written."""
        if raw is None or len(raw) > most:
            return
        digest = self._desk.file_digest(raw)
        if bases.wrote(digest):
            return
        rendered = self._render()
        if rendered is not None and rendered.encode() == raw:
            return
        if self._told.take is not None and self._told.take(raw):
            return
        why = "it is written from the store, so what was changed in it does not count"
        self._desk.keep_aside(self._path, raw, [why])

    def _projected(self, here: Folder, there: Folder, bases: Bases, raw: bytes | None) -> bool:
        rendered = self._render()
        if rendered is None:
            there.remove(f"{self._file}.json")
            if raw is not None:
                here.remove(self._file)
                self._desk.report.wrote(self._path)
            return True
        content = rendered.encode()
        mark = Mark("", self._desk.file_digest(content))
        if raw == content:
            stamp = here.stamp(self._file)
            if bases.trail[-1:] != (mark,) or bases.stamp != stamp:
                write_bases(there, self._file, bases.projected(mark, bases.was, stamp))
            return True
        was = self._desk.file_digest(raw) if raw is not None else ""
        booked = partial(bases.projected, mark, was)
        if not exchanged(here, there, self._file, content, booked, is_new=raw is None):
            return False
        if raw is not None and len(raw) > bases.most(_LARGEST):
            self._desk.move_aside(self._path, there, f"{self._file}{WAS}")
        self._desk.report.wrote(self._path)
        return True
