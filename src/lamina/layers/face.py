"""What all faces share: a door to the engine, a layer, and the scope where its records belong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Unpack

from lamina.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.core.changes import Receipt
    from lamina.core.draft import ContentFields, Draft
    from lamina.core.principal import Principal
    from lamina.core.record import Record
    from lamina.core.scope import Scope
    from lamina.feed import Feed
    from lamina.recalling import How
    from lamina.results import Recall


class Door(Protocol):
    """What a face needs of a handle."""

    principal: Principal
    scope: Scope

    def remember_many(
        self, drafts: Iterable[Draft], *, idempotency_key: str | None = None
    ) -> Receipt:
        """Keep several memories in one commit."""

    def edit(
        self,
        name: str,
        text: str | None = None,
        *,
        expect: int | None = None,
        **fields: Unpack[ContentFields],
    ) -> Receipt:
        """Give a record a new version."""

    def forget(self, *names: str) -> Receipt:
        """Hide records."""

    def query(
        self,
        where: Mapping[str, Any] | None = None,
        *,
        order_by: str | None = None,
        limit: int = 100,
        scope: str | None = None,
    ) -> list[Record]:
        """Records that match a filter."""

    def recall(self, query: str, **how: Unpack[How]) -> Recall:
        """Search by words and meaning."""

    def settings(self) -> dict[str, str]:
        """Every setting with what holds here."""

    def cursor(self) -> str:
        """The present as a place in history."""

    def changes(
        self,
        after: str | None = None,
        *,
        scope: str | None = None,
        follow: bool = False,
        timeout: float | None = None,
    ) -> Feed:
        """What happened behind a cursor, and what happens."""


class Face:
    """One layer at one place."""

    layer: str

    def __init__(self, door: Door, scope: Scope) -> None:
        self._door = door
        self.scope = scope.path
        """Where its records belong."""

    def _put(self, *drafts: Draft) -> Receipt:
        """Keep records of this layer, all of them or none."""
        here: list[Draft] = [{"layer": self.layer, "scope": self.scope, **one} for one in drafts]
        return self._door.remember_many(here)

    def _find(self, limit: int = 100, **where: Any) -> list[Record]:
        """Current records of this layer and place, newest first."""
        return self._door.query({"layer": self.layer, "scope": self.scope, **where}, limit=limit)

    def _holder(self, key: str, **where: Any) -> Record | None:
        """The current record that holds a key."""
        return next(iter(self._find(1, key=key, **where)), None)

    def _required(self, key: str, **where: Any) -> Record:
        found = self._holder(key, **where)
        if found is None:
            raise NotFoundError(
                f"nothing current has the key {key!r:.80} in layer `{self.layer}` of `{self.scope}`"
            )
        return found
