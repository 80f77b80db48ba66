"""The items of one root as they stand in a store, and the changes that make them other ones."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from lamina import clock
from lamina.core.changes import Change
from lamina.core.filters import parse
from lamina.core.instants import to_text
from lamina.core.record import Record, State
from lamina.core.scope import Scope
from lamina.extraction.entries import Wanted, item_key
from lamina.stores.base import Store
from lamina.stores.questions import Query
from lamina.writing import WritePath

LAYER: Final = "item"
_HELD: Final = (State.CURRENT, State.PROPOSED)


class Shelf:
    """What a scope holds of items, as it stood when it was opened."""

    def __init__(self, store: Store, path: WritePath, scope: Scope, label: str) -> None:
        self._store = store
        self._path = path
        self._scope = scope
        self._label = label
        self.held: dict[str, Record] = {}
        """The items that stand or are proposed, by key; one that stands comes before a proposal."""
        self.by_file: dict[str, list[Record]] = {}
        for state in reversed(_HELD):
            self.held |= {str(one.key): one for one in self._all(state, **{"data.root": label})}
        for one in self.held.values():
            self.by_file.setdefault(str(one.data["file"]), []).append(one)

    def foreign(self) -> list[Record]:
        """The items of the scope that belong to other roots."""
        return [
            one
            for state in _HELD
            for one in self._all(state, **{"data.root": {"$ne": self._label}})
        ]

    def key(self, file: str, name: str) -> str:
        """The key of an item of a file."""
        return item_key(self._label, file, name)

    def put(self, file: str, one: Wanted) -> Change:
        """Write an item: anew, or over the one that has its name."""
        key = self.key(file, one.name)
        fields = self._fields(file, one)
        before = self.held.get(key)
        if before is not None:
            return self._path.edit(before, fields, before.rev)
        state = State.PROPOSED if one.proposer else State.CURRENT
        hidden = self._hidden.get(key)
        if hidden is not None:
            return replace(self._path.edit(hidden, fields, hidden.rev), state=state)
        new: Any = {**fields, "key": key, "layer": LAYER, "expect": 0}
        [put] = self._path.puts([new], self._scope)
        return replace(put, state=state)

    def expire(self, record: Record) -> Change:
        """Take away an item that its file no longer says."""
        return self._path.move(record, State.FORGOTTEN)

    def moved(self, record: Record, line: int) -> Change:
        """An item whose line is now another, and nothing else."""
        data = {**record.data, "line": line, "extracted_at": to_text(clock.now())}
        return self._path.edit(record, {"data": data, **_origin(record)}, record.rev)

    def _fields(self, file: str, one: Wanted) -> dict[str, Any]:
        found = one.finding
        data: dict[str, Any] = {
            "root": self._label, "file": file, "line": found.line, "title": found.title,
            "section": found.section, "rule": found.rule, "mark": one.mark,
            "extracted_at": to_text(clock.now()),
        }  # fmt: skip
        data |= {} if found.done is None else {"done": found.done}
        data |= {"proposer": one.proposer, "cited": one.cited} if one.proposer else {}
        return {
            "kind": found.kind, "text": found.content, "data": data, "confidence": found.confidence,
            "via": "tool" if one.proposer else "file", "source": one.proposer or self._label,
        }  # fmt: skip

    @cached_property
    def _hidden(self) -> Mapping[str, Record]:
        """The forgotten items by key: a statement that comes back is the same item again."""
        found = self._all(State.FORGOTTEN, **{"data.root": self._label})
        return {str(one.key): one for one in reversed(found)}

    def _all(self, state: State, **where: Any) -> list[Record]:
        meant = {"scope": self._scope.path, "layer": LAYER, "state": state.value, **where}
        return self._store.query(Query(reach=self._path.reach, where=parse(meant)))


def _origin(record: Record) -> dict[str, Any]:
    return {"via": record.trust.value, "source": record.source}
