"""What an import does about one file: which change each entry asks for, and what it comes to."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from lamina.core.changes import Action, Change, Outcome, Put
from lamina.core.record import Record, State
from lamina.core.scope import Scope
from lamina.errors import InvalidInputError
from lamina.importing.known import LAYER, Known, standing
from lamina.importing.marking import Mark, marked
from lamina.importing.matching import match
from lamina.importing.report import Became, Fate
from lamina.importing.wanted import Wanted
from lamina.sealing import scrub
from lamina.writing import WritePath

_ALWAYS_TOUCHED: Final = 0
"""No record has this revision, so whatever names it as the imported one counts as changed since."""


@dataclass(frozen=True, slots=True)
class _Step:
    fate: Became
    change: Change | None = None


@dataclass(slots=True)
class FilePlan:
    """The changes that one file asks for."""

    root: str
    steps: list[_Step] = field(default_factory=list)

    @property
    def changes(self) -> list[Change]:
        """What is to be committed, all or none."""
        return [step.change for step in self.steps if step.change is not None]

    def became(self, outcomes: Sequence[Outcome] = ()) -> Iterator[Became]:
        """What became of each entry; before the commit, what would."""
        following = iter(outcomes)
        for step in self.steps:
            outcome = next(following, None) if step.change is not None else None
            if outcome is None:
                yield step.fate
            elif outcome.action is Action.PROPOSED:
                yield replace(step.fate, fate=Fate.PROPOSED, id=outcome.id)
            else:
                yield replace(step.fate, id=outcome.id)


class Planner:
    """Plans one file after the other; all lie below one folder, whose digest is the root.

    `inner` are the roots of the folders inside it, which may have been imported by themselves.
    """

    def __init__(
        self, path: WritePath, known: Known, scope: Scope, root: str, inner: Collection[str]
    ) -> None:
        self._path = path
        self._known = known
        self._scope = scope
        self._root = root
        self._inner = inner

    def plan(
        self, file: str, wanted: Sequence[Wanted], records: Sequence[Record], *, again: bool
    ) -> FilePlan:
        """What to do so that memory says what the file says, but for what was changed by hand."""
        mine = self.mine(records) or moved_here(records, wanted)
        hidden = {marked(one).digest: one for one in mine if one.state is State.FORGOTTEN}
        plan = FilePlan(self._root)
        for pair in match(wanted, standing(mine), self._known.imported_text):
            entry, record = pair.entry, pair.record
            if entry is None and record is not None:
                plan.steps.append(self._gone(file, record))
            elif entry is not None and record is not None:
                plan.steps.append(self._met(file, entry, record))
            elif entry is not None:
                before = hidden.pop(entry.digest, None)
                plan.steps.append(self._new(file, entry, before, again=again))
        return plan

    def mine(self, records: Iterable[Record]) -> list[Record]:
        """Those that came from this folder, or from one inside it."""
        return [one for one in records if marked(one).root in (self._root, *self._inner)]

    def _gone(self, file: str, record: Record) -> _Step:
        """A record whose entry is no longer in the file."""
        line = record.data["line"]
        fate = Fate.KEPT if self._known.is_touched(record) else Fate.FORGOTTEN
        told = Became(fate, file, line, record.kind, record.key, record.text, record.id)
        if fate is Fate.KEPT:
            return _Step(told, self._at_home(file, record))
        return _Step(told, self._path.move(record, State.FORGOTTEN))

    def _met(self, file: str, entry: Wanted, record: Record) -> _Step:
        """A record whose entry is in the file, as it was or changed."""
        says_the_same = entry.digest == marked(record).digest
        if self._known.is_touched(record) and not says_the_same:
            told = _told(Fate.CONFLICT, file, entry, record, "changed here and in the file")
            return _Step(told, self._at_home(file, record))
        if self._known.is_touched(record) or (
            says_the_same and entry.place == marked(record).place
        ):
            return _Step(_told(Fate.UNCHANGED, file, entry, record), self._at_home(file, record))
        holder = self._known.holder(entry)
        if record.state is State.CURRENT and holder is not None and holder.id != record.id:
            return _Step(_told(Fate.CONFLICT, file, entry, record, f"{holder.id} holds its key"))
        return self._written(file, entry, Fate.REVISED, record)

    def _new(self, file: str, entry: Wanted, before: Record | None, *, again: bool) -> _Step:
        """An entry that no record stands for: new, or once forgotten."""
        if (named := self._known.by_block(entry)) is not None:
            return _named(file, entry, named)
        if self._known.is_erased(entry):
            return _Step(_told(Fate.ERASED, file, entry, None, "erased here"))
        holder = self._known.holder(entry)
        if holder is not None and holder.text == entry.text:
            return _Step(_told(Fate.UNCHANGED, file, entry, holder, "known already by its key"))
        if holder is not None:
            return self._written(file, entry, Fate.PROPOSED, None)
        if before is None:
            return self._written(file, entry, Fate.ADDED, None)
        if again or self._known.was_let_go(before):
            return self._written(file, entry, Fate.ADDED, before)
        return _Step(_told(Fate.HIDDEN, file, entry, before, "forgotten here"))

    def _written(self, file: str, entry: Wanted, fate: Fate, record: Record | None) -> _Step:
        told = _told(fate, file, entry, record)
        try:
            return _Step(told, self._put(file, entry, fate, record))
        except InvalidInputError as error:
            return _Step(replace(told, fate=Fate.FAILED, note=error.message))

    def _put(self, file: str, entry: Wanted, fate: Fate, record: Record | None) -> Put:
        rev = record.rev if record else 0
        mark = Mark(self._root, entry.digest, entry.place, rev + 1)
        fields: dict[str, Any] = {
            "text": entry.text, "kind": entry.kind, "tags": entry.tags, "via": "file",
            "valid_from": entry.since, "data": {**entry.data, **mark.to_data(file, entry.line)},
        }  # fmt: skip
        if record is None:
            draft: Any = {**fields, "layer": LAYER, "key": entry.key}
            [put] = self._path.puts([draft], self._scope)
            return replace(put, proposal=put.proposal or fate is Fate.PROPOSED)
        put = self._path.edit(record, fields, rev)
        back = record.state is State.FORGOTTEN
        return replace(put, state=State.CURRENT) if back else put

    def _at_home(self, file: str, record: Record) -> Put | None:
        """A record that moved here, with its folder or alone, is of here; else nothing to do."""
        if (marked(record).root, record.data["file"]) == (self._root, file):
            return None
        rev = _ALWAYS_TOUCHED if self._known.is_touched(record) else record.rev + 1
        mark = replace(marked(record), root=self._root, rev=rev)
        data = {**record.data, **mark.to_data(file, record.data["line"])}
        said = {"data": data, "via": record.trust.value, "source": record.source}
        return self._path.edit(record, said, record.rev)


def moved_here(records: Sequence[Record], wanted: Sequence[Wanted]) -> list[Record]:
    """The records of another file, if most of what they say is here.

    So a note or a folder can be renamed, or lie elsewhere on another machine, and is still known.
    """
    said = {entry.digest for entry in wanted}
    for root in dict.fromkeys(marked(record).root for record in records):
        there = [record for record in records if marked(record).root == root]
        still = sum(marked(record).digest in said for record in standing(there))
        if still and still * 2 >= len(standing(there)):
            return there
    return []


def _named(file: str, entry: Wanted, record: Record) -> _Step:
    """An entry of an exported page whose record is here: the page is only a copy of it."""
    if record.state is State.FORGOTTEN:
        return _Step(_told(Fate.HIDDEN, file, entry, record, "forgotten here"))
    if record.text.split() == entry.text.split():
        return _Step(_told(Fate.UNCHANGED, file, entry, record, "known already by its id"))
    return _Step(_told(Fate.CONFLICT, file, entry, record, "its record says something else"))


def _told(fate: Fate, file: str, entry: Wanted, record: Record | None, note: str = "") -> Became:
    """What became of an entry; what the record says has no secrets, and what the file says may."""
    text = record.text if record and fate is Fate.UNCHANGED else scrub(entry.text)
    record_id = record.id if record else None
    return Became(fate, file, entry.line, entry.kind, entry.key, text, record_id, note)
