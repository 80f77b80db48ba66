"""The records that earlier imports made of files, in one scope."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from lamina.core.filters import parse
from lamina.core.ids import RecordId, is_id
from lamina.core.layers import LAYERS, slot
from lamina.core.principal import Surface
from lamina.core.record import Record, State
from lamina.core.scope import Scope
from lamina.importing.marking import NAME, mark_of, marked
from lamina.importing.wanted import Wanted
from lamina.stores.base import Store
from lamina.stores.questions import Query
from lamina.writing import WritePath

LAYER: Final = "knowledge"
_SEEN: Final = (State.CURRENT, State.PROPOSED, State.FORGOTTEN)


class Known:
    """What is known of files, and who holds the keys of their scope."""

    def __init__(self, store: Store, path: WritePath, scope: Scope) -> None:
        self._store = store
        self._path = path
        self._scope = scope

    def has(self, root: str) -> bool:
        """Whether something that stands came from this folder."""
        meant = {"scope": self._scope.path, "layer": LAYER, f"data.{NAME}.root": root}
        return bool(self._store.query(Query(reach=self._path.reach, where=parse(meant), limit=1)))

    def by_file(self, folders: Mapping[str, str], **where: Any) -> dict[str, list[Record]]:
        """The records of every file, of whatever folder.

        `folders` are those inside the one that is imported, by their roots: what was imported from
        one of them alone is known under the name that it has now.
        """
        asked = {"scope": self._scope.path, "layer": LAYER, "data.file": {"$gt": ""}, **where}
        states = {"$in": [state.value for state in _SEEN]}
        query = Query(reach=self._path.reach, where=parse({**asked, "state": states}))
        found: dict[str, list[Record]] = defaultdict(list)
        for record in self._store.query(query):
            mark = mark_of(record)
            if mark is not None:
                file, folder = record.data["file"], folders.get(mark.root)
                found[file if folder is None else f"{folder}/{file}"].append(record)
        return found

    def holder(self, entry: Wanted) -> Record | None:
        """The current record that holds the key of an entry."""
        if entry.key is None:
            return None
        place = slot(LAYERS[LAYER], self._scope.path, entry.kind, entry.key)
        return self._store.find(self._path.reach, place)

    def by_block(self, entry: Wanted) -> Record | None:
        """The record that an entry names by its id, as pages that were exported do."""
        named = entry.data.get("block")
        found = self._store.get(self._path.reach, [RecordId(str(named))]) if is_id(named) else []
        return found[0] if found else None

    def is_erased(self, entry: Wanted) -> bool:
        """Whether the record that an entry names by its id was erased here."""
        named = entry.data.get("block")
        return is_id(named) and bool(self._store.tombstones([RecordId(str(named))]))

    def was_let_go(self, record: Record) -> bool:
        """Whether an import forgot it, because its entry was gone, and not somebody by hand."""
        versions = self._store.versions(self._path.reach, record.id)
        return bool(versions) and versions[-1].event.surface == Surface.IMPORT.value

    def is_touched(self, record: Record) -> bool:
        """Whether anybody has changed what a record says since it was imported."""
        if record.rev == marked(record).rev:
            return False
        before = self._imported(record)
        return before is None or not before.says_the_same(record)

    def imported_text(self, record: Record) -> str:
        """What a record said when it was last imported, as far as that is still kept."""
        if record.rev == marked(record).rev:
            return record.text
        before = self._imported(record)
        return record.text if before is None else before.text

    def _imported(self, record: Record) -> Record | None:
        versions = (one.record for one in self._store.versions(self._path.reach, record.id))
        return next((one for one in versions if one and one.rev == marked(record).rev), None)


def standing(records: Iterable[Record]) -> list[Record]:
    """Those that were not forgotten."""
    return [record for record in records if record.state is not State.FORGOTTEN]
