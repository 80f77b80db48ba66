"""The write path, the only way in: normalise → seal secrets → authorise → analyse → commit."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lamina import clock
from lamina.core import canonical, settings
from lamina.core.access import (
    EVERYTHING,
    Reach,
    check_change,
    check_removal,
    check_settle,
    check_write,
    waits_for_review,
)
from lamina.core.changes import (
    Action,
    Adopt,
    Change,
    Commit,
    Erase,
    Event,
    Move,
    Put,
    Receipt,
    Witness,
)
from lamina.core.draft import (
    DEFAULT_LAYER,
    Draft,
    check_rev,
    check_scope_key,
    expiry,
    new_content,
    revised_content,
)
from lamina.core.filters import parse
from lamina.core.ids import RecordId
from lamina.core.indexing import index_terms
from lamina.core.layers import LAYERS, layer_named
from lamina.core.principal import Principal
from lamina.core.record import Content, Record, State, content_to_json, to_json
from lamina.core.scope import Scope
from lamina.core.sealed import REDACTED, REFERENCE, Sealed
from lamina.core.text import estimate_tokens
from lamina.errors import ConflictError, InvalidInputError, LaminaError, NotFoundError
from lamina.sealing import seal_content
from lamina.stores.base import Store
from lamina.stores.questions import Query
from lamina.timing import StoreClock
from lamina.vault import DistantVault, Vault


class WritePath:
    """Turns what a principal asks for into changes, and commits them."""

    def __init__(
        self,
        store: Store,
        vault: Vault,
        speaker: Principal,
        reach: Reach,
        owed: Callable[[int], tuple[str, ...]] = lambda texts: (),
        done: Callable[[], None] = lambda: None,
    ) -> None:
        self._store = store
        self._vault = vault
        self._speaker = speaker
        self._reach = reach
        self._owed = owed
        """Told how many texts were written; says what has to follow."""
        self._done = done
        """Told that something was committed."""
        self._clock = StoreClock(store)

    @property
    def speaker(self) -> Principal:
        """Who changes something, and through which door."""
        return self._speaker

    @property
    def reach(self) -> Reach:
        """What the speaker can see."""
        return self._reach

    def puts(self, drafts: Iterable[Draft], default_scope: Scope) -> list[Put]:
        """For each draft a new record, or a new version of the one that holds its key."""
        chosen = self._store.settings()
        return [self._put(draft, default_scope, chosen) for draft in drafts]

    def _put(self, draft: Draft, default_scope: Scope, chosen: Mapping[str, str]) -> Put:
        layer = layer_named(draft.get("layer", DEFAULT_LAYER)).name
        scope = Scope.of(draft.get("scope", default_scope))
        key = check_scope_key(draft.get("key"))
        if key is not None and "kind" not in draft:
            draft = self._with_kind_in_force(draft, scope, layer, key)
        content = _not_empty(new_content(draft.get("text", ""), draft, layer, self._speaker))
        if "expires" in draft:
            content = replace(content, expires_at=expiry(draft["expires"], self._clock.now()))
        content, sealed = self._sealed(content, scope.stream, key, chosen)
        check_write(self._speaker, scope, layer)
        return Put(
            id=clock.fresh_id(), scope=scope.path, layer=layer, key=key, content=content,
            proposal=self._only_proposes(scope, layer, chosen),
            expect=check_rev(draft.get("expect")), terms=index_terms(content, key), sealed=sealed,
            lifetime=str(draft.get("expires", "")),
        )  # fmt: skip

    def edit(self, record: Record, fields: dict[str, Any], expect: int | None) -> Put:
        """A new version of a record that the principal can see."""
        content = _not_empty(revised_content(record, fields, record.layer, self._speaker))
        if "expires" in fields:
            content = replace(content, expires_at=expiry(fields["expires"], self._clock.now()))
        return self._revision(record, content, expect)

    def revert(self, record: Record, earlier: Record) -> Put:
        """Back to an earlier version, provided that nobody has moved on since."""
        check_removal(self._speaker, record)
        self.check_settling(record, earlier.state, earlier.content)
        put = self._revision(record, earlier.content, record.rev)
        return replace(put, state=earlier.state)

    def move(self, record: Record, state: State) -> Move:
        """Another state for a record; bringing it back needs its words again."""
        check_removal(self._speaker, record)
        self.check_settling(record, state)
        terms = index_terms(record, record.key)
        return Move(id=record.id, state=state, expect=record.rev, terms=terms)

    def still(self, record_id: RecordId, rev: int) -> Move:
        """No change, but a condition: nothing else is written unless this is the latest version."""
        return Move(id=record_id, state=State.CURRENT, expect=rev)

    def erase(self, record: Record) -> Erase:
        """The removal of a record that the principal may remove."""
        check_removal(self._speaker, record)
        return Erase(id=record.id)

    def adopt(self, record: Record, chosen: Mapping[str, str] | None = None) -> Adopt:
        """A version from elsewhere, sealed and analysed like everything else.

        `chosen` are the settings of the store, from whoever brings so many that each would ask.
        """
        scope = Scope.of(record.scope)
        chosen = self._store.settings() if chosen is None else chosen
        content, sealed = self._sealed(record.content, scope.stream, record.key, chosen)
        check_write(self._speaker, scope, record.layer)
        terms = index_terms(content, record.key)
        return Adopt(record=record.with_content(content), terms=terms, sealed=sealed)

    def reveal(self, record: Record, reference: str) -> str:
        """A sealed value of a record whose secrets the speaker may read; the log keeps who did."""
        if isinstance(self._vault, DistantVault):
            return self._vault.reveal(self._speaker, record.id, reference)
        for box in self._store.sealed(record.id):
            if box.ref == reference:
                self.commit([Witness(id=record.id)])
                return self._vault.open(box)
        raise NotFoundError(f"record {record.id} holds no such secret")

    def commit(
        self,
        changes: Sequence[Change],
        idempotency_key: str | None = None,
        request: str | None = None,
    ) -> Receipt:
        """Carry out changes, all or none; under a key, once for the same request.

        `request` is what was asked for, where that is not to be told from the changes.
        """
        if idempotency_key is not None:
            canonical.check_text(idempotency_key, "idempotency_key", limit=512)
            if not idempotency_key:
                raise InvalidInputError("`idempotency_key` is empty", remedy="Leave it out")
            request = request_of(changes) if request is None else request
        commit = Commit(
            changes=tuple(changes),
            by=self._speaker,
            at=self._clock.now(),
            tx=clock.fresh_id(),
            idempotency_key=idempotency_key,
            request=request or "",
        )
        receipt = self._store.commit(commit)
        self._done()
        written = [change for change in changes if isinstance(change, Put | Adopt)]
        sealed = dict.fromkeys(box.ref for change in written for box in change.sealed)
        texts = sum(bool(change.terms) for change in written)
        pending = self._owed(texts) if texts else ()
        # A server has said itself what it sealed, and what it owes.
        return replace(
            receipt, sealed=tuple(sealed) or receipt.sealed, pending=pending or receipt.pending
        )

    def undo(self, tx: RecordId) -> list[Change]:
        """The changes that take back a whole transaction, if none of its records moved since."""
        events = [e for e in self._store.transaction(tx) if e.action is not Action.WITNESSED]
        ids = list(dict.fromkeys(event.record for event in events))
        found = {record.id: record for record in self._store.get(self._reach, ids)}
        if not found:
            raise self._out_of_reach(tx, events)
        if len(found) < len(ids):
            raise ConflictError(
                f"transaction {tx} cannot be undone whole",
                remedy="Part of it was erased or is not yours; edit the records instead",
            )
        # A record changed twice in one transaction goes back to before the first change.
        first = {event.record: event.rev for event in reversed(events)}
        last = {event.record: event.rev for event in events}
        for record_id, record in found.items():
            if record.rev != last[record_id] and not self._is_again(record, last[record_id]):
                raise ConflictError(
                    f"record {record_id} has changed since transaction {tx}",
                    remedy="Undo the later change first, or edit the record",
                )
        return [self._taken_back(found[record_id], first[record_id] - 1) for record_id in ids]

    def _is_again(self, record: Record, rev: int) -> bool:
        """Whether a record is what it was at a revision, because what came later was undone."""
        was = next((v.record for v in self._store.versions(self._reach, record.id)
                    if v.record and v.record.rev == rev), None)  # fmt: skip
        return was is not None and (was.content, was.state) == (record.content, record.state)

    def _out_of_reach(self, tx: RecordId, events: Sequence[Event]) -> LaminaError:
        """Why a transaction has no record left: to those who see the stream, it was erased."""
        is_open = events and all(self._reach.sees_stream(event.stream) for event in events)
        if is_open and not self._store.get(EVERYTHING, [event.record for event in events]):
            return ConflictError(
                f"transaction {tx} cannot be undone: what it changed was erased since",
                remedy="Nothing brings an erased memory back; remember it anew",
            )
        return NotFoundError(f"there is no transaction {tx}")

    def _taken_back(self, record: Record, rev: int) -> Change:
        """The change that brings a record back to a revision; 0 is before it was there."""
        if rev == 0:
            return self.move(record, State.FORGOTTEN)
        kept = self._store.versions(self._reach, record.id)
        earlier = next((v.record for v in kept if v.record and v.record.rev == rev), None)
        if earlier is None:
            raise ConflictError(f"the version of record {record.id} before that is no longer kept")
        if earlier.content == record.content:
            return self.move(record, earlier.state)
        return self.revert(record, earlier)

    def fingerprint(self, value: bytes) -> str:
        """What equal values have in common, without telling anything of the secrets in them."""
        return self._vault.fingerprint(value)

    def sign(self, value: bytes) -> bytes:
        """What only those can write under a value who have the key of this store's vault."""
        return self._vault.sign(value)

    def existing(self, record_id: RecordId) -> Record:
        """A record within reach; what is beyond it does not exist."""
        found = self._store.get(self._reach, [record_id])
        if not found:
            raise NotFoundError(f"there is no record {record_id}")
        return found[0]

    def check_settling(self, record: Record, state: State, said: Content | None = None) -> None:
        """Raise if the move would accept a proposal, and that is not the speaker's to do.

        `said` is what the record then says; its own content unless given.
        """
        if state is not State.CURRENT or record.state is State.CURRENT:
            return
        waits = self._only_proposes(
            Scope.of(record.scope), record.layer, self._store.settings()
        ) and not self._was_current(record, said or record.content)
        if record.state is State.PROPOSED or waits:
            check_settle(self._speaker, record)

    def _was_current(self, record: Record, said: Content) -> bool:
        """Whether a record has counted with this content before, so that nobody need review it."""
        kept = (version.record for version in self._store.versions(self._reach, record.id))
        return any(one and one.state is State.CURRENT and one.content == said for one in kept)

    def _with_kind_in_force(self, draft: Draft, scope: Scope, layer: str, key: str) -> Draft:
        """A key that stands once is meant, whatever its kind: correcting it needs no more."""
        # Messages of one id differ by their kind alone, so there the kind is never guessed.
        if not LAYERS[layer].key_includes_kind or LAYERS[layer].append_only:
            return draft
        where = parse({"scope": scope.path, "layer": layer, "key": key, "state": "current"})
        holders = self._store.query(Query(reach=self._reach, where=where, limit=2))
        return {**draft, "kind": holders[0].kind} if len(holders) == 1 else draft

    def _revision(self, record: Record, content: Content, expect: int | None) -> Put:
        scope = Scope.of(record.scope)
        chosen = self._store.settings()
        content, sealed = self._sealed(content, scope.stream, record.key, chosen)
        check_change(self._speaker, record)
        return Put(
            id=clock.fresh_id(), scope=record.scope, layer=record.layer, key=record.key,
            content=content, revises=record.id, expect=check_rev(expect),
            proposal=self._only_proposes(scope, record.layer, chosen),
            terms=index_terms(content, record.key), sealed=sealed,
        )  # fmt: skip

    def _sealed(
        self, content: Content, stream: str, key: str | None, chosen: Mapping[str, str]
    ) -> tuple[Content, tuple[Sealed, ...]]:
        off = settings.in_force(chosen, "secrets.seal") == "off"
        if off or isinstance(self._vault, DistantVault):
            return content, ()
        # Under the speaker's own name: otherwise an agent could guess a short secret of another's
        # by writing candidates until one gets the same reference.
        owner = f"{stream} {self._speaker.identity}"
        clean, sealed = seal_content(content, self._vault, owner, key=key)
        if not sealed:
            return content, ()
        # The estimate must not tell how long a secret is, nor vary with its reference.
        tokens = estimate_tokens(REFERENCE.sub(REDACTED, clean.text))
        return replace(clean, tokens=tokens), sealed

    def _only_proposes(self, scope: Scope, layer: str, chosen: Mapping[str, str]) -> bool:
        waits = waits_for_review(self._speaker, scope, layer)
        return waits and settings.in_force(chosen, "knowledge.accept") == "review"


def _not_empty(content: Content) -> Content:
    if not content.text and not content.data:
        raise InvalidInputError("`text` is empty", remedy="Say what is to be remembered")
    return content


def request_of(changes: Sequence[Change]) -> str:
    """What was asked, without the ids and times that differ from call to call."""
    asked = [_asked(change) for change in changes]
    return hashlib.sha256(canonical.dumps(asked).encode()).hexdigest()


def _asked(change: Change) -> list[Any]:
    match change:
        case Put():
            said = content_to_json(change.content)
            where = [change.scope, change.layer, change.key, change.revises, change.expect]
            return ["put", where, {**said, "expires_at": change.lifetime}]
        case Adopt():
            return ["adopt", to_json(change.record)]
        case Move():
            return ["move", change.id, change.state.value]
        case _:
            return [type(change).__name__.lower(), change.id]
