"""The model: what a store should hold after a history of commits, as plain dictionaries.

It says in the shortest way what a commit means, without looking at how Lamina decides it. Slow and
obvious on purpose: every commit works on a copy that replaces the world only if nothing failed.
"""

from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from lamina.core import canonical
from lamina.core.changes import Action, Adopt, Change, Commit, Erase, Move, Put, Witness
from lamina.core.ids import RecordId
from lamina.core.layers import LAYERS
from lamina.core.record import Content, Record, State, Trust, to_json
from lamina.core.retention import Cut, Pruned
from lamina.errors import ConflictError, InvalidInputError, NotFoundError

SEARCHED = ("current", "proposed", "archived")
TWO_YEARS = timedelta(days=730)
BELIEF = (Trust.WEB, Trust.TOOL, Trust.FILE, Trust.AGENT, Trust.SYSTEM, Trust.USER)


@dataclass(frozen=True)
class Entry:
    """One line of a stream's log."""

    record: RecordId
    rev: int
    action: Action
    actor: str
    tx: RecordId
    at: datetime


@dataclass(frozen=True)
class Done:
    """What a commit came to."""

    outcomes: tuple[tuple[RecordId, int, Action, State], ...]
    seqs: tuple[tuple[str, int], ...]
    tx: RecordId
    repeated: bool = False


@dataclass
class World:
    """Everything a store keeps; `records` is in the order of creation."""

    records: dict[RecordId, Record] = field(default_factory=dict)
    versions: dict[tuple[RecordId, int], Record] = field(default_factory=dict)
    logs: dict[str, list[Entry]] = field(default_factory=dict)
    receipts: dict[tuple[str, str], tuple[str, Done]] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    erased: set[RecordId] = field(default_factory=set)
    words: dict[RecordId, tuple[str, ...]] = field(default_factory=dict)
    """What each record is found by: the words that came with the change."""
    outcomes: list[tuple[RecordId, int, Action, State]] = field(default_factory=list)

    def commit(self, commit: Commit) -> Done:
        """Apply all changes or none; raise what the store should raise."""
        owner = (commit.by.identity, commit.idempotency_key or "")
        if commit.idempotency_key and owner in self.receipts:
            request, done = self.receipts[owner]
            if request != commit.request:
                raise ConflictError("used before")
            return replace(done, repeated=True)
        commit = replace(commit, at=self._time_of(commit))
        after = self._copy()
        start = {stream: log[-1].at for stream, log in self.logs.items()}
        for change in commit.changes:
            after._change(change, commit, start)
        seqs = {
            stream: len(log)
            for stream, log in after.logs.items()
            if len(log) > len(self.logs.get(stream, ()))
        }
        done = Done(tuple(after.outcomes), tuple(sorted(seqs.items())), commit.tx)
        if commit.idempotency_key:
            after.receipts[owner] = (commit.request, done)
        self.__dict__.update(after.__dict__)
        return done

    def prune(self, cut: Cut, receipts_before: datetime) -> Pruned:
        """Forget versions of one layer that were replaced, and old receipts; say how many."""
        layers = [self.records[record_id].layer for record_id, _ in self.versions]
        kept = {layer: layers.count(layer) for layer in layers}
        gone = [one for one in self.versions if self._may_go(one, cut)]
        self.versions = {one: kept for one, kept in self.versions.items() if one not in gone}
        old = [
            owner for owner, (_, done) in self.receipts.items()
            if done.seqs and self.logs[done.seqs[0][0]][done.seqs[0][1] - 1].at < receipts_before
        ]  # fmt: skip
        self.receipts = {one: done for one, done in self.receipts.items() if one not in old}
        return Pruned(kept, {cut.layer: len(gone)} if gone else {}, len(old))

    def _may_go(self, version: tuple[RecordId, int], cut: Cut) -> bool:
        record_id, rev = version
        newer = sorted(other for one, other in self.versions if one == record_id and other > rev)
        if not newer or self.records[record_id].layer != cut.layer:
            return False
        [ended] = [
            entry.at for log in self.logs.values() for entry in log
            if (entry.record, entry.rev) == (record_id, newer[0])
            and entry.action is not Action.WITNESSED
        ]  # fmt: skip
        too_many = cut.versions is not None and len(newer) > cut.versions
        return too_many or (cut.before is not None and ended < cut.before)

    def _time_of(self, commit: Commit) -> datetime:
        """What the clock says, unless it is years from what the streams and the store have seen."""
        ends = {stream: log[-1].at for stream, log in self.logs.items()}
        near = [stream for stream, end in ends.items() if abs(commit.at - end) <= TWO_YEARS]
        if not ends or any(stream in near for stream in self._streams_of(commit)):
            return commit.at
        newest = max(ends.values())
        return newest if abs(commit.at - newest) > TWO_YEARS else commit.at

    def _streams_of(self, commit: Commit) -> set[str]:
        scopes = set()
        for change in commit.changes:
            ids = [change.record.id if isinstance(change, Adopt) else change.id]
            if isinstance(change, Put):
                scopes.add(change.scope)
                ids += [change.revises] if change.revises else []
            elif isinstance(change, Adopt):
                scopes.add(change.record.scope)
            scopes |= {self.records[one].scope for one in ids if one in self.records}
        return {stream_name(scope) for scope in scopes}

    def holder(self, scope: str, layer: str, kind: str, key: str) -> Record | None:
        """The current record that stands for a key."""
        for one in self.records.values():
            same_kind = one.kind == kind or not LAYERS[layer].key_includes_kind
            here = (one.scope, one.layer, one.key) == (scope, layer, key) and same_kind
            if here and one.state is State.CURRENT:
                return one
        return None

    def mentioning(self, word: str) -> set[RecordId]:
        """The records that a search for a word should find."""
        return {
            record_id for record_id, terms in self.words.items()
            if self.records[record_id].state in SEARCHED and word in terms
            and LAYERS[self.records[record_id].layer].indexed
        }  # fmt: skip

    def _copy(self) -> "World":
        other = World(**{name: copy(value) for name, value in self.__dict__.items()})
        other.logs = {stream: list(log) for stream, log in self.logs.items()}
        other.outcomes = []
        return other

    def _change(self, change: Change, commit: Commit, start: dict[str, datetime]) -> None:
        when = _Moment(commit, start)
        match change:
            case Put():
                self._put(change, when)
            case Move():
                self._move(change, when)
            case Adopt():
                self._adopt(change, when)
            case Erase():
                record = self._there(change.id)
                self._note(Action.ERASED, record, when)
                self._forget_all_of(record)
            case Witness():
                self._note(Action.WITNESSED, self._there(change.id), when)

    def _put(self, put: Put, when: "_Moment") -> None:
        if put.revises is not None:
            current: Record | None = self._there(put.revises)
        elif put.key is not None:
            current = self.holder(put.scope, put.layer, put.content.kind, put.key)
        else:
            current = None
        if current is None:
            if put.expect:
                raise ConflictError("nobody is there")
            self._create(put, when, State.PROPOSED if put.proposal else put.state or State.CURRENT)
            return
        unseen = put.revises is None and put.expect == 0 and self._ran_out(current, when)
        if put.expect is not None and put.expect != current.rev and not unseen:
            raise ConflictError("moved on")
        state = put.state or current.state
        confirmed = put.content.trust.rank > current.trust.rank
        if _same(current, put.content) and state is current.state and not confirmed:
            self.outcomes.append((current.id, current.rev, Action.UNCHANGED, current.state))
        elif LAYERS[current.layer].append_only:
            raise InvalidInputError("append only")
        elif self._gives_way(put, current, when):
            content = replace(put.content, supersedes=current.id)
            self._create(replace(put, key=current.key, content=content), when, State.PROPOSED)
        else:
            after = replace(current.with_content(put.content), state=state)
            self._step(Action.REVISED, current, after, when)
            self._index(current.id, put.terms)

    def _gives_way(self, put: Put, current: Record, when: "_Moment") -> bool:
        """Whether the write loses against what is current."""
        if put.proposal and current.state is State.CURRENT:
            return True
        ran_out = self._ran_out(current, when)
        if put.expect is not None or current.state is not State.CURRENT or ran_out:
            return False
        new, old = put.content, current
        if new.trust is not old.trust:
            return BELIEF.index(new.trust) < BELIEF.index(old.trust)
        if new.source == old.source:
            return False
        if new.confidence != old.confidence:
            return new.confidence < old.confidence
        waits = self.settings.get("knowledge.ties") == "review"
        return waits and when.commit.by.role.value not in ("admin", "orchestrator")

    def _ran_out(self, record: Record, when: "_Moment") -> bool:
        return record.expires_at is not None and record.expires_at <= when.commit.at

    def _create(self, put: Put, when: "_Moment", state: State) -> None:
        if put.id in self.records:
            raise ConflictError("that id is taken")
        at = when.of(put.scope)
        record = Record(
            id=put.id, scope=put.scope, layer=put.layer, key=put.key, state=state, created_at=at,
            updated_at=at, kind=put.content.kind,
        ).with_content(put.content)  # fmt: skip
        self._keep(record)
        self._index(record.id, put.terms)
        action = Action.PROPOSED if state is State.PROPOSED else Action.CREATED
        self._note(action, record, when)

    def _move(self, move: Move, when: "_Moment") -> None:
        current = self._there(move.id)
        if move.expect is not None and move.expect != current.rev:
            raise ConflictError("moved on")
        if move.state is current.state:
            self.outcomes.append((current.id, current.rev, Action.UNCHANGED, current.state))
        else:
            self._step(Action.MOVED, current, replace(current, state=move.state), when)
            was_found = current.state in SEARCHED
            self._index(current.id, self.words.get(current.id, ()) if was_found else move.terms)

    def _step(self, action: Action, current: Record, after: Record, when: "_Moment") -> None:
        if after.state is State.CURRENT and after.key is not None:
            rival = self.holder(after.scope, after.layer, after.kind, after.key)
            if rival is not None and rival.id != after.id:
                raise ConflictError("the key is taken")
        after = replace(after, rev=current.rev + 1, updated_at=when.of(current.scope))
        self._keep(after)
        self._note(action, after, when)

    def _adopt(self, adopt: Adopt, when: "_Moment") -> None:
        record, current = adopt.record, self.records.get(adopt.record.id)
        if current is not None:
            for name in ("scope", "layer", "key", "created_at"):
                if getattr(current, name) != getattr(record, name):
                    raise ConflictError("another record")
            if current.rev == record.rev and _json(current) != _json(record):
                raise ConflictError("another text")
            if current.rev >= record.rev:
                self.outcomes.append((current.id, current.rev, Action.UNCHANGED, current.state))
                return
            there = replace(record, state=current.state, rev=current.rev)
            there = replace(there, updated_at=current.updated_at)
            if LAYERS[current.layer].append_only and _json(there) != _json(current):
                raise ConflictError("append only")
        elif record.id in self.erased:
            raise ConflictError("erased")
        if record.key is not None and record.state is State.CURRENT:
            rival = self.holder(record.scope, record.layer, record.kind, record.key)
            if rival is not None and rival.id != record.id:
                record = replace(record, state=State.PROPOSED)
        self._keep(record)
        self._index(record.id, adopt.terms)
        self._note(Action.ADOPTED if current is None else Action.REVISED, record, when)

    def _there(self, record_id: RecordId) -> Record:
        if record_id not in self.records:
            raise NotFoundError("nobody is there")
        return self.records[record_id]

    def _keep(self, record: Record) -> None:
        self.records[record.id] = record
        self.versions[record.id, record.rev] = record
        kept = LAYERS[record.layer].history
        if kept is not None:
            revs = sorted(rev for one, rev in self.versions if one == record.id)
            for rev in revs[: max(len(revs) - kept - 1, 0)]:
                del self.versions[record.id, rev]

    def _index(self, record_id: RecordId, terms: tuple[str, ...]) -> None:
        self.words[record_id] = terms if self.records[record_id].state in SEARCHED else ()

    def _note(self, action: Action, record: Record, when: "_Moment") -> None:
        stream = stream_name(record.scope)
        by, tx = when.commit.by.name, when.commit.tx
        line = Entry(record.id, record.rev, action, by, tx, when.of(record.scope))
        self.logs.setdefault(stream, []).append(line)
        self.outcomes.append((record.id, record.rev, action, record.state))

    def _forget_all_of(self, record: Record) -> None:
        del self.records[record.id], self.words[record.id]
        self.versions = {one: kept for one, kept in self.versions.items() if one[0] != record.id}
        self.erased.add(record.id)
        touched = {e.tx for log in self.logs.values() for e in log if e.record == record.id}
        self.receipts = {
            owner: kept for owner, kept in self.receipts.items() if kept[1].tx not in touched
        }


@dataclass(frozen=True)
class _Moment:
    """When a commit happens: never before what its streams have seen."""

    commit: Commit
    start: dict[str, datetime]

    def of(self, scope: str) -> datetime:
        """The time that counts in a scope's stream."""
        return max(self.commit.at, self.start.get(stream_name(scope), self.commit.at))


def stream_name(scope: str) -> str:
    """The root of a scope."""
    return "global" if scope.startswith("global") else "/".join(scope.split("/")[:2])


def _json(record: Record) -> str:
    return canonical.dumps(to_json(record))


def _same(current: Content, new: Content) -> bool:
    """Whether two contents say the same, whoever said it."""
    told = replace(new, trust=current.trust, source=current.source, supersedes=current.supersedes)
    same_data = canonical.dumps(current.data) == canonical.dumps(new.data)
    return same_data and told == current.content
