"""`Memory`: the front door. Remember, recall, correct, forget and erase through one handle.

A handle is bound to a principal and a default scope. It parses, calls the write path or the store,
and returns values; what may be seen and done is decided in `lamina.core.access`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Unpack

from lamina import clock
from lamina.core import access, settings
from lamina.core.filters import Filter, parse, parse_order
from lamina.core.ids import RecordId, check_id, is_id
from lamina.core.layers import LAYERS, layer_named
from lamina.core.names import check_key, check_name
from lamina.core.principal import Principal, Role, Surface, check_role
from lamina.core.record import Record, State
from lamina.core.scope import GLOBAL, Scope
from lamina.errors import ForbiddenError, InvalidInputError, NotFoundError
from lamina.results import Erasure, Hit, Recall
from lamina.stores.base import Finding, Query, Search, Severity, Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import TracebackType

    from lamina.core.changes import Receipt, Version
    from lamina.core.draft import ContentFields, Draft, DraftFields
    from lamina.vault import Vault
    from lamina.writing import WritePath

MAX_LIMIT: Final = 10_000
_CURRENT: Final = parse({"state": "current"})


class Memory(AbstractContextManager["Memory"]):
    """Memories as one principal sees them."""

    def __init__(self, store: Store, vault: Vault, principal: Principal) -> None:
        self.store = store
        self.principal = principal
        self.scope = principal.home or GLOBAL
        """Where memories go unless a call says otherwise."""
        self.reach = access.reach(principal)
        """What this handle can see."""
        self._vault = vault

    # -- other handles on the same store

    def project(self, name: str) -> Memory:
        """The same store confined to one project (and reading `global`)."""
        return self._bound(
            replace(self.principal, root=Scope.of(f"project/{check_name(name, 'project')}"))
        )

    def agent(self, name: str, *, project: str | None = None, role: str = "agent") -> Memory:
        """The same store as an agent sees it: its own scope, and its project's common memory."""
        root = (
            f"project/{check_name(project, 'project')}"
            if project
            else f"agent/{check_name(name, 'name')}"
        )
        bound = Principal(name, check_role(role), Scope.of(root), self.principal.surface)
        return self._bound(bound)

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
        return WritePath(self.store, self._vault, speaker, self.reach)

    def _bound(self, principal: Principal) -> Memory:
        """Only an unbound admin hands out handles; anything else would widen what it was given."""
        mine, wanted = self.principal, principal.root
        inside = mine.root is None or (wanted is not None and mine.root.contains(wanted))
        if mine.role is not Role.ADMIN or not inside:
            raise ForbiddenError(
                f"{mine.role.value} `{mine.name}` may not open a handle on `{wanted}`",
                remedy="Open it from the handle that lamina.open() returned",
            )
        return Memory(self.store, self._vault, principal)

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
        from lamina.core.draft import Draft, check_fields

        puts = []
        for draft in drafts:
            check_fields(dict(draft), Draft)
            puts.append(self._path.put(draft, self.scope))
        if not puts:
            raise InvalidInputError("`drafts` is empty", remedy="Pass at least one memory")
        return self._path.commit(puts, idempotency_key)

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
            [self._path.move(record, State.FORGOTTEN) for record in self._all_named(names)]
        )

    def accept(self, record_id: str) -> Receipt:
        """Make a proposal current; what it replaces stays in its history."""
        proposal = self._path.existing(check_id(record_id))
        access.check_settle(self.principal, proposal)
        if proposal.state is not State.PROPOSED:
            raise InvalidInputError(f"record {proposal.id} is {proposal.state.value}, not proposed")
        rivals = self._keyed(proposal) if proposal.key else []
        if not rivals:
            return self._path.commit([self._path.move(proposal, State.CURRENT)])
        replaced = self._path.revert(rivals[0], replace(proposal, supersedes=proposal.id))
        boxes = (*replaced.sealed, *self.store.sealed(proposal.id))
        settled = self._path.move(proposal, State.SUPERSEDED)
        return self._path.commit([replace(replaced, state=State.CURRENT, sealed=boxes), settled])

    def undo(self, tx: str) -> Receipt:
        """Take back a whole transaction, named by its receipt, unless its records moved on."""
        return self._path.commit(self._path.undo(check_id(tx, "tx")))

    def erase(self, *names: str) -> Erasure:
        """Remove records for good, each named by id or key, and verify that the bytes are gone."""
        from lamina import erasing

        return erasing.erase(self.store, self._path, self.reach, self._all_named(names))

    # -- reading

    def get(self, name: str, *, layer: str | None = None, kind: str | None = None) -> Record:
        """One record by id, or the current one that holds a key.

        A key is looked for in the handle's own scope first, then in its root, then in `global`.
        """
        if is_id(name):
            found = self.store.get(self.reach, [RecordId(name)])
            if found:
                return found[0]
        where = {"key": check_key(name)}
        where |= {"layer": layer_named(layer).name} if layer else {}
        where |= {"kind": kind} if kind else {}
        holders = self.query(where, limit=MAX_LIMIT)
        for scope in (self.scope, self.principal.root, GLOBAL):
            here = [record for record in holders if scope and record.scope == scope.path]
            if here:
                return _only(here, name)
        return _only(holders, name)

    def query(
        self,
        where: Mapping[str, Any] | Filter | None = None,
        *,
        order_by: str | None = None,
        limit: int = 100,
        scope: str | None = None,
    ) -> list[Record]:
        """Records that match a filter, newest first; only current ones unless it names a state."""
        query = self._query(where, scope)
        order = parse_order(order_by) or (None, True)
        return self.store.query(replace(query, order_by=order, limit=check_limit(limit)))

    def count(
        self, where: Mapping[str, Any] | Filter | None = None, *, scope: str | None = None
    ) -> int:
        """How many records match a filter."""
        return self.store.count(self._query(where, scope))

    def recall(
        self,
        query: str,
        *,
        k: int = 10,
        layers: Sequence[str] | None = None,
        where: Mapping[str, Any] | Filter | None = None,
        scope: str | None = None,
    ) -> Recall:
        """Search by words, best first; nothing relevant means nothing returned."""
        from lamina.core.text import query_terms

        start = clock.stopwatch()
        if not isinstance(query, str):
            raise InvalidInputError(f"`query` must be text, not {type(query).__name__}")
        wanted = self._query(where, scope)
        searched = wanted.where & _in_layers(layers, wanted.where)
        found = self.store.search(
            Search(
                reach=wanted.reach,
                terms=query_terms(query),
                where=searched,
                live_at=wanted.live_at,
                limit=check_limit(k, "k"),
            )  # fmt: skip
        )
        hits = tuple(Hit(match.record, match.score, match.terms) for match in found)
        older = sum(hit.record.rev - 1 for hit in hits)
        return Recall(hits, older, round((clock.stopwatch() - start) * 1000, 3))

    def history(self, name: str) -> list[Version]:
        """Every change of a record with the version it made, oldest first.

        By id it also shows what became of a record that was forgotten or erased.
        """
        record_id = RecordId(name) if is_id(name) else self.get(name).id
        found = self.store.versions(self.reach, record_id)
        if not found:
            raise NotFoundError(f"there is no record {record_id}")
        return found

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
        for box in self.store.sealed(record.id):
            if box.ref == reference:
                self._path.commit([self._path.witness(record)])
                return self._vault.open(box)
        raise NotFoundError(f"record {record.id} holds no such secret")

    # -- the store itself

    def settings(self) -> dict[str, str]:
        """The settings of the store, with what holds for each."""
        return settings.effective(self.store.settings())

    def configure(self, name: str, value: str) -> None:
        """Choose a setting for everyone on this store."""
        if self.principal.role is not Role.ADMIN or self.principal.root is not None:
            raise ForbiddenError(
                "a handle confined to a project or a role does not change the store's settings",
                remedy="Use the handle that lamina.open(DIRECTORY) returned",
            )
        self.store.configure(name, settings.check_setting(name, value))

    def check(self) -> list[Finding]:
        """Look over the store and the key to its secrets, without changing anything."""
        problem = self._vault.problem()
        secrets = (
            Finding("secrets", Severity.OK, "nothing wrong")
            if problem is None
            else Finding("secrets", Severity.RECORD, problem.message, problem.remedy)
        )
        return [*self.store.check(), secrets]

    def flush(self) -> None:
        """Make everything acknowledged as durable as this store can."""
        self.store.flush()

    def close(self) -> None:
        """Release the store; handles made from this one are closed with it."""
        self.store.close()

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _named(self, name: str) -> Record:
        """A record by id, in whatever state, or the current one that holds a key."""
        if is_id(name):
            return self._path.existing(RecordId(name))
        return self.get(name)

    def _all_named(self, names: Sequence[str]) -> list[Record]:
        if not names:
            raise InvalidInputError("no record was named", remedy="Pass at least one id or key")
        found = {record.id: record for record in map(self._named, names)}
        return list(found.values())

    def _keyed(self, record: Record) -> list[Record]:
        where: dict[str, Any] = {"scope": record.scope, "layer": record.layer, "key": record.key}
        if LAYERS[record.layer].key_includes_kind:
            where["kind"] = record.kind
        return self.store.query(Query(reach=self.reach, where=parse(where) & _CURRENT, limit=1))

    def _query(self, where: Mapping[str, Any] | Filter | None, scope: str | None) -> Query:
        checked = parse(where)
        reach = self.reach if scope is None else self.reach.within(Scope.of(scope))
        only_current = set(_CURRENT.conditions) <= set(checked.conditions)
        if checked.names("state") and not only_current:
            return Query(reach=reach, where=checked)
        if checked.names("expires_at"):
            return Query(reach=reach, where=checked & _CURRENT)
        return Query(reach=reach, where=checked, live_at=clock.now())


def check_limit(limit: object, argument: str = "limit") -> int:
    """Return a limit from 1 to `MAX_LIMIT`."""
    if isinstance(limit, int) and not isinstance(limit, bool) and 1 <= limit <= MAX_LIMIT:
        return limit
    raise InvalidInputError(f"`{argument}` must be from 1 to {MAX_LIMIT:,}, not {limit!r:.40}")


def _in_layers(layers: Sequence[str] | None, where: Filter) -> Filter:
    if layers is None and where.names("layer"):
        return Filter()
    if isinstance(layers, str):
        layers = [layers]
    names = (
        [layer.name for layer in LAYERS.values() if layer.recalled] if layers is None else layers
    )
    return parse({"layer": {"$in": [layer_named(name).name for name in names]}})


def _only(found: Sequence[Record], name: str) -> Record:
    if not found:
        raise NotFoundError(
            f"nothing current has the key or id {name!r:.80}",
            remedy="It may be forgotten or belong elsewhere; look with query or `lamina list`",
        )
    if len(found) > 1:
        places = ", ".join(sorted({f"{r.layer}/{r.kind} in {r.scope}" for r in found})[:5])
        raise InvalidInputError(
            f"the key {name!r:.80} names {len(found)} records: {places}",
            remedy="Name the `layer` and `kind`, or use the id",
        )
    return found[0]
