"""The seven verbs of a plain item store, for code that thinks in items rather than memories.

`add`, `query`, `get`, `delete`, `list_all`, `clear` and `count` over one scope and layer. An item's
own id becomes the record's key; its payload becomes the record's data.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lamina.core.record import Record
from lamina.core.scope import Scope
from lamina.errors import InvalidInputError
from lamina.memory import Memory
from lamina.reading import MAX_LIMIT

_FIELDS: Final = {
    "id": "key", "kind": "kind", "source": "source", "timestamp": "created_at", "tags": "tags",
    "importance": "importance", "token_cost": "tokens",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """An item of the paged-tier design; `source`, `timestamp` and cost are ours to fill."""

    id: str
    kind: str
    payload: dict[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    importance: float = 0.5
    source: str = ""
    timestamp: str = ""
    token_cost: int = 0


class Backend:
    """Items in one scope and layer of a memory: its own scope, unless another is named."""

    def __init__(
        self, memory: Memory, *, layer: str = "notebook", scope: str | None = None
    ) -> None:
        self._memory = memory
        self._layer = layer
        self._scope = memory.scope.path if scope is None else Scope.of(scope).path

    def add(self, item: ContextItem) -> None:
        """Keep an item; one with the same id is replaced."""
        text = item.payload.get("text")
        self._memory.remember(
            text if isinstance(text, str) and text else item.id,
            key=item.id, kind=item.kind, layer=self._layer, scope=self._scope,
            tags=item.tags, importance=item.importance, data=item.payload,
        )  # fmt: skip

    def query(
        self, filters: Mapping[str, Any], limit: int = 100, order_by: str = "timestamp"
    ) -> list[ContextItem]:
        """Items that match every filter, newest first; `-field` reverses."""
        descending = "" if not order_by.startswith("-") else "-"
        field_name = _field(order_by.removeprefix("-"))
        where = {_field(name): value for name, value in filters.items()}
        found = self._memory.query(
            {**where, **self._here()}, order_by=f"{descending}{field_name}", limit=limit
        )
        return [_item(record) for record in found]

    def get(self, item_id: str) -> ContextItem | None:
        """The item with this id, or nothing."""
        found = self._memory.query({**self._here(), "key": item_id}, limit=1)
        return _item(found[0]) if found else None

    def delete(self, item_id: str) -> bool:
        """Forget an item; whether there was one."""
        found = self._memory.query({**self._here(), "key": item_id}, limit=1)
        if found:
            self._memory.forget(found[0].id)
        return bool(found)

    def list_all(self) -> list[ContextItem]:
        """Every item, newest first."""
        return [_item(record) for record in self._memory.query(self._here(), limit=MAX_LIMIT)]

    def clear(self) -> None:
        """Forget every item."""
        while found := self._memory.query(self._here(), limit=1000):
            self._memory.forget(*(record.id for record in found))

    def count(self) -> int:
        """How many items there are."""
        return self._memory.count(self._here())

    def _here(self) -> dict[str, Any]:
        return {"scope": self._scope, "layer": self._layer}


def _field(name: str) -> str:
    if name.startswith("payload."):
        return "data." + name.removeprefix("payload.")
    if name not in _FIELDS:
        raise InvalidInputError(
            f"items have no field {name!r:.40}",
            remedy=f"Use one of: {', '.join(_FIELDS)}, or payload.NAME",
        )
    return _FIELDS[name]


def _item(record: Record) -> ContextItem:
    return ContextItem(
        id=record.key or record.id,
        kind=record.kind,
        payload=record.data,
        tags=record.tags,
        importance=record.importance,
        source=record.source,
        timestamp=record.created_at.isoformat(),
        token_cost=record.tokens,
    )
