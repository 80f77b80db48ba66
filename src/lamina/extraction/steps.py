"""What is to be done about one file, and what that comes to. It decides; others read and write."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from lamina.core.record import Record, State
from lamina.extraction.entries import Entry, Fingerprint, Wanted, name_mark
from lamina.sources.catalog import file_key
from lamina.sources.chunks import Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.core.changes import Change
    from lamina.extraction.shelf import Shelf

_BATCH_FILES: Final = 64
_BATCH_ITEMS: Final = 256


@dataclass(frozen=True, slots=True)
class Step:
    """One file as it is to be known from now on; without an entry it is to be forgotten."""

    file: str
    entry: Entry | None = None
    items: tuple[Wanted, ...] = ()
    proposals: tuple[Wanted, ...] | None = None
    """What was proposed; `None` where nobody was asked."""
    lines: Lines | None = None
    """Its lines, which proposals cite."""


class Lines:
    """The lines of a file by their marks; made when a proposal asks for them."""

    def __init__(self, text: str, fingerprint: Fingerprint) -> None:
        self._text = text
        self._fingerprint = fingerprint

    @cached_property
    def marks(self) -> list[str]:
        """The mark of every line, whatever stands around its words."""
        lines = Page(self._text).lines
        return [self._fingerprint(line.strip().encode()) for line in lines]

    def find(self, mark: str) -> int | None:
        """The first line that has a mark."""
        return self._numbers.get(mark)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {mark: number for number, mark in reversed([*enumerate(self.marks, start=1)])}


@dataclass(slots=True)
class Tally:
    """What a step came to."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    expired: int = 0
    kept_out: int = 0
    proposed: int = 0
    kinds: Counter[str] = field(default_factory=Counter)


def is_full(batch: list[Step]) -> bool:
    """Whether these are enough for one commit."""
    items = sum(len(step.items) + len(step.proposals or ()) for step in batch)
    return len(batch) >= _BATCH_FILES or items >= _BATCH_ITEMS


def as_it_stands(held: Iterable[Record]) -> Tally:
    """The tally of a file about which nothing is to be done."""
    current = [one for one in held if one.state is State.CURRENT]
    return Tally(unchanged=len(current), kinds=Counter(one.kind for one in current))


def removed(entry: Entry, shelf: Shelf, label: str, fingerprint: Fingerprint) -> dict[str, str]:
    """What was found in a file before and is not held: somebody took it out by hand."""
    start = f"{file_key(label, entry.file)}#"
    names = (str(one.key).removeprefix(start) for one in shelf.by_file.get(entry.file, ()))
    held = {name_mark(name, fingerprint) for name in names}
    known = {**entry.marks, **entry.proposed}
    return {mark: says for mark, says in known.items() if mark not in held}


class Settling:
    """The changes that bring the items of one file in line with what was found in it."""

    def __init__(
        self, step: Step, shelf: Shelf, out: Mapping[str, str], fingerprint: Fingerprint
    ) -> None:
        self._step = step
        self._shelf = shelf
        self._out = out
        self._fingerprint = fingerprint
        self._left = {str(one.key): one for one in shelf.by_file.get(step.file, ())}
        """What nothing has been decided about yet."""
        self.changes: list[Change] = []
        self.tally = Tally()

    def settle(self) -> Settling:
        """Decide about everything that was found, then about what is left."""
        for one in self._step.items:
            self._item(one)
        for one in self._step.proposals or ():
            self._proposal(one)
        for record in self._left.values():
            self._leftover(record)
        return self

    def _item(self, one: Wanted) -> None:
        record = self._left.pop(self._shelf.key(self._step.file, one.name), None)
        if record is None and self._is_out(one):
            self.tally.kept_out += 1
            return
        self.tally.kinds[one.finding.kind] += 1
        if record is not None and record.data.get("mark") == one.mark:
            self.tally.unchanged += 1
            return
        self.changes.append(self._shelf.put(self._step.file, one))
        if record is None:
            self.tally.added += 1
        else:
            self.tally.replaced += 1

    def _proposal(self, one: Wanted) -> None:
        key = self._shelf.key(self._step.file, one.name)
        record = self._left.get(key)
        if record is not None and record.state is State.CURRENT:
            # Somebody has accepted it: it stands as it is while its line does.
            return
        self._left.pop(key, None)
        if record is None and self._is_out(one):
            self.tally.kept_out += 1
        elif record is None or record.data.get("mark") != one.mark:
            self.changes.append(self._shelf.put(self._step.file, one))
            self.tally.proposed += 1

    def _leftover(self, record: Record) -> None:
        """An item that was not found again: gone, unless it is a proposal whose line stands."""
        cited = record.data.get("cited")
        line = self._step.lines.find(str(cited)) if cited and self._step.lines else None
        is_dropped = self._step.proposals is not None and record.state is State.PROPOSED
        if line is None or is_dropped:
            self.changes.append(self._shelf.expire(record))
            self.tally.expired += 1
            return
        moved = line != record.data["line"]
        if moved:
            self.changes.append(self._shelf.moved(record, line))
        if record.state is State.CURRENT:
            self.tally.kinds[record.kind] += 1
            self.tally.replaced += moved
            self.tally.unchanged += not moved

    def _is_out(self, one: Wanted) -> bool:
        return self._out.get(name_mark(one.name, self._fingerprint)) == one.says
