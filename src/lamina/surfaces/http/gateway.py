"""What a client with a key may ask of the store: every call, decided again.

Whatever a client sends, the reach of a question is cut down to its own, changes are made anew by
its own write path, and what tells of others is left out, or kept for the owner of the store.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lamina import clock
from lamina.core import access
from lamina.core.announcements import Audience, MemoryRead, MemorySearch, MemoryWrite, Noted
from lamina.core.changes import Erase
from lamina.core.filters import bounded
from lamina.core.ids import check_id
from lamina.core.names import check_name
from lamina.core.principal import Principal, Surface, check_role
from lamina.core.scope import Scope
from lamina.core.settings import SETTINGS
from lamina.core.text.query import MAX_TERMS
from lamina.errors import (
    ForbiddenError,
    InvalidInputError,
    LaminaError,
    NotFoundError,
    UnsupportedError,
)
from lamina.maintaining import due
from lamina.release import version
from lamina.remote.afar import heard
from lamina.remote.calls import MOST, Me, own_key
from lamina.retaking import Retaking
from lamina.stores.questions import Search
from lamina.surfaces.http.rules import RULES
from lamina.surfaces.http.veil import Veil
from lamina.writing import request_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence, Sized
    from datetime import datetime

    from lamina.answering import Answered
    from lamina.core.access import Reach
    from lamina.core.announcements import Notice
    from lamina.core.chain import Head
    from lamina.core.changes import Commit, Event, Receipt, Version
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.core.retention import Pruned, Retention
    from lamina.core.sealed import Sealed
    from lamina.core.usage import Usage
    from lamina.memory import Memory
    from lamina.results import Erasure, ErasurePlan, Recall, VectorHealth, WhyNot
    from lamina.stores.base import Finding, Page
    from lamina.stores.questions import Found, Lot, Query

_DOORS: Final = (Surface.IMPORT, Surface.PIPELINE, Surface.FILES)
"""The doors that a client may name; whether it may use them is for the write path to say."""
_MOST_GRANTS: Final = 64
_MOST_USES: Final = 1_000
_TIMES: Final = 2
"""How much more than a caller's own a filter may say: a client adds conditions of its own."""
_MOST_TEXTS: Final = 100
"""Each of them is looked for in every record within reach."""
Question = TypeVar("Question", "Query", Search)
Many = TypeVar("Many", bound="Sized")


class Gateway:
    """The store as one caller may use it; methods are those of the calls."""

    def __init__(self, memory: Memory, most_bytes: int) -> None:
        """Take the caller's handle, and how many bytes it may send at once."""
        self._memory = memory
        self._most_bytes = most_bytes
        self.store = memory.store
        self._mine = memory.principal
        self._veil = Veil(memory.store, memory.reach)

    def allow(self, name: str) -> None:
        """Raise unless the caller may make this call at all."""
        rule = RULES[name]
        if rule.whole and not self._mine.is_owner:
            raise ForbiddenError(
                "only an admin of the whole store may do this",
                remedy="Use such a key, or do it where the store is",
            )
        if rule.refused:
            raise UnsupportedError(
                f"a client cannot ask for `{name}`",
                remedy="Do it where the store is, with its directory",
            )

    def _within(self, asked: Reach) -> Reach:
        if len(asked.grants) > _MOST_GRANTS:
            raise InvalidInputError(f"`reach` has more than {_MOST_GRANTS} grants")
        for grant in asked.grants:
            for name in (grant.scope or "global").split("/"):
                check_name(name, "reach")
        return self._memory.reach.meeting(asked)

    def _asked(self, question: Question) -> Question:
        """The question within the caller's reach, and of a size that can be answered."""
        bounded(question.where, _TIMES)
        _few(question.as_of or ())
        if isinstance(question, Search):
            _few(question.terms, MAX_TERMS)
        return replace(question, reach=self._within(question.reach))

    def _speaking(self, by: Principal) -> Memory:
        """The handle of the caller, or of one that it may act for."""
        bound = replace(by, surface=self._mine.surface)
        return self._memory if bound == self._mine else self._memory.acting(bound)

    # -- looking after the store

    def prunable(self, retention: Retention) -> Pruned:
        return self.store.prunable(self._due(retention))

    def prune(self, retention: Retention) -> Pruned:
        return self.store.prune(self._due(retention))

    def _due(self, said: Retention) -> Retention:
        """What may go: by the settings and the clock of the store, whatever was said."""
        del said
        return due(self.store)

    def tidy(self) -> bool:
        return self.store.tidy()

    # -- who is there

    def me(self) -> Me:
        """Who the caller is, and what it connects to."""
        return Me(
            version=version(),
            principal=self._mine,
            identity=self.store.identity,
            capabilities=self.store.capabilities,
            settings=self.settings(),
            most_bytes=self._most_bytes,
        )

    def settings(self) -> dict[str, str]:
        # What else a store notes under a name is between it and its processes.
        return {name: one for name, one in self.store.settings().items() if name in SETTINGS}

    def configure(self, name: str, value: str | None) -> None:
        self._memory.configure(name, value)

    # -- writing

    def commit(self, commit: Commit) -> Receipt:
        handle = self._speaking(commit.by)
        door = commit.by.surface if commit.by.surface in _DOORS else self._mine.surface
        path = handle.path_for(door)
        key = commit.idempotency_key
        request = commit.tx if key == own_key(commit) else None
        try:
            return path.commit(Retaking(self.store, path).all(commit.changes), key, request)
        except LaminaError:
            # Asked again because its answer got lost, a commit meets what it did itself.
            with suppress(LaminaError, ValueError, RecursionError):
                asked = request_of(commit.changes) if request is None else request
                return path.commit([Erase(id=clock.fresh_id())], key, asked)
            raise

    def erase(self, by: Principal, ids: Sequence[RecordId]) -> Erasure:
        return self._speaking(by).erase(*map(check_id, _few(ids)))

    def would_erase(self, by: Principal, ids: Sequence[RecordId]) -> ErasurePlan:
        """What erasing some records would touch."""
        return self._speaking(by).would_erase(*map(check_id, _few(ids)))

    def reveal(self, by: Principal, record_id: RecordId, reference: str) -> str:
        """A sealed value, if the principal may read it."""
        return self._speaking(by).reveal(check_id(record_id), reference)

    def fingerprint(self, value: bytes) -> str:
        """What equal values have in common, as far as the caller may compare them."""
        if not self._mine.is_owner:
            # Under its own name: nobody may try out what a digest of somebody else's says.
            value = f"{self._mine.identity}\0".encode() + value
        return self._memory.path_for(self._mine.surface).fingerprint(value)

    def flush(self) -> None:
        self.store.flush()

    # -- reading within a reach

    def get(
        self, reach: Reach, ids: Sequence[RecordId], as_of: Mapping[str, int] | None
    ) -> list[Record]:
        _few(as_of or ())
        return self.store.get(self._within(reach), _few(ids), as_of=as_of)

    def find(self, reach: Reach, place: str) -> Record | None:
        return self.store.find(self._within(reach), place)

    def query(self, query: Query) -> list[Record]:
        return self.store.query(self._asked(query))

    def count(self, query: Query) -> int:
        return self.store.count(self._asked(query))

    def census(self, query: Query) -> list[Lot]:
        return self.store.census(self._asked(query))

    def search(self, search: Search) -> Found:
        return self.store.search(self._asked(search))

    def waits(self, space: str, reach: Reach) -> bool:
        return self.store.waits(space, self._within(reach))

    def versions(self, reach: Reach, record_id: RecordId) -> list[Version]:
        return self.store.versions(self._within(reach), record_id)

    def changes(self, reach: Reach, after: Mapping[str, int], limit: int) -> Page:
        return self.store.changes(self._within(reach), _few(after), min(limit, MOST))

    def usage(self, reach: Reach, ids: Sequence[RecordId]) -> dict[RecordId, Usage]:
        return self.store.usage(self._within(reach), _few(ids))

    def saying(self, reach: Reach, texts: Sequence[str]) -> list[RecordId]:
        return self.store.saying(self._within(reach), _few(texts, _MOST_TEXTS))

    def walk(self, reach: Reach, stream: str) -> Iterator[Record]:
        return self.store.walk(self._within(reach), stream)

    # -- the log, as far as the caller may know of it

    def events(self, stream: str, after: int, limit: int | None) -> list[Event]:
        return self._veil.events(stream, after, MOST if limit is None else min(limit, MOST))

    def transaction(self, tx: RecordId) -> list[Event]:
        return self._veil.transaction(tx)

    def streams(self) -> list[str]:
        return self._veil.streams()

    def position(self, streams: Collection[str] | None, at: datetime | None) -> dict[str, Head]:
        return self._veil.position(streams and _few(streams), at)

    def newest_instant(self) -> datetime | None:
        return self._veil.newest_instant()

    @property
    def about(self) -> frozenset[str] | None:
        """The streams that the caller's pulse is about."""
        return self._memory.reach.streams()

    def pulse(self) -> int:
        return self._veil.pulse()

    def audit(self, streams: Collection[str] | None) -> list[Finding]:
        return self._veil.audit(streams)

    def tombstones(self, ids: Collection[RecordId]) -> frozenset[RecordId]:
        # An erased id belongs to nobody, so only who sees everything may know of it.
        return self.store.tombstones(ids) if self._mine.is_owner else frozenset()

    def sealed(self, record_id: RecordId) -> list[Sealed]:
        """What is sealed, without the boxes: nobody but the server can open them."""
        if not self.store.get(self._memory.reach, [record_id]):
            return []
        return [replace(box, nonce=b"", box=b"") for box in self.store.sealed(record_id)]

    # -- what is told and counted

    def note(self, notices: Sequence[Notice]) -> None:
        self.store.note([self._noticed(one) for one in _few(notices)])

    def _noticed(self, notice: Notice) -> Notice:
        """A notice of what the caller did itself, now, to what it can see."""
        by = self._speaking(_identified(notice.by))
        who, said = by.principal, notice.said
        if isinstance(said, MemoryWrite):
            raise InvalidInputError("`notices` tells of a write, and the log does that")
        if isinstance(said, MemoryRead | MemorySearch):
            seen = {one.id for one in self.store.get(by.reach, notice.records)}
            if not seen >= set(notice.records):
                raise NotFoundError("`notices` names a record that is not there")
        else:
            access.check_write(who, Scope.of(notice.scope), "session")
        if isinstance(said, MemorySearch):
            notice = replace(notice, scope=(who.home or Scope.of("global")).path, layer="")
        elif not by.reach.covers(notice.scope, notice.layer):
            raise NotFoundError("`notices` names a scope that is not there")
        root = who.root.path if who.root else ""
        said = replace(said, at=clock.now(), actor=who.name)
        return replace(notice, said=said, by=who.identity, root=root, number=0)

    def noted(self, audience: Audience, after: int, limit: int) -> Noted:
        own = audience.identity and self._speaking(_identified(audience.identity))
        identity = own.principal.identity if own else ""
        return self._veil.noted(Audience(self._within(audience.reach), identity), after, limit)

    def note_use(self, used: Mapping[RecordId, int], at: datetime, root: str) -> None:
        del at
        seen = [one.id for one in self.store.get(self._memory.reach, _few(list(used)))]
        counts = {one: min(max(used[one], 0), _MOST_USES) for one in seen}
        mine = self._mine.root
        if mine is not None:
            root = mine.stream
        elif root:
            root = Scope.of(root, "root").stream
        self.store.note_use(counts, clock.now(), root)

    # -- what runs here as a whole

    def recall(self, by: Principal, query: str, how: dict[str, Any], told: bool) -> Recall:
        handle = self._speaking(by)
        if told:
            return handle.recall(query, **heard(how))
        return handle.recalls.find(query, heard(how))  # type: ignore[arg-type]

    def answered(self, by: Principal) -> Answered:
        """How the recalls that the principal may know of went, in this server."""
        return self._speaking(by).recalls.answered()

    def why_not(self, by: Principal, name: str, query: str, how: dict[str, Any]) -> WhyNot:
        """What kept a record that the principal sees out of a recall."""
        return self._speaking(by).why_not(name, query, **heard(how))

    def vectors(self) -> VectorHealth:
        """How far the vectors have come."""
        return self._memory.vectors()

    def catch_up(self) -> str | None:
        return self._memory.catch_up()

    def fold(self) -> None:
        # The server sees to it by itself.
        return

    def fold_is_due(self) -> bool:
        return False

    def progress(self, space: str) -> Any:
        return self.store.progress(space)

    def spaces(self) -> list[str]:
        return self.store.spaces()

    def dimensions(self, space: str) -> int:
        return self.store.dimensions(space)


def _few(values: Many, most: int = MOST) -> Many:
    if len(values) > most:
        raise InvalidInputError(f"{len(values):,} at once are too many; {most:,} are not")
    return values


def _identified(identity: str) -> Principal:
    """The principal of an identity, as `Principal.identity` writes it."""
    role, _, rest = identity.partition(":")
    name, _, root = rest.rpartition("@")
    return Principal(name, check_role(role), None if root == "*" else Scope.of(root, "by"))
