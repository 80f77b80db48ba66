"""What all faces share: a door to the engine, a layer, and the scope where its records belong."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, Unpack

from lamina.core.canonical import check_text
from lamina.core.instants import looking_back
from lamina.core.layers import LAYERS, check_kind_of
from lamina.core.names import check_kind, check_name
from lamina.core.record import State
from lamina.errors import ConflictError, InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from lamina.core.access import Reach
    from lamina.core.announcements import Announcement
    from lamina.core.changes import Receipt
    from lamina.core.draft import ContentFields, Draft
    from lamina.core.principal import Principal, Surface
    from lamina.core.record import Record
    from lamina.core.scope import Scope
    from lamina.feed import Feed
    from lamina.layers.working import Working
    from lamina.recalling import How
    from lamina.results import Recall
    from lamina.stores.base import Store
    from lamina.writing import WritePath

T = TypeVar("T")
_TRIES: Final = 100
PAGE: Final = 10_000
"""How many records are asked for at once where all are meant."""


class Door(Protocol):
    """What a face needs of a handle."""

    principal: Principal
    scope: Scope
    store: Store
    reach: Reach

    @property
    def working(self) -> Working:
        """What this agent has in mind."""

    def path_for(self, surface: Surface) -> WritePath:
        """The write path, for changes of several sorts in one commit."""

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

    def get(self, name: str) -> Record:
        """One record by id, or the current one that holds a key."""

    def count(self, where: Mapping[str, Any] | None = None) -> int:
        """How many records match a filter."""

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

    def announce(self, event: Announcement, *, scope: str | None = None) -> Announcement:
        """Tell those who listen of a flush or a compaction."""


class Face:
    """One layer at one place."""

    layer: str

    def __init__(self, door: Door, scope: Scope) -> None:
        self._door = door
        self.scope = scope.path
        """Where its records belong."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.scope}>"

    def _put(self, *drafts: Draft) -> Receipt:
        """Keep records of this layer, all of them or none."""
        here: list[Draft] = [{"layer": self.layer, "scope": self.scope, **one} for one in drafts]
        return self._door.remember_many(here)

    @property
    def _path(self) -> WritePath:
        """The write path of this handle."""
        return self._door.path_for(self._door.principal.surface)

    def _find(self, limit: int = 100, **where: Any) -> list[Record]:
        """Current records of this layer and place, newest first."""
        return self._door.query({"layer": self.layer, "scope": self.scope, **where}, limit=limit)

    def _every(self, **where: Any) -> list[Record]:
        """All current records of this layer and place, however many, oldest first."""
        return list(every(self._door, {"layer": self.layer, "scope": self.scope, **where}))

    def _moved(self, records: Sequence[Record], state: State) -> Receipt | None:
        """Give records another state, in one change that can be undone; nothing without any."""
        path = self._path
        return path.commit([path.move(one, state) for one in records]) if records else None

    def _now(self) -> datetime:
        """What time it is, as far as the store believes the clock."""
        from lamina.timing import StoreClock

        return StoreClock(self._door.store).now()

    def _kind(self, kind: object, argument: str) -> str:
        """A kind of this layer, as a caller says it."""
        return check_kind_of(LAYERS[self.layer], check_kind(kind, argument), argument)

    def _holder(self, key: object, argument: str = "key", **where: Any) -> Record | None:
        """The current record that holds a key."""
        return next(iter(self._find(1, **only("key", key or "", argument), **where)), None)

    def _required(self, key: object, argument: str = "key", **where: Any) -> Record:
        found = self._holder(key, argument, **where)
        if found is None:
            place = f"in layer `{self.layer}` of `{self.scope}`"
            raise NotFoundError(
                f"nothing current has the key {key!r:.80} {place}",
                remedy="It may be forgotten, or be kept in another scope",
            )
        return found


class Prunable(Face):
    """A layer of what work has left behind, of which the old or the unneeded may go."""

    def _task(self, task: object) -> str:
        """What a task is called; where agents work on a graph of tasks, it has to be there.

        Elsewhere nobody need keep tasks to keep what was tried for them.
        """
        name = check_name(task, "task")
        here = {"layer": "task", "scope": self.scope}
        ever = {"state": {"$in": [state.value for state in State]}}
        is_known = self._door.query({**here, **ever, "key": name}, limit=1)
        if not is_known and self._door.query({**here, "data.agent": {"$ne": None}}, limit=1):
            raise NotFoundError(
                f"`task`: the project has no task {name!r:.80}",
                remedy="`lamina tasks` shows those there are; or add it first",
            )
        return name

    def prune(self, *, task: str | None = None, before: str | None = None) -> Receipt | None:
        """Forget entries of a task, those from before a time, or where both are named, of both.

        `before` is an instant, or a span such as `30d` back from now. It is one change, which
        `undo` takes back. An agent prunes what is its own; nothing when there is nothing to go.
        """
        where = only("data.task", task, "task")
        if before is not None:
            where |= made_before(looking_back(before, self._now(), "before"))
        if not where:
            raise InvalidInputError(
                "nothing says what may go", remedy="Name a `task`, `before`, or both"
            )
        return self._moved(self._every(**where), State.FORGOTTEN)


def only(field: str, value: object, argument: str) -> dict[str, Any]:
    """A filter on one field, where a value was given: text, for an object would say more."""
    return {} if value is None else {field: check_text(value, argument)}


def made_before(instant: datetime) -> dict[str, Any]:
    """A filter on what is older than an instant, whatever became of it since."""
    return {"created_at": {"$lt": instant}}


def settled(attempt: Callable[[], T]) -> T:
    """What comes of reading and then changing, tried anew while others are faster.

    Raises:
        ConflictError: They were each time.
    """
    for _ in range(_TRIES - 1):
        with suppress(ConflictError):
            return attempt()
    return attempt()


def every(door: Door, where: Mapping[str, Any], scope: str | None = None) -> Iterator[Record]:
    """All records that match a filter, however many, in the order in which they were made."""
    after = ""
    while True:
        found = door.query({**where, "id": {"$gt": after}}, order_by="-id", limit=PAGE, scope=scope)
        yield from found
        if len(found) < PAGE:
            return
        after = found[-1].id


def in_order(door: Door, where: Mapping[str, Any]) -> Iterator[Record]:
    """All records that match a filter, however many, as they were said."""
    since: dict[str, Any] = {}
    while True:
        asked = {**where, **since}
        found = door.query(asked, order_by="-created_at", limit=PAGE)
        last = found[-1].created_at if len(found) == PAGE else None
        if last is not None and found[0].created_at == last:
            # One commit made more than a page of them: complete, though in no order.
            yield from every(door, {**where, "created_at": last})
            since = {"created_at": {"$gt": last}}
            continue
        # Those of one instant come newest first, and the last ones may not be all of theirs.
        whole = [one for one in reversed(found) if one.created_at != last]
        yield from sorted(whole, key=lambda one: one.created_at)
        if last is None:
            return
        since = {"created_at": {"$gte": last}}
