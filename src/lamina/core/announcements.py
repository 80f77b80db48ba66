"""What a memory announces: that something was read, written, searched, flushed or compacted.

Writes are told from the log. Everything else is kept as *notices*: outside the log, only the newest
of them, and for whoever may hear it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Final, TypeAlias

from lamina.core import canonical
from lamina.core.access import Reach
from lamina.core.changes import Action, Changed
from lamina.core.ids import RecordId
from lamina.core.instants import to_text
from lamina.core.names import check_name
from lamina.core.record import Record, State
from lamina.core.scope import stream_of
from lamina.errors import InvalidInputError

MOST_NOTICES: Final = 10_000
"""How many notices a store keeps; older ones go."""
MOST_RESULTS: Final = 100
"""How many of the records found by one search, or handed out by one query, are named."""
LONGEST_QUERY: Final = 1000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NOT_YET: Final = datetime(1, 1, 1, tzinfo=UTC)
_SPELLED: Final = {"session_id": "sessionId"}
"""How the file-based design writes what Python writes otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Announcement:
    name: ClassVar[str]
    at: datetime = _NOT_YET
    """When it happened; filled in when it is announced."""
    actor: str = ""
    """Who did it; filled in when it is announced."""

    def to_json(self) -> dict[str, Any]:
        """The event as JSON, with the fields of the file-based design."""
        said = {_SPELLED.get(name, name): value for name, value in self.payload().items()}
        return {"event": self.name, "at": to_text(self.at), "actor": self.actor, **said}

    def payload(self) -> dict[str, Any]:
        """What this sort of event says beyond when and who."""
        own = (field.name for field in fields(self) if field.name not in ("at", "actor"))
        said = {name: getattr(self, name) for name in own}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in said.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRead(_Announcement):
    """A record was handed out."""

    name: ClassVar[str] = "memory:read"
    type: str
    """The layer."""
    path: str
    """Scope, layer, kind, and the key or else the id."""
    size: int
    """Characters of its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWrite(_Announcement):
    """A record was written, moved or erased."""

    name: ClassVar[str] = "memory:write"
    type: str | None
    """The layer; `None` once the record was erased."""
    path: str
    """As that of a read; of an erased record only its stream and its id are left."""
    delta: int | None
    """Characters gained or lost against the version before; `None` when that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFlush(_Announcement):
    """What a session must not lose was written down before it is compacted."""

    name: ClassVar[str] = "memory:flush"
    session_id: str

    def __post_init__(self) -> None:
        check_name(self.session_id, "session_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCompact(_Announcement):
    """A session was compacted."""

    name: ClassVar[str] = "memory:compact"
    session_id: str
    before: int
    """Tokens before it."""
    after: int
    """Tokens after it."""

    def __post_init__(self) -> None:
        check_name(self.session_id, "session_id")
        for argument, count in (("before", self.before), ("after", self.after)):
            if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count < 2**53:
                raise InvalidInputError(f"`{argument}` must be a number of tokens, not {count!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySearch(_Announcement):
    """Somebody searched by words."""

    name: ClassVar[str] = "memory:search"
    query: str
    """What was asked, without secrets."""
    results: tuple[RecordId, ...]
    """The records found, best first; at most 100 of them. Who may hear of it can see them all."""


Announcement: TypeAlias = MemoryRead | MemoryWrite | MemoryFlush | MemoryCompact | MemorySearch

KINDS: Final[dict[str, type[Announcement]]] = {
    kind.name: kind for kind in (MemoryRead, MemoryWrite, MemoryFlush, MemoryCompact, MemorySearch)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """An announcement as a store keeps it, with all that decides who may hear of it."""

    said: Announcement
    by: str
    """Who did it: the identity of the principal."""
    root: str = ""
    """What that principal is confined to; empty when to nothing."""
    scope: str
    layer: str = ""
    """The layer it is about; empty for a search, which only those hear who see the stream."""
    records: tuple[RecordId, ...] = ()
    """The records it is about: it goes when one of them does."""
    number: int = 0
    """Its place among the notices, given by the store. It grows, and its gaps mean nothing."""


@dataclass(frozen=True, slots=True)
class Audience:
    """Who listens, and what they can see."""

    reach: Reach
    identity: str = ""

    def hears(self, notice: Notice) -> bool:
        """Whether the notice exists for this listener."""
        if not notice.layer:
            known = self.reach.sees_stream(stream_of(notice.scope))
            return known or notice.by == self.identity
        sees = self.reach.covers(notice.scope, notice.layer)
        return sees and self.reach.knows(notice.root)


@dataclass(frozen=True, slots=True)
class Noted:
    """Some of the notices that were kept, in order."""

    notices: tuple[Notice, ...]
    last: int
    """The number of the last one looked at, heard or not; not for showing to anybody."""


def written(change: Changed) -> MemoryWrite | None:
    """A change of the log as an event; to look at a secret is not to write."""
    event, record = change.event, change.record or change.before
    if event.action is Action.WITNESSED:
        return None
    return MemoryWrite(
        at=event.at,
        actor=event.actor,
        type=None if record is None else record.layer,
        path=f"{event.stream}/{event.record}" if record is None else path_of(record),
        delta=_delta(change),
    )


def read(record: Record, at: datetime, actor: str) -> MemoryRead:
    """That a record was handed out."""
    path, size = path_of(record), len(record.text)
    return MemoryRead(at=at, actor=actor, type=record.layer, path=path, size=size)


def path_of(record: Record) -> str:
    """Where a record is, for people."""
    return f"{record.scope}/{record.layer}/{record.kind}/{record.key or record.id}"


def _delta(change: Changed) -> int | None:
    record, before = change.record, change.before
    if record is None:
        return None
    is_first = change.event.rev == 1 or change.event.action is Action.ADOPTED
    if before is None and not is_first:
        return None
    return _size(record) - (0 if before is None else _size(before))


def _size(record: Record) -> int:
    return 0 if record.state is State.FORGOTTEN else len(record.text)


def to_body(notice: Notice) -> str:
    """What of a notice has no column of its own, as text."""
    payload = notice.said.payload()
    # The same list twice would be half of the room that a search takes.
    payload.pop("results", None)
    return canonical.dumps([notice.by, notice.root, list(notice.records), payload])


def from_body(name: str, at: datetime, actor: str, body: str) -> tuple[Announcement, list[Any]]:
    """The event that `to_body` wrote, and the rest: by whom, their root, and the records."""
    by, root, records, payload = canonical.loads(body, "body")
    return _said(name, {**payload, "at": at, "actor": actor}, records), [by, root, tuple(records)]


def _said(name: str, values: Mapping[str, Any], records: Iterable[RecordId]) -> Announcement:
    kind = KINDS[name]
    if kind is MemorySearch:
        return MemorySearch(**values, results=tuple(records))
    return kind(**values)


def check_names(names: object) -> frozenset[str]:
    """The names of the events that are wanted; all of them unless some are named."""
    if names is None:
        return frozenset(KINDS)
    wanted = [names] if isinstance(names, str) else names
    if not isinstance(wanted, Iterable):
        raise InvalidInputError(f"`names` must be names of events, not {type(names).__name__}")
    found = list(wanted)
    for name in found:
        if not isinstance(name, str) or name not in KINDS:
            raise InvalidInputError(
                f"`names` holds no name of an event: {name!r:.60}",
                remedy=f"Use one of: {', '.join(KINDS)}",
            )
    return frozenset(found)


def micros(at: datetime) -> int:
    """An instant as a number, of which notices get theirs; 0 for all before 1970."""
    return max(0, (at - _EPOCH) // timedelta(microseconds=1))
