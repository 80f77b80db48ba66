"""`Memory`: the front door. Remember, recall, correct, forget and erase through one handle.

A handle is bound to a principal and a default scope. It parses, calls the write path or the store,
and returns values; what may be seen and done is decided in `lamina.core.access`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

from lamina.announcing import Announcer
from lamina.core import access
from lamina.core.ids import RecordId, check_id, is_id
from lamina.core.layers import layer_named
from lamina.core.names import check_name
from lamina.core.principal import Principal, Role, Surface, check_role
from lamina.core.record import State
from lamina.core.scope import GLOBAL, Scope
from lamina.core.settings import USE
from lamina.embedding import Vectors
from lamina.errors import ForbiddenError, InvalidInputError
from lamina.keeping import Keeping
from lamina.layers.layered import Layered
from lamina.lifecycle.handle import Living
from lamina.paging.verbs import AgentVerbs
from lamina.reading import Asked, ReadPath

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from lamina.beside import Afar, Beside
    from lamina.core.announcements import Announcement
    from lamina.core.changes import Receipt, Version
    from lamina.core.draft import ContentFields, Draft, DraftFields
    from lamina.core.filters import Filter
    from lamina.core.record import Record
    from lamina.events import Events
    from lamina.feed import Feed
    from lamina.paging import Context
    from lamina.paging.asking import ContextOptions
    from lamina.recalling import How, Recalls
    from lamina.results import Erasure, ErasurePlan, IndexReport, Recall, WhyNot
    from lamina.sources import IndexOptions
    from lamina.stores.base import Store
    from lamina.vault import Vault
    from lamina.writing import WritePath

Handle = TypeVar("Handle", bound="Memory")


class Shared(TypedDict, total=False):
    """What all handles of one process on a store share."""

    vectors: Vectors
    beside: Beside | None
    afar: Afar | None
    overrides: Mapping[str, str]
    """The settings that this process takes otherwise than the store says."""


class Memory(Keeping, Layered, Living):
    """Memories as one principal sees them."""

    def __init__(
        self,
        store: Store,
        vault: Vault,
        principal: Principal,
        announcer: Announcer | None = None,
        **shared: Unpack[Shared],
    ) -> None:
        self.store = store
        self.principal = principal
        self.scope = principal.home or GLOBAL
        """Where memories go unless a call says otherwise."""
        self.reach = access.reach(principal)
        """What this handle can see."""
        self._vault = vault
        self._announcer = announcer or Announcer(store, principal)
        self._vectors = shared.get("vectors") or Vectors(store)
        self._beside, self._afar = shared.get("beside"), shared.get("afar")
        self._overrides = shared.get("overrides", {})
        self._shared: Shared = {**shared, "vectors": self._vectors}

    def __repr__(self) -> str:
        who = f"{self.principal.name} ({self.principal.role.value})"
        return f"<{type(self).__name__} of {self.scope} as {who}>"

    # -- other handles on the same store

    def project(self, name: str) -> Memory:
        """The same store confined to one project (and reading `global`)."""
        root = Scope.of(f"project/{check_name(name, 'project')}")
        return self.acting(replace(self.principal, root=root))

    def agent(self, name: str, *, project: str | None = None, role: str = "agent") -> AgentMemory:
        """The same store as an agent sees it: its own scope, and its project's common memory.

        A handle of a project opens the agents of that project.
        """
        home = self.principal.root
        inside = project or (home.part("project") if home else None)
        check_name(name, "name")
        root = f"project/{check_name(inside, 'project')}" if inside else f"agent/{name}"
        bound = Principal(name, check_role(role), Scope.of(root), self.principal.surface)
        return self._bound(bound, AgentMemory)

    def acting(self, principal: Principal) -> Memory:
        """The same store as somebody else sees it, for servers that know who asks."""
        return self._bound(principal, AgentMemory if principal.role is Role.AGENT else Memory)

    @cached_property
    def _reads(self) -> ReadPath:
        homes = [scope for scope in (self.scope, self.principal.root, GLOBAL) if scope]
        return ReadPath(self.store, self.reach, homes, self._announcer)

    @cached_property
    def recalls(self) -> Recalls:
        """The recall path, for who shows only some of what it finds."""
        from lamina.recalling import RecallPath

        near = RecallPath(self.store, self._reads, self._vectors, self._announcer, self.settings)
        return self._afar.recalls(near, self.principal) if self._afar else near

    @cached_property
    def _path(self) -> WritePath:
        return self.path_for(self.principal.surface)

    def path_for(self, surface: Surface) -> WritePath:
        """The write path of this handle, its changes marked with the door they came through."""
        if surface is not self.principal.surface and self.principal.role is not Role.ADMIN:
            raise ForbiddenError("only an admin chooses the door that changes come through")
        # Imported here, like all that only writing needs: reading one record must start fast.
        from lamina.writing import WritePath

        speaker = replace(self.principal, surface=surface)
        # What comes out of the files goes back there by itself.
        done = self._beside.wrote if self._beside and surface is not Surface.FILES else lambda: None
        return WritePath(self.store, self._vault, speaker, self.reach, self._vectors.owed, done)

    def _bound(self, principal: Principal, kind: type[Handle]) -> Handle:
        """Only an unbound admin hands out handles; anything else would widen what it was given."""
        mine, wanted = self.principal, principal.root
        inside = mine.root is None or (wanted is not None and mine.root.contains(wanted))
        if mine.role is not Role.ADMIN or not inside:
            raise ForbiddenError(
                f"{mine.role.value} `{mine.name}` may not open a handle on `{wanted}`",
                remedy="Open it from the handle of the whole store: lamina.open(DIRECTORY)",
            )
        announcer = self._announcer.of(principal)
        return kind(self.store, self._vault, principal, announcer, **self._shared)

    # -- writing

    def remember(
        self, text: str, *, idempotency_key: str | None = None, **fields: Unpack[DraftFields]
    ) -> Receipt:
        """Keep a memory. With a `key`, the new value replaces the current one.

        Returns a receipt: the id and revision, what happened, and how durable it is.

        Raises:
            InvalidInputError: Something in it cannot be stored; nothing was.
            ForbiddenError: The principal may not write there.
            ConflictError: `expect` did not match.
        """
        draft: Draft = {**fields, "text": text}
        return self.remember_many([draft], idempotency_key=idempotency_key)

    def remember_many(
        self, drafts: Iterable[Draft], *, idempotency_key: str | None = None
    ) -> Receipt:
        """Keep several memories in one commit: all of them, or none."""
        from lamina.core.changes import Action
        from lamina.core.draft import check_drafts

        checked = list(check_drafts(drafts))
        puts = self._path.puts(checked, self.scope)
        if not puts:
            raise InvalidInputError("`drafts` is empty", remedy="Pass at least one memory")
        if self.principal.role in (Role.AGENT, Role.SKILL):
            from lamina.paging.echoing import commit_new

            receipt = commit_new(self, self._path, checked, puts, idempotency_key)
        else:
            # A person's own words are never an echo.
            receipt = self._path.commit(puts, idempotency_key)
        again = [one.id for one in receipt.outcomes if one.action is Action.UNCHANGED]
        if again and self.settings()[USE] == "on":
            # Who says it again vouches for it.
            self._announcer.used(again, self._reads.now())
        return receipt

    def edit(
        self,
        name: str,
        text: str | None = None,
        *,
        expect: int | None = None,
        **fields: Unpack[ContentFields],
    ) -> Receipt:
        """Give a record a new version; what is not named stays as it is."""
        from lamina.core.draft import ContentFields, check_fields

        check_fields(dict(fields), ContentFields)
        changed: dict[str, Any] = {**fields} if text is None else {**fields, "text": text}
        return self._path.commit([self._path.edit(self._named(name), changed, expect)])

    def forget(self, *names: str) -> Receipt:
        """Hide records, each named by id or key; `undo` brings them back."""
        return self._path.commit(
            [self._path.move(record, State.FORGOTTEN) for record in self._all(names)]
        )

    def accept(self, record_id: str) -> Receipt:
        """Make a proposal current; what it replaces stays in its history."""
        from lamina.lifecycle import settling

        receipt = settling.accept(self, record_id)
        assert receipt is not None
        return receipt

    def undo(self, tx: str) -> Receipt:
        """Take back a whole transaction, named by its receipt, unless its records moved on."""
        return self._path.commit(self._path.undo(check_id(tx, "tx")))

    def erase(self, *names: str) -> Erasure:
        """Remove records for good, each named by id or key, and verify that the bytes are gone."""
        from lamina.removing import Removing

        return Removing(self.store, self._path, self._beside, self._afar).erase(self._all(names))

    def would_erase(self, *names: str) -> ErasurePlan:
        """What `erase` would remove, and what of it would stay; nothing is changed."""
        from lamina.removing import Removing

        return Removing(self.store, self._path, self._beside, self._afar).plan(self._all(names))

    def index(self, path: str | Path, **options: Unpack[IndexOptions]) -> IndexReport:
        """Take the text files at or below a path into layer `source`, and follow their changes."""
        from lamina import sources

        return sources.index(self, path, **options)

    # -- reading

    def get(
        self,
        name: str,
        *,
        layer: str | None = None,
        kind: str | None = None,
        as_of: str | datetime | None = None,
    ) -> Record:
        """One record by id, or the current one that holds a key; `as_of` asks about the past.

        A key is looked for in the handle's own scope first, then in its root, then in `global`.
        """
        where = {"layer": layer_named(layer).name} if layer else {}
        where |= {"kind": kind} if kind else {}
        return self._reads.get(name, where=where, as_of=as_of)

    def query(
        self,
        where: Mapping[str, Any] | Filter | None = None,
        *,
        order_by: str | None = None,
        limit: int = 100,
        scope: str | None = None,
        as_of: str | datetime | None = None,
    ) -> list[Record]:
        """Records that match a filter, newest first; only current ones unless it names a state.

        `as_of` is an instant or a cursor: the answer is the one that was right then, except for
        what was erased since.
        """
        return self._reads.query(Asked(where, scope, as_of), order_by=order_by, limit=limit)

    def count(
        self,
        where: Mapping[str, Any] | Filter | None = None,
        *,
        scope: str | None = None,
        as_of: str | datetime | None = None,
    ) -> int:
        """How many records match a filter."""
        return self._reads.count(Asked(where, scope, as_of))

    def recall(self, query: str, **how: Unpack[How]) -> Recall:
        """Search by words and meaning, best first; nothing relevant means nothing returned.

        `k` says how many at most, `layers`, `where`, `scope` and `as_of` which records come into
        question, `now` what words like "yesterday" are read against, `floor` how likely a hit must
        be, `diversity` how different hits should be, `budget` how many tokens they may have
        together, and `weights` how much words, meaning and the other signals count.
        """
        return self.recalls.recall(query, how)

    def context(self, query: str = "", **options: Unpack[ContextOptions]) -> Context:
        """What to put before a model: hot state and what is relevant, in a budget of tokens."""
        from lamina.paging.assembling import assemble

        return assemble(self, self.recalls, query, options)

    def why_not(self, name: str, query: str, **how: Unpack[How]) -> WhyNot:
        """What kept a record, named by id or key, out of a recall asked in the same words."""
        return self.recalls.why_not(self._named(name), query, how)

    def history(self, name: str) -> list[Version]:
        """Every change of a record with the version it made, oldest first.

        By id it also shows what became of a record that was forgotten or erased.
        """
        return self._reads.history(RecordId(name) if is_id(name) else self._reads.named(name).id)

    def changes(
        self,
        after: str | None = None,
        *,
        scope: str | None = None,
        follow: bool = False,
        timeout: float | None = None,
    ) -> Feed:
        """What happened behind a cursor, or from the beginning, each change once and in order.

        With `follow` the feed goes on with what happens next, by whatever process, and waits for
        it: for ever, or until nothing has happened for `timeout` seconds.
        """
        from lamina.feed import Feed, check_timeout

        reads = self._reads
        start = reads.beginning(scope) if after is None else reads.cursor(after, "after", scope)
        reach = reads.within(scope)
        return Feed(self.store, reach, start, follow=follow, patience=check_timeout(timeout))

    def events(
        self,
        after: str | None = None,
        *,
        names: Sequence[str] | None = None,
        scope: str | None = None,
        follow: bool = False,
        timeout: float | None = None,
    ) -> Events:
        """Reads, writes, flushes, compactions and searches, as typed values: `lamina.events`.

        Writes come as in `changes`, the rest as far as kept; reads and searches if switched on.
        """
        from lamina.events import Events, Wanted

        wanted = Wanted(after, names, scope, follow, timeout)
        return Events(self.store, self._reads, self.principal.identity, wanted)

    def announce(self, event: Announcement, *, scope: str | None = None) -> Announcement:
        """Tell those who listen of a flush or a compaction; when and by whom is filled in."""
        return self._announcer.announce(event, scope)

    def cursor(self) -> str:
        """The present as a place in history: for `changes`, `events` and `as_of`."""
        return self._reads.here().to_text()

    def reveal(self, name: str, reference: str) -> str:
        """Read a sealed value; the log keeps who did."""
        from lamina.core.sealed import is_reference

        record = self._named(name)
        if not is_reference(reference):
            raise InvalidInputError(f"`reference` is not a secret:// reference: {reference!r:.60}")
        if not access.may_reveal(self.principal, record):
            raise ForbiddenError(
                f"{self.principal.role.value} `{self.principal.name}` may not read this secret",
                remedy="Its owner may, and an orchestrator or admin of its project",
            )
        value = self._path.reveal(record, reference)
        self._announcer.read([] if self._afar else [record])
        return value

    def _named(self, name: str) -> Record:
        """A record by id, in whatever state, or the current one that holds a key."""
        return self._path.existing(RecordId(name)) if is_id(name) else self._reads.named(name)

    def _all(self, names: Sequence[str]) -> list[Record]:
        if not names:
            raise InvalidInputError("no record was named", remedy="Pass at least one id or key")
        return list({record.id: record for record in map(self._named, names)}.values())


class AgentMemory(AgentVerbs, Memory):
    """Memories as one agent sees them, with what an agent does by the names it knows."""
