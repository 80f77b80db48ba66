"""Facts: single values by key, until they are changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.core.canonical import check_text
from lamina.core.names import check_key
from lamina.layers.face import Face, only

if TYPE_CHECKING:
    from lamina.core.changes import Receipt
    from lamina.core.record import Record


class Facts(Face):
    """The facts of one agent or project."""

    layer = "fact"

    def save(
        self, key: str, value: str, category: str = "general", *, expect: int | None = None
    ) -> Receipt:
        """Keep a value; with the same key again, the new one counts."""
        kind, text = self._kind(category, "category"), check_text(value, "value")
        return self._put({"key": check_key(key), "text": text, "kind": kind, "expect": expect})

    def get(self, key: str) -> str | None:
        """The value of a key, `None` when there is none.

        A sealed value comes as a reference, which `reveal` opens for who may read it.
        """
        found = self._holder(key)
        return None if found is None else found.text

    def all(self, category: str | None = None, *, limit: int = 1_000) -> dict[str, str]:
        """Every fact, or those of a category, the newest first."""
        return {str(one.key): one.text for one in self.records(category, limit=limit)}

    def records(self, category: str | None = None, *, limit: int = 1_000) -> list[Record]:
        """The records behind the facts, or behind those of a category, the newest first."""
        return self._find(limit, key={"$ne": None}, **only("kind", category, "category"))

    def record(self, key: str) -> Record:
        """The record behind a fact, with its source, trust and times."""
        return self._required(key)

    def forget(self, key: str) -> Receipt:
        """Hide a fact; `undo` brings it back."""
        return self._door.forget(self._required(key).id)
