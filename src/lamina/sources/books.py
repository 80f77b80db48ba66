"""The records of layer `source`: found by key, written and forgotten through the one write path."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, Final

from lamina.core.changes import Change
from lamina.core.filters import parse
from lamina.core.ids import RecordId
from lamina.core.layers import LAYERS, slot
from lamina.core.record import Record, State
from lamina.core.scope import Scope
from lamina.errors import ConflictError
from lamina.sources.catalog import Catalog, Entry, Wanted, file_key
from lamina.stores.base import Store
from lamina.stores.questions import Query
from lamina.writing import WritePath

LAYER: Final = "source"
CHUNK: Final = "chunk"
FILE: Final = "file"
ROOT: Final = "root"
EXTRACT: Final = "extract"
_HELD: Final = (State.CURRENT, State.FORGOTTEN)
_LISTED: Final = 500


class Books:
    """What a scope holds of files, as it stood when it was opened."""

    def __init__(self, store: Store, path: WritePath, scope: Scope) -> None:
        self._store = store
        self._path = path
        self._scope = scope

    @cached_property
    def roots(self) -> dict[str, Record]:
        """The record of every root, by label."""
        return {str(record.key): record for record in self._all(kind=ROOT)}

    def catalog(self, label: str, names: Mapping[str, str]) -> Catalog:
        """What is known of the files of a root, given the names that marks stand for."""
        found = self._all(kind=FILE, source=label)
        return Catalog(label, names, (Entry.from_data(record.data) for record in found))

    def names(self, label: str, digests: Iterable[str]) -> set[str]:
        """The names under which these texts are held in chunks, also in hidden ones."""
        found: set[str] = set()
        wanted = sorted(digests)
        for start, state in product(range(0, len(wanted), _LISTED), _HELD):
            meant = {"$in": wanted[start : start + _LISTED]}
            for record in self._all(state=state, source=label, **{"data.digest": meant}):
                places = (record.data, *record.data.get("also", ()))
                found.update(place["name"] for place in places)
        return found

    @property
    def scope(self) -> str:
        """Where the records belong."""
        return self._scope.path

    def is_store(self, file: Path) -> bool:
        """Whether this is the store itself, where it is one file, or the key or lock beside it."""
        location = self._store.location
        return str(file) == location or str(file).startswith(f"{location}.")

    def reopened(self) -> "Books":
        """The same scope as it stands now."""
        return Books(self._store, self._path, self._scope)

    def current(self, key: str) -> Record | None:
        """The record that holds a key."""
        place = slot(LAYERS[LAYER], self._scope.path, CHUNK, key)
        return self._store.find(self._path.reach, place)

    def fingerprint(self, value: bytes) -> str:
        """A digest that means nothing outside this store."""
        return self._path.fingerprint(value)

    def chunk(self, label: str, wanted: Wanted, text: str | None) -> Change:
        """Write a chunk; without a text it keeps the one that it has."""
        fields: dict[str, Any] = {"data": wanted.data, "tags": [wanted.place.language]}
        if text is not None:
            fields["text"] = text
        return self._put(label, wanted.key, {"kind": CHUNK, **fields})

    def file(self, label: str, entry: Entry) -> Change:
        """Write down what is known of a file."""
        fields = {"kind": FILE, "data": {"root": label, **entry.to_data()}}
        return self._put(label, file_key(label, entry.file), fields)

    def extracts(self, label: str) -> list[Record]:
        """What is known of the files of a root that items were read out of."""
        return self._all(kind=EXTRACT, source=label)

    def extract(self, label: str, key: str, data: dict[str, Any]) -> Change:
        """Write down what was read out of a file."""
        return self._put(label, key, {"kind": EXTRACT, "data": data})

    def _root(self, label: str, folder: str) -> Change:
        """Write down that a root changed; of two who do so at once, one has to look again."""
        before = self.roots.get(label)
        commits = before.data["commits"] if before else 0
        data = {"folder": folder, "commits": commits + 1}
        return self._written(before, label, label, {"kind": ROOT, "data": data})

    def forget(self, key: str) -> Change | None:
        """Hide the record that holds a key, if there is one."""
        record = self.current(key)
        return None if record is None else self._path.move(record, State.FORGOTTEN)

    def commit(self, changes: list[Change], label: str, folder: str) -> int:
        """Carry out changes to a root, all or none; how many secrets were sealed by it.

        Raises:
            ConflictError: Somebody else has changed it meanwhile; look again.
        """
        receipt = self._path.commit([*changes, self._root(label, folder)])
        record = self.current(label)
        if record is not None:
            # At the revision that is ours: if it moved on since, the next commit has to fail.
            self.roots[label] = replace(record, rev=receipt.outcomes[-1].rev)
        return len(receipt.sealed)

    def dismiss(self, label: str) -> None:
        """Forget a root with all that is known of it; left alone if somebody is at work on it."""
        moves = [self._path.move(record, State.FORGOTTEN) for record in self._all(source=label)]
        with suppress(ConflictError):
            self._path.commit(moves)

    def _put(self, label: str, key: str, fields: dict[str, Any]) -> Change:
        return self._written(self.current(key) or self._hidden(key), label, key, fields)

    def _written(
        self, before: Record | None, label: str, key: str, fields: dict[str, Any]
    ) -> Change:
        said = {**fields, "via": "file", "source": label}
        if before is None:
            new: Any = {"text": "", **said, "key": key, "layer": LAYER, "expect": 0}
            return self._path.puts([new], self._scope)[0]
        return replace(self._path.edit(before, said, before.rev), state=State.CURRENT)

    def _hidden(self, key: str) -> Record | None:
        """The forgotten record of a key: a file that comes back finds its chunks again."""
        record_id = self._forgotten.get(key)
        return None if record_id is None else self._path.existing(record_id)

    @cached_property
    def _forgotten(self) -> dict[str, RecordId]:
        found = self._all(state=State.FORGOTTEN)
        return {record.key: record.id for record in reversed(found) if record.key}

    def _all(self, *, state: State = State.CURRENT, **where: Any) -> list[Record]:
        meant = {"scope": self._scope.path, "layer": LAYER, "state": state.value, **where}
        return self._store.query(Query(reach=self._path.reach, where=parse(meant)))
