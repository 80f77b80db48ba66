"""The flat context store of old, over the three tiers, so that code written for it keeps working.

    store = ContextStore(mem.agent("finn", project="web"), task="t-7")
    store.add(ContextItem(id="d-1", kind="decision", source="project/web", payload={"text": "…"}))
    store.items["d-1"]

An item says by its `source` or its tags where it belongs: `project`, `global`, or else the task.
New code uses `task_tier`, `project_tier` and `global_tier` of a handle.
"""

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING

from lamina.backend import Backend, ContextItem
from lamina.core.canonical import check_text
from lamina.core.scope import GLOBAL
from lamina.errors import InvalidInputError
from lamina.memory import Memory

if TYPE_CHECKING:
    from lamina.layers.global_tier import Confirm


class ContextStore:
    """Items of one task, its project and everybody, in one place."""

    def __init__(self, memory: Memory, *, task: str, confirm: "Confirm | None" = None) -> None:
        root = memory.principal.common.path
        self._preferences = memory.global_tier(confirm=confirm) if confirm else memory.global_tier
        self._tiers = {
            "task": Backend(memory, scope=memory.scope.child("task", task).path),
            "project": Backend(memory, layer="knowledge", scope=root),
            "global": Backend(memory, layer="knowledge", scope=GLOBAL.path),
        }
        self.items: MutableMapping[str, ContextItem] = _Items(self)
        """Every item by its id; to set one is to add it."""

    def add(self, item: ContextItem) -> None:
        """Keep an item in its tier; one with the same id is replaced there.

        A global preference asks first, and waits as a proposal where there is nobody to ask.
        """
        if not isinstance(item, ContextItem):
            raise InvalidInputError(f"`item` is no ContextItem: {item!r:.60}")
        tier = self._tier_of(item)
        if tier == "global" and item.kind == "preference":
            category = next((tag for tag in item.tags if tag not in self._tiers), "general")
            text = str(item.payload.get("text") or item.payload.get("preference") or item.id)
            self._preferences.add_preference(text, category, key=item.id)
        else:
            self._tiers[tier].add(item)

    def get(self, item_id: str) -> ContextItem | None:
        """The item with this id, the task's before the project's before everybody's."""
        check_text(item_id, "item_id")
        found = (backend.get(item_id) for backend in self._tiers.values())
        return next((item for item in found if item is not None), None)

    def delete(self, item_id: str) -> bool:
        """Forget the item that `get` would find; whether there was one."""
        check_text(item_id, "item_id")
        return any(backend.delete(item_id) for backend in self._tiers.values())

    def list_all(self) -> list[ContextItem]:
        """Every item, each id once, the task's first."""
        every = (item for backend in self._tiers.values() for item in backend.list_all())
        found: dict[str, ContextItem] = {}
        for item in every:
            found.setdefault(item.id, item)
        return list(found.values())

    def count(self) -> int:
        """How many items there are."""
        return len(self.list_all())

    def clear(self) -> None:
        """Forget what belongs to the task; project and everybody keep theirs."""
        self._tiers["task"].clear()

    def _tier_of(self, item: ContextItem) -> str:
        said = (item.source.split("/", 1)[0], *item.tags)
        return next((name for name in said if name in self._tiers), "task")


class _Items(MutableMapping[str, ContextItem]):
    """The items as the dictionary that they once were."""

    def __init__(self, store: ContextStore) -> None:
        self._store = store

    def __getitem__(self, item_id: str) -> ContextItem:
        found = self._store.get(item_id)
        if found is None:
            raise KeyError(item_id)
        return found

    def __setitem__(self, item_id: str, item: ContextItem) -> None:
        if item_id != item.id:
            raise KeyError(item_id)
        self._store.add(item)

    def __delitem__(self, item_id: str) -> None:
        if not self._store.delete(item_id):
            raise KeyError(item_id)

    def clear(self) -> None:
        # One by one, all that a project knows would go.
        self._store.clear()

    def __iter__(self) -> Iterator[str]:
        return (item.id for item in self._store.list_all())

    def __len__(self) -> int:
        return self._store.count()
