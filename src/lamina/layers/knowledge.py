"""Knowledge: what holds for a project, one current value for each category and key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack, cast

from lamina.core.canonical import check_text
from lamina.core.names import check_key
from lamina.layers.face import Face, only

if TYPE_CHECKING:
    from lamina.core.changes import Receipt
    from lamina.core.draft import ContentFields, Draft
    from lamina.core.record import Record


class Knowledge(Face):
    """The knowledge of one project, agent or of everybody."""

    layer = "knowledge"

    def put(
        self,
        category: str,
        key: str,
        value: str,
        *,
        expect: int | None = None,
        **fields: Unpack[ContentFields],
    ) -> Receipt:
        """Keep a value; the one that had the category and key before stays in its history.

        Where another had the key, the rules of conflict decide; who loses is kept as a proposal.
        """
        said = {
            **fields, "kind": self._kind(category, "category"), "key": check_key(key),
            "text": check_text(value, "value"), "expect": expect,
        }  # fmt: skip
        return self._put(cast("Draft", said))

    def get(self, category: str, key: str) -> Record | None:
        """The current record of a category and key."""
        return self._holder(key, **only("kind", category, "category"))

    def query(
        self, category: str | None = None, *, source: str | None = None, limit: int = 100
    ) -> list[Record]:
        """What is known, newest first: of a category, or from a source."""
        where = only("kind", category, "category") | only("source", source, "source")
        return self._find(limit, **where)

    def proposals(self, *, limit: int = 100) -> list[Record]:
        """What was said by who may not decide, and waits to be accepted."""
        return self._find(limit, state="proposed")

    def delete(self, category: str, key: str) -> Receipt:
        """Hide a value; `undo` brings it back."""
        return self._door.forget(self._required(key, **only("kind", category, "category")).id)
