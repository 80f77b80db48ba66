"""The store that lives and dies with its process: the reference for all the others.

Plain dictionaries and straightforward loops; where another store disagrees with it, the other is
wrong.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lamina import clock
from lamina.core import chain
from lamina.core.access import Reach
from lamina.core.changes import Action, Commit, Event, Receipt
from lamina.core.ids import RecordId
from lamina.core.layers import Durability, is_indexed, place_of
from lamina.core.planning import Step, make_plan
from lamina.core.record import Record
from lamina.core.retention import kept_when_writing
from lamina.core.scope import stream_of
from lamina.core.sealed import Sealed
from lamina.errors import UnsupportedError
from lamina.results import BackupReport
from lamina.stores.auditing import Auditing
from lamina.stores.base import WHOLE, Capability, Repair, ScrubReport
from lamina.stores.bell import Bell
from lamina.stores.contents import Contents, Entry, Stream
from lamina.stores.counting import Counting
from lamina.stores.noting import Noting
from lamina.stores.pruning import Pruning
from lamina.stores.questions import Lot, Query, in_lots, in_order, saying
from lamina.stores.receipts import check_same_request, owner_of
from lamina.stores.searching import Searching
from lamina.stores.telling import Telling, copied


class EphemeralStore(Auditing, Counting, Noting, Pruning, Searching, Telling):
    """Records in dictionaries, under one lock."""

    durability = Durability.EPHEMERAL

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.RLock()
        self._contents = Contents()
        self._bell = Bell()
        self._duties: set[str] = set()

    @property
    def capabilities(self) -> frozenset[Capability]:
        return WHOLE

    @property
    def location(self) -> str:
        return ":memory:"

    @property
    def identity(self) -> str:
        with self._lock:
            if "identity" not in self._contents.settings:
                self._contents.settings["identity"] = clock.fresh_salt().hex()
                self._changed()
            return self._contents.settings["identity"]

    def commit(self, commit: Commit) -> Receipt:
        with self._lock:
            if (earlier := self._repeated(commit)) is not None:
                return earlier
            plan = make_plan(commit, self._contents)
            heads = {name: stream.head() for name, stream in self._contents.streams.items()}
            salts = [clock.fresh_salt() for _ in plan.steps]
            events = chain.extend(plan.commit, plan.steps, heads, salts)
            self._accepted(plan.commit)
            for step, event, salt in zip(plan.steps, events, salts, strict=True):
                self._apply(step, event, salt)
            seqs = {event.stream: event.seq for event in events}
            receipt = Receipt(
                commit.tx, plan.outcomes, tuple(sorted(seqs.items())), self.durability
            )
            if (owner := owner_of(commit)) is not None:
                self._contents.receipts[owner] = (commit.request, receipt)
            self._changed()
        self._bell.ring()
        return receipt

    def get(
        self, reach: Reach, ids: Sequence[RecordId], *, as_of: Mapping[str, int] | None = None
    ) -> list[Record]:
        with self._lock:
            if as_of is None:
                found = self._contents.records(ids)
            else:
                then = self._contents.as_of(as_of)
                found = [then[one] for one in ids if one in then]
            return [copied(record) for record in found if reach.sees(record)]

    def find(self, reach: Reach, place: str) -> Record | None:
        with self._lock:
            found = self._contents.holders([place])
            return copied(found[0]) if found and reach.sees(found[0]) else None

    def query(self, query: Query) -> list[Record]:
        with self._lock:
            found = list(self._matching(query))
        return in_order(found, query)

    def walk(self, reach: Reach, stream: str) -> Iterator[Record]:
        with self._lock:
            ids = list(self._contents.entries)
        for record_id in ids:
            for record in self.get(reach, [record_id]):
                if stream_of(record.scope) == stream:
                    yield record

    def count(self, query: Query) -> int:
        with self._lock:
            return sum(1 for _ in self._in_sight(query))

    def census(self, query: Query) -> list[Lot]:
        with self._lock:
            return in_lots(self._in_sight(query))

    def sealed(self, record_id: RecordId) -> list[Sealed]:
        with self._lock:
            entry = self._contents.entries.get(record_id)
            return list(entry.sealed.values()) if entry else []

    def has_sealed(self) -> bool:
        with self._lock:
            return any(entry.sealed for entry in self._contents.entries.values())

    def settings(self) -> Mapping[str, str]:
        with self._lock:
            return dict(self._contents.settings)

    def configure(self, name: str, value: str | None, *, wait: bool = True) -> None:
        with self._lock:
            if value is None:
                self._contents.settings.pop(name, None)
            else:
                self._contents.settings[name] = value
            self._changed()

    def tombstones(self, ids: Iterable[RecordId]) -> frozenset[RecordId]:
        with self._lock:
            return self._contents.erased(ids)

    def saying(self, reach: Reach, texts: Sequence[str]) -> list[RecordId]:
        says = saying(texts)
        with self._lock:
            return [
                record_id
                for record_id, entry in self._contents.entries.items()
                if reach.sees(entry.newest) and any(map(says, entry.versions.values()))
            ]

    def scrub(self, erased: Sequence[bytes]) -> ScrubReport:
        del erased
        return ScrubReport()

    def repair(
        self,
        analyse: Callable[[Record], tuple[str, ...]],
        tell: Callable[[float], None] = lambda share: None,
    ) -> Repair:
        indexed = self.reindex(analyse)
        tell(1.0)
        return Repair(indexed)

    def reindex(self, analyse: Callable[[Record], tuple[str, ...]]) -> int:
        with self._lock:
            for stream in self._contents.streams.values():
                stream.lengths.clear()
                stream.postings.clear()
            for record_id, entry in self._contents.entries.items():
                if is_indexed(entry.newest):
                    stream = self._contents.streams[stream_of(entry.newest.scope)]
                    stream.add(record_id, analyse(entry.newest))
            for space, known in self._contents.vectors.items():
                made = {one: made for one, made in known.items() if made.values is not None}
                self._contents.vectors[space] = made
            return sum(len(stream.lengths) for stream in self._contents.streams.values())

    def backup(self, path: Path, tell: Callable[[float], None]) -> BackupReport:
        raise UnsupportedError(
            f"the store {self.location} cannot be backed up", remedy="Use `lamina export` instead"
        )

    def flush(self) -> None:
        """Nothing outlives this process, so there is nothing to make durable."""

    def close(self) -> None:
        """Nothing is held open."""

    def _accepted(self, commit: Commit) -> None:
        """Called under the lock once nothing can refuse the commit, before anything changes."""

    def _changed(self) -> None:
        """Called under the lock after every change; a store that saves itself takes note."""

    def _repeated(self, commit: Commit) -> Receipt | None:
        owner = owner_of(commit)
        found = None if owner is None else self._contents.receipts.get(owner)
        if found is None:
            return None
        request, receipt = found
        check_same_request(request, commit.request)
        return replace(receipt, repeated=True)

    def _apply(self, step: Step, event: Event, salt: bytes) -> None:
        contents = self._contents
        stream = contents.streams.setdefault(event.stream, Stream())
        stream.events.append(event)
        record_id = step.subject.id
        if step.before is not None and (place := place_of(step.before)):
            contents.places.pop(place, None)
        if step.after is None:
            self._remove(record_id, stream)
            return
        if step.action is not Action.WITNESSED:
            self._add_version(step, salt)
        if place := place_of(step.after):
            contents.places[place] = record_id
        if not is_indexed(step.after):
            stream.drop(record_id)
        elif step.terms is not None:
            stream.drop(record_id)
            stream.add(record_id, step.terms)

    def _add_version(self, step: Step, salt: bytes) -> None:
        record = step.subject
        entry = self._contents.entries.setdefault(record.id, Entry())
        entry.versions[record.rev] = record
        entry.salts[record.rev] = salt
        entry.sealed |= {one.ref: one for one in step.sealed}
        kept = kept_when_writing(record.layer, self._contents.settings)
        if kept is not None:
            for rev in sorted(entry.versions)[: -kept - 1]:
                del entry.versions[rev], entry.salts[rev]

    def _remove(self, record_id: RecordId, stream: Stream) -> None:
        contents = self._contents
        del contents.entries[record_id]
        contents.usage.pop(record_id, None)
        for made in contents.vectors.values():
            made.pop(record_id, None)
        self._notices.clear()
        stream.drop(record_id)
        contents.tombstones.add(record_id)
        contents.receipts = {
            owner: kept
            for owner, kept in contents.receipts.items()
            if all(outcome.id != record_id for outcome in kept[1].outcomes)
        }
