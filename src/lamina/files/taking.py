"""Taking over what people wrote into a file: one commit, in their name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lamina.core.changes import Put
from lamina.core.names import check_key
from lamina.core.record import State
from lamina.errors import InvalidInputError, LaminaError
from lamina.files.headings import SECTION
from lamina.files.reading import Book, book_draft

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.core.changes import Change
    from lamina.core.record import Record
    from lamina.core.scope import Scope
    from lamina.files.merging import Merge, Sheet, Sides, Step
    from lamina.files.page import Entry
    from lamina.memory import Memory
    from lamina.writing import WritePath


@dataclass(slots=True)
class Taken:
    """What the entries of a file came to."""

    added: int = 0
    changed: int = 0
    forgotten: int = 0
    clashes: list[Record] = field(default_factory=list)
    """Records that the store had changed as well: their own words wait as a proposal."""
    problems: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    """What each entry is called from now on, by its mark."""


class Taking:
    """The changes that one file asks for."""

    def __init__(
        self, mem: Memory, path: WritePath, sheet: Sheet, scope: Scope, kinds: frozenset[str]
    ) -> None:
        self._mem = mem
        self._path = path
        self._sheet = sheet
        self._scope = scope
        self._kinds = kinds
        """The kinds in use, which name their own headings."""
        self._holder: Callable[[Mapping[str, Any]], Record | None] = lambda said: None
        self._names: set[str] = set()
        self._others: dict[str, Mapping[str, Any]] = {}
        self._changes: list[Change] = []
        self.result = Taken()

    def take(self, merge: Merge, sides: Sides) -> Taken:
        """Turn the steps of a merge into changes; what cannot be done is told, the rest is done."""
        self._holder = sides.find
        self._names = set(sides.current)
        self._others = {name: self._sheet.said(one) for name, one in sides.current.items()}
        steps = (step.entry for step in merge.steps if step.entry and step.entry.name)
        self._others |= {str(entry.name): entry.said for entry in steps}
        # What goes comes first: it may hold the key of what comes.
        for step in sorted(merge.steps, key=lambda step: step.entry is not None):
            try:
                self._step(step)
            except LaminaError as error:
                line = f"line {step.entry.line}: " if step.entry and step.entry.line else ""
                self.result.problems.append(f"{line}{error}")
        return self.result

    def commit(self, book: Book, before: Book) -> None:
        """Carry it out, with what is kept of the arrangement; nothing when nothing is new."""
        changes = list(self._changes)
        if book != before:
            changes += self._path.puts([book_draft(book, self._scope.path, self._sheet.file)],
                                       self._scope)  # fmt: skip
        if changes:
            self._path.commit(changes)

    def seals(self) -> bool:
        """Whether something that people wrote was a secret."""
        return any(isinstance(one, Put) and one.sealed for one in self._changes)

    def _step(self, step: Step) -> None:
        entry, record = step.entry, step.record
        if entry is None:
            if record is not None:
                self._forget(record)
            return
        self._sheet.check(entry.name, entry.said, self._others)
        if record is None:
            self._add(entry, entry.name)
            return
        fields = self._sheet.change(record, entry.said, self._kinds)
        if fields is None:
            self._forget(record)
            self._add(entry, None)
            return
        if not _says_anything(entry.said) and not fields.get("data", record.data):
            self._forget(record)
            return
        self._change(record, self._fitting(record, fields, entry), clash=step.clash)
        self.result.names[entry.mark] = self._sheet.name(record)

    def _add(self, entry: Entry, name: str | None) -> None:
        said = dict(entry.said)
        if not _says_anything(said) and not said.get("key"):
            return
        name, said = self._sheet.free(name, said, self._is_taken)
        draft = self._sheet.draft(name, said, self._kinds)
        put = self._path.puts([draft], self._scope)[0]
        called = str(put.id) if self._sheet.by_id else str(put.key)
        self._names |= {called, _slot(put.content.kind, put.key)}
        self._changes.append(put)
        self.result.added += 1
        self.result.names[entry.mark] = called

    def _is_taken(self, name: str | None, said: Mapping[str, Any]) -> bool:
        """Whether another entry has that name or key, or nothing could have it."""
        if not self._sheet.by_id:
            return name in self._names
        kind, key = self._sheet.draft(None, said, self._kinds).get("kind"), said["key"]
        held = self._holder(said)
        return _is_no_key(key) or _slot(kind, key) in self._names or bool(held and held.key == key)

    def _fitting(self, record: Record, fields: dict[str, Any], entry: Entry) -> dict[str, Any]:
        """The same fields, less a kind under which another record holds the key already."""
        if record.key is None or fields.get("kind", record.kind) == record.kind:
            return fields
        slot = _slot(fields["kind"], record.key)
        held = self._holder(entry.said)
        if slot not in self._names and (held is None or held.id == record.id):
            self._names.add(slot)
            return fields
        kept = {name: value for name, value in fields.items() if name != "kind"}
        return {**kept, "data": {**fields["data"], SECTION: "\n".join(entry.said["path"])}}

    def _change(self, record: Record, fields: dict[str, Any], *, clash: bool) -> None:
        if not fields:
            return
        self._changes.append(self._path.edit(record, fields, record.rev))
        self.result.changed += 1
        if clash:
            theirs = self._path.revert(record, record)
            boxes = tuple(self._mem.store.sealed(record.id))
            self._changes.append(
                replace(theirs, expect=None, state=None, proposal=True, sealed=boxes)
            )
            self.result.clashes.append(record)

    def _forget(self, record: Record) -> None:
        self._changes.append(self._path.move(record, State.FORGOTTEN))
        self.result.forgotten += 1


def _says_anything(said: Mapping[str, Any]) -> bool:
    return bool(said.get("text") or said.get("steps") or said.get("description"))


def _slot(kind: object, key: object) -> str:
    return f"{kind}\n{key}"


def _is_no_key(key: str) -> bool:
    try:
        return check_key(key) != key
    except InvalidInputError:
        return True
