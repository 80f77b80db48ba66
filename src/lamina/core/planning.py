"""What a commit means: changes and the present state in, steps out.

Every store runs this same plan inside its own write transaction and then applies the steps, so
that supersession, conflicts and compare-and-set are decided alike everywhere. Nothing here
touches a disk, and nothing of a caller's runs here.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol, TypeVar

from lamina.core import changes, conflict
from lamina.core.changes import Action, Change, Commit, Outcome
from lamina.core.ids import RecordId
from lamina.core.layers import LAYERS, Durability, is_indexed, place_of, slot
from lamina.core.record import Record, State, canonical_bytes, content_fields
from lamina.core.scope import stream_of
from lamina.core.sealed import Sealed
from lamina.core.timekeeping import ACCEPT, LEAP, accepted_in, believed
from lamina.core.versions import INDEX_VERSION
from lamina.errors import ConflictError, InvalidInputError, NotFoundError, StoreVersionError

T = TypeVar("T")


class View(Protocol):
    """What planning asks of the present, in bulk, under the store's write lock."""

    def records(self, ids: Sequence[RecordId]) -> Iterable[Record]:
        """The newest versions of those records that exist, in whatever state."""

    def holders(self, places: Sequence[str]) -> Iterable[Record]:
        """The current records that hold these slots."""

    def erased(self, ids: Sequence[RecordId]) -> Collection[RecordId]:
        """Those of the ids that were erased here."""

    def last_instant(self, stream: str) -> datetime | None:
        """When the stream's newest event happened."""

    def newest_instant(self) -> datetime | None:
        """When the newest event of any stream happened; asked only when a clock is in doubt."""

    def setting(self, name: str) -> str | None:
        """What was chosen for this store, if anything."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a commit touches, as far as it says so itself.

    A store with a lock per stream looks up the scopes of `ids`, which never change, locks the
    streams of all scopes in one fixed order, and plans then.
    """

    ids: tuple[RecordId, ...] = ()
    places: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()


NOTHING: Final = Needs()


@dataclass(frozen=True, slots=True)
class Step:
    """One record going from one version to the next; one event follows from it."""

    action: Action
    before: Record | None
    after: Record | None
    terms: tuple[str, ...] | None = None
    """New index tokens; `None` leaves the index as it is."""
    sealed: tuple[Sealed, ...] = ()

    @property
    def subject(self) -> Record:
        """The record that the step is about."""
        return self.after or self.before  # type: ignore[return-value]  # one is always there


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of a commit, what each change came to, and when it all happens."""

    steps: tuple[Step, ...]
    outcomes: tuple[Outcome, ...]
    commit: Commit
    """As it was asked for, at a time that can be believed."""


def needs(commit: Commit) -> Needs:
    """The records, slots and scopes that the changes of a commit name."""
    ids: list[RecordId] = []
    places: list[str | None] = []
    scopes: list[str] = []
    for change in commit.changes:
        match change:
            case changes.Put():
                ids += [change.id] if change.revises is None else [change.id, change.revises]
                scopes.append(change.scope)
                if change.key is not None and change.revises is None:
                    kind = change.content.kind
                    places.append(slot(LAYERS[change.layer], change.scope, kind, change.key))
            case changes.Adopt():
                ids.append(change.record.id)
                scopes.append(change.record.scope)
                places.append(place_of(change.record))
            case _:
                ids.append(change.id)
    named = (place for place in places if place is not None)
    return Needs(_once(ids), _once(named), _once(scopes))


def make_plan(commit: Commit, view: View) -> Plan:
    """Decide every change of a commit, each seeing what the ones before it did."""
    analysed = view.setting("index_version")
    if analysed not in (None, INDEX_VERSION):
        raise StoreVersionError(
            f"the store's words were analysed by {analysed}, not by {INDEX_VERSION}",
            remedy="Run `lamina doctor --repair`, or upgrade this Lamina",
        )
    planner = _Planner(commit, view)
    for change in commit.changes:
        planner.decide(change)
    return planner.plan()


def durability_of(commit: Commit) -> Durability:
    """Synced, unless every record of the commit is of a layer that asks for less."""
    relaxed = all(
        isinstance(change, changes.Put) and LAYERS[change.layer].durability is Durability.COMMITTED
        for change in commit.changes
    )
    return Durability.COMMITTED if relaxed else Durability.SYNCED


class _Planner:
    """The present overlaid with the steps decided so far; all of it is fetched at the start."""

    def __init__(self, commit: Commit, view: View) -> None:
        self._commit = commit
        self._view = view
        named = needs(commit)
        self._records: dict[RecordId, Record | None] = dict.fromkeys(named.ids)
        self._records |= {record.id: record for record in view.records(named.ids)}
        self._commit = self._at_a_believed_time(named.scopes)
        places = _once((*named.places, *self._reachable()))
        self._places: dict[str, Record | None] = dict.fromkeys(places)
        self._places |= {str(place_of(record)): record for record in view.holders(places)}
        self._gone: set[RecordId] = set()
        """What this commit itself has erased: it does not bring it back either."""
        self.steps: list[Step] = []
        self.outcomes: list[Outcome] = []

    def _reachable(self) -> Iterator[str]:
        """The slots that records named by id may come to hold: another kind, or current again."""
        for change in self._commit.changes:
            match change:
                case changes.Put(revises=str() as named, content=content):
                    record, kind = self._records[named], content.kind
                case changes.Move():
                    record = self._records[change.id]
                    kind = record.kind if record else ""
                case _:
                    continue
            if record is not None and record.key is not None:
                yield slot(LAYERS[record.layer], record.scope, kind, record.key)

    def _at_a_believed_time(self, scopes: Sequence[str]) -> Commit:
        """The commit, its clock questioned if no stream that it writes to bears it out."""
        commit, view = self._commit, self._view
        written = (*scopes, *(record.scope for record in self._records.values() if record))
        lasts = [view.last_instant(stream) for stream in _once(map(stream_of, written))]
        if any(last is not None and abs(commit.at - last) <= LEAP for last in lasts):
            return commit
        accepted = accepted_in(view.setting(ACCEPT))
        return replace(commit, at=believed(commit.at, view.newest_instant(), accepted))

    def plan(self) -> Plan:
        """What was decided."""
        return Plan(tuple(self.steps), tuple(self.outcomes), self._commit)

    def decide(self, change: Change) -> None:
        match change:
            case changes.Put() if change.revises is not None:
                self._edit(change, self._existing(change.revises))
            case changes.Put():
                self._write(change)
            case changes.Move():
                self._move(change)
            case changes.Adopt():
                self._adopt(change)
            case changes.Erase():
                self._take(Step(Action.ERASED, self._existing(change.id), None))
            case changes.Witness():
                current = self._existing(change.id)
                self._take(Step(Action.WITNESSED, current, current))

    def _write(self, put: changes.Put) -> None:
        """A new record, or a new version of whichever record holds the key."""
        layer = LAYERS[put.layer]
        place = put.key and slot(layer, put.scope, put.content.kind, put.key)
        current = self._places[place] if place else None
        if current is None:
            if put.expect:
                raise _moved(f"no record holds this key, but rev {put.expect} was expected")
            self._create(put, State.PROPOSED if put.proposal else put.state or State.CURRENT)
        elif put.expect == 0 and not current.is_live(self._commit.at):
            # What has run out stands there for nobody who reads, so that none may be expected.
            self._edit(replace(put, expect=None), current)
        else:
            self._edit(put, current)

    def _edit(self, put: changes.Put, current: Record) -> None:
        """A new version of `current`, unless it says nothing new or loses the conflict."""
        _check_expected(put.expect, current)
        state = put.state or current.state
        # The same words from someone who is believed more are a confirmation, and count.
        confirms = put.content.trust.rank > current.trust.rank
        if current.says_the_same(put.content) and state is current.state and not confirms:
            self.outcomes.append(_outcome(Action.UNCHANGED, current))
            return
        if LAYERS[current.layer].append_only:
            raise InvalidInputError(
                f"records of the layer `{current.layer}` never change",
                remedy="Append another one, or forget this one",
            )
        if self._loses(put, current):
            content = replace(put.content, supersedes=current.id)
            self._create(replace(put, key=current.key, content=content), State.PROPOSED)
            return
        after = replace(current.with_content(put.content), state=state)
        self._revise(current, after, put.terms, put.sealed)

    def _loses(self, put: changes.Put, current: Record) -> bool:
        if put.proposal and current.state is State.CURRENT:
            return True
        unopposed = put.expect is not None or not current.is_live(self._commit.at)
        if unopposed:
            return False
        review = self._view.setting("knowledge.ties") == "review"
        return not conflict.wins(put.content, current, self._commit.by, ties_wait=review)

    def _revise(
        self, current: Record, after: Record, terms: tuple[str, ...], sealed: tuple[Sealed, ...]
    ) -> None:
        self._check_place(after)
        after = replace(after, rev=current.rev + 1, updated_at=self._instant(current.scope))
        self._take(Step(Action.REVISED, current, after, terms, sealed))

    def _create(self, put: changes.Put, state: State) -> None:
        if self._records[put.id] is not None:
            raise _moved(f"there is a record {put.id} already")
        at = self._instant(put.scope)
        record = Record(
            id=put.id, scope=put.scope, layer=put.layer, key=put.key, state=state,
            created_at=at, updated_at=at, rev=1, **content_fields(put.content),
        )  # fmt: skip
        action = Action.PROPOSED if state is State.PROPOSED else Action.CREATED
        self._take(Step(action, None, record, put.terms, put.sealed))

    def _move(self, move: changes.Move) -> None:
        current = self._existing(move.id)
        _check_expected(move.expect, current)
        if move.state is current.state:
            self.outcomes.append(_outcome(Action.UNCHANGED, current))
            return
        after = replace(
            current, state=move.state, rev=current.rev + 1, updated_at=self._instant(current.scope)
        )
        self._check_place(after)
        enters = is_indexed(after) and not is_indexed(current)
        self._take(Step(Action.MOVED, current, after, move.terms if enters else None))

    def _adopt(self, adopt: changes.Adopt) -> None:
        """Take a version as it is; where another record holds its key, beside it as a proposal."""
        record, current = adopt.record, self._records[adopt.record.id]
        if current is not None and _identity(current) != _identity(record):
            raise _moved(f"record {record.id} is another one here")
        if current is not None and current.rev >= record.rev:
            same = canonical_bytes(current) == canonical_bytes(record)
            if current.rev == record.rev and not same:
                raise _moved(f"record {record.id} rev {record.rev} says something else here")
            self.outcomes.append(_outcome(Action.UNCHANGED, current))
            return
        if current is not None and _rewrites(record, current):
            raise ConflictError(
                f"record {record.id} belongs to a layer whose records never change",
                remedy="Only its state may: leave this version out",
            )
        if current is None and (record.id in self._gone or self._view.erased([record.id])):
            raise ConflictError(f"record {record.id} was erased here and stays erased")
        place = place_of(record)
        rival = self._places[place] if place else None
        if rival is not None and rival.id != record.id:
            record = replace(record, state=State.PROPOSED)
        action = Action.REVISED if current else Action.ADOPTED
        self._take(Step(action, current, record, adopt.terms, adopt.sealed))

    def _take(self, step: Step) -> None:
        """Record the step and let later changes of the commit see it."""
        if step.before is not None and (place := place_of(step.before)):
            self._places[place] = None
        if step.after is not None and (place := place_of(step.after)):
            self._places[place] = step.after
        self._records[step.subject.id] = step.after
        if step.after is None:
            self._gone.add(step.subject.id)
        self.steps.append(step)
        self.outcomes.append(_outcome(step.action, step.subject))

    def _existing(self, record_id: RecordId) -> Record:
        found = self._records[record_id]
        if found is None:
            raise NotFoundError(f"there is no record {record_id}")
        return found

    def _check_place(self, after: Record) -> None:
        place = place_of(after)
        rival = self._places[place] if place else None
        if rival is not None and rival.id != after.id:
            raise _moved(f"record {rival.id} now holds the key {after.key!r}")

    def _instant(self, scope: str) -> datetime:
        """The commit's time, but never before what the stream has already seen."""
        last = self._view.last_instant(stream_of(scope))
        return self._commit.at if last is None else max(last, self._commit.at)


def _once(values: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))


def streams_of(steps: Iterable[Step]) -> tuple[str, ...]:
    """The streams that the steps write to, in the order in which to lock them."""
    return tuple(sorted({stream_of(step.subject.scope) for step in steps}))


def _check_expected(expect: int | None, current: Record) -> None:
    if expect is not None and expect != current.rev:
        raise _moved(f"record {current.id} is at rev {current.rev}, not at {expect}")


def _identity(record: Record) -> tuple[object, ...]:
    """What no version of a record may change."""
    return record.scope, record.layer, record.key, record.created_at


def _rewrites(record: Record, current: Record) -> bool:
    """Whether a version gives other content to a record that never changes."""
    if not LAYERS[current.layer].append_only:
        return False
    moved = replace(current, state=record.state, rev=record.rev, updated_at=record.updated_at)
    return canonical_bytes(moved) != canonical_bytes(record)


def _outcome(action: Action, record: Record) -> Outcome:
    return Outcome(record.id, record.rev, action, record.state)


def _moved(message: str) -> ConflictError:
    return ConflictError(message, remedy="Read it again and decide anew")
