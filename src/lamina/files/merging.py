"""The three-way merge: what a file was made from, what stands in it, and what the store holds.

Entry by entry: who alone has changed one is followed; where both have, the person's word becomes
current and the other one waits beside it as a proposal. Nothing is removed that changed since.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from lamina.core import canonical
from lamina.files.page import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.files.page import Frame, Page

    IsTaken = Callable[[str | None, Mapping[str, Any]], bool]

MOST_LOST: Final = 0.2
"""A file that lost a greater share of its entries is asked about first."""


class Sheet(Protocol):
    """A sort of file that people edit."""

    @property
    def file(self) -> str:
        """The name of the file."""

    @property
    def layer(self) -> str:
        """Where its records are."""

    @property
    def form(self) -> str:
        """What its head says that it is."""

    @property
    def by_id(self) -> bool:
        """Whether entries are known by the id of their record, rather than by its key."""

    def shows(self, record: Record) -> bool:
        """Whether a record has a place in it."""

    def name(self, record: Record) -> str:
        """What a record is called in it."""

    def said(self, record: Record) -> dict[str, Any]:
        """What it says of a record."""

    def arranged(self, records: Sequence[Record], frame: Frame) -> list[Record]:
        """Records in the order of the file."""

    def render(
        self, records: Sequence[Record], frame: Frame, head: Mapping[str, str], hidden: int
    ) -> str:
        """The file."""

    def parse(self, text: str) -> Page:
        """The entries of a file."""

    def draft(self, name: str | None, said: Mapping[str, Any], kinds: frozenset[str]) -> Draft:
        """A new record of an entry."""

    def free(
        self, name: str | None, said: dict[str, Any], is_taken: IsTaken
    ) -> tuple[str | None, dict[str, Any]]:
        """The name and the words with which a new entry finds a place among the others."""

    def check(
        self, name: str | None, said: Mapping[str, Any], others: Mapping[str, Mapping[str, Any]]
    ) -> None:
        """Refuse an entry that makes no sense beside the others of the file."""

    def change(
        self, record: Record, said: Mapping[str, Any], kinds: frozenset[str]
    ) -> dict[str, Any] | None:
        """The fields that an entry changes; `None` when it is another record now."""


@dataclass(frozen=True, slots=True)
class Known:
    """An entry as it was projected."""

    rev: int
    digest: str


@dataclass(frozen=True, slots=True)
class Base:
    """What a file was made from."""

    revision: str = ""
    entries: Mapping[str, Known] = field(default_factory=dict)


@dataclass(slots=True)
class Step:
    """What one entry asks for."""

    entry: Entry | None = None
    """The entry; none when it is gone from the file."""
    record: Record | None = None
    """The record it is about; none when it is new."""
    clash: bool = False
    """Whether the store says something else by now."""


@dataclass(slots=True)
class Merge:
    """What a file asks for."""

    steps: list[Step] = field(default_factory=list)
    lost: list[Record] = field(default_factory=list)
    """Entries that are gone, too many to be believed."""
    kept: list[Record] = field(default_factory=list)
    """Entries that are gone from the file and stay, because they changed in the store."""
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Sides:
    """What an edited file is compared with."""

    base: Base
    current: Mapping[str, Record]
    """What the store holds, by its name in the file."""
    taken: Mapping[str, str]
    """Entries that were taken over already, by digest, when a crash kept them from the file."""
    digest: Callable[[str], str]
    once_said: Callable[[str, str], bool]
    """Whether the record of an id ever said what has this digest, or was erased."""
    find: Callable[[Mapping[str, Any]], Record | None]
    """A current record that says the same or holds the key of a new entry."""


def merge(sheet: Sheet, page: Page, sides: Sides) -> Merge:
    """Compare an edited file with what it was made from and with what is."""
    return _Merger(sheet, page, sides).merge()


class _Merger:
    def __init__(self, sheet: Sheet, page: Page, sides: Sides) -> None:
        self._sheet = sheet
        self._sides = sides
        self._page = page
        self._result = Merge(problems=list(page.problems))
        self._seen: set[str] = set()
        self._named = {entry.name for entry in page.entries if entry.name}

    def merge(self) -> Merge:
        for entry, is_first in self._in_turn():
            self._entry(entry, is_first=is_first)
        self._removed()
        return self._result

    def _in_turn(self) -> list[tuple[Entry, bool]]:
        """Every entry, and whether it is the one that its name stands for; repetitions go."""
        groups: dict[str, list[Entry]] = {}
        for entry in self._page.entries:
            if entry.name:
                groups.setdefault(entry.name, []).append(entry)
        chosen = {name: self._original(name, group) for name, group in groups.items()}
        turns, shown = [], set[str]()
        for entry in self._page.entries:
            is_first = chosen[entry.name] is entry if entry.name else entry.text not in shown
            if is_first or (entry.name and entry.text not in shown):
                turns.append((entry, is_first))
            shown.add(entry.text)
        return turns

    def _original(self, name: str, group: list[Entry]) -> Entry:
        """Of several entries with one name, the one that the name stands for.

        An id was copied along with its line, so it is the one that was there before; a key was
        written on purpose, so it is the one that is new.
        """
        known = self._sides.base.entries.get(name)
        digest = known.digest if known else None
        meant = (one for one in group if (self._digest(one) == digest) is self._sheet.by_id)
        return next(meant, group[0])

    def _entry(self, entry: Entry, *, is_first: bool) -> None:
        digest = self._digest(entry)
        known = self._sides.base.entries.get(entry.name) if entry.name else None
        if not is_first and not self._sheet.by_id:
            if known is None or known.digest != digest:
                self._result.problems.append(f"two entries are called {entry.name!r:.60}")
            return
        already = self._sides.taken.get(self._sides.digest(entry.mark))
        if already is not None:
            self._seen.add(already)
            self._seen |= {entry.name} if entry.name else set()
            return
        record = self._sides.current.get(entry.name) if entry.name and is_first else None
        known = known if is_first else None
        if record is None:
            # What was forgotten or erased since is not brought back by an old file.
            stale = known.digest == digest if known else self._was_said(entry.name, digest)
            if not stale:
                self._new(entry)
            return
        self._seen.add(str(entry.name))
        mine = self._sides.digest(_text(self._sheet.said(record)))
        if digest == mine or (known is not None and known.digest == digest):
            return
        if known is None and self._sides.once_said(record.id, digest):
            return
        clash = known is None or known.rev != record.rev
        self._result.steps.append(Step(entry, record, clash))

    def _was_said(self, name: str | None, digest: str) -> bool:
        return bool(name) and self._sheet.by_id and self._sides.once_said(str(name), digest)

    def _new(self, entry: Entry) -> None:
        found = self._sides.find(entry.said)
        if found is None:
            self._result.steps.append(Step(entry))
            return
        name = self._sheet.name(found)
        if name in self._named or name in self._seen:
            # It stands elsewhere in the file, so this is one more, whatever it calls itself.
            if self._sheet.said(found) != dict(entry.said):
                self._result.steps.append(Step(entry))
            return
        self._seen.add(name)
        if self._sheet.said(found) != dict(entry.said):
            known = self._sides.base.entries.get(name)
            clash = known is None or known.rev != found.rev
            self._result.steps.append(Step(entry, found, clash))

    def _removed(self) -> None:
        base, current = self._known(), self._sides.current
        gone = [name for name in base if name not in self._seen and name in current]
        lost = [current[name] for name in gone if current[name].rev == base[name].rev]
        self._result.kept = [current[name] for name in gone if current[name].rev != base[name].rev]
        if lost and len(gone) > 1 and len(gone) > MOST_LOST * len(base):
            self._result.lost = lost
            self._drop_torn_end()
        else:
            self._result.steps += [Step(record=record) for record in lost]

    def _known(self) -> dict[str, Known]:
        """What the file was made from, and what was taken over from it since."""
        known = dict(self._sides.base.entries)
        for mark, name in self._sides.taken.items():
            record = self._sides.current.get(name)
            if record is None:
                continue
            said = self._sheet.said(record)
            # It was new then, or had its name already.
            marks = (Entry(None, said).mark, Entry(name, said).mark)
            if mark in map(self._sides.digest, marks):
                known[name] = Known(record.rev, self._sides.digest(_text(said)))
        return known

    def _drop_torn_end(self) -> None:
        """A file cut off in the middle ends with half an entry, which nobody wrote."""
        last = self._page.entries[-1] if self._page.entries else None
        steps = self._result.steps
        if last is None or not steps or steps[-1].entry is not last:
            return
        own = [steps[-1].record] if steps[-1].record else []
        said = str(last.said.get("text", ""))
        wholes = (str(self._sheet.said(one).get("text", "")) for one in (*self._result.lost, *own))
        if any(whole.startswith(said) and whole != said for whole in wholes):
            steps.pop()
            self._result.problems.append(f"line {last.line}: the file ends within an entry")

    def _digest(self, entry: Entry) -> str:
        return self._sides.digest(entry.text)


def _text(said: Mapping[str, Any]) -> str:
    return canonical.dumps(dict(said))
