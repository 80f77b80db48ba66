"""The store that lives and dies with its process: the reference for all the others.

Plain dictionaries and straightforward loops; where another store disagrees with it, the other is
wrong.
"""

import copy
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from lamina import clock
from lamina.core import bm25, chain
from lamina.core.access import Reach
from lamina.core.changes import Action, Commit, Event, Receipt, Version
from lamina.core.filters import matches, order_key
from lamina.core.ids import RecordId
from lamina.core.layers import LAYERS, Durability, is_indexed, place_of
from lamina.core.planning import Step, make_plan
from lamina.core.record import Record
from lamina.core.scope import stream_of
from lamina.core.sealed import Sealed
from lamina.stores.base import (
    Capability,
    Finding,
    Match,
    Query,
    ScrubReport,
    Search,
    Severity,
    check_count,
)
from lamina.stores.contents import Contents, Entry, Stream
from lamina.stores.receipts import check_same_request, owner_of


class EphemeralStore:
    """Records in dictionaries, under one lock."""

    durability = Durability.EPHEMERAL

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._contents = Contents()

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset()

    @property
    def location(self) -> str:
        return ":memory:"

    def commit(self, commit: Commit) -> Receipt:
        with self._lock:
            if (earlier := self._repeated(commit)) is not None:
                return earlier
            plan = make_plan(commit, self._contents)
            heads = {name: stream.head() for name, stream in self._contents.streams.items()}
            salts = [clock.fresh_salt() for _ in plan.steps]
            events = chain.extend(commit, plan.steps, heads, salts)
            self._accepted(commit)
            for step, event, salt in zip(plan.steps, events, salts, strict=True):
                self._apply(step, event, salt)
            seqs = {event.stream: event.seq for event in events}
            receipt = Receipt(
                commit.tx, plan.outcomes, tuple(sorted(seqs.items())), self.durability
            )
            if (owner := owner_of(commit)) is not None:
                self._contents.receipts[owner] = (commit.request, receipt)
            self._changed()
            return receipt

    def get(self, reach: Reach, ids: Sequence[RecordId]) -> list[Record]:
        with self._lock:
            found = self._contents.records(ids)
            return [_copied(record) for record in found if reach.sees(record)]

    def find(self, reach: Reach, place: str) -> Record | None:
        with self._lock:
            found = self._contents.holders([place])
            return _copied(found[0]) if found and reach.sees(found[0]) else None

    def query(self, query: Query) -> list[Record]:
        with self._lock:
            found = list(self._matching(query))
        field, descending = query.order_by
        if field is not None:
            # Sorting is stable: reversing first keeps the newest in front among equals.
            found.reverse()
            found.sort(key=lambda record: order_key(record, field), reverse=descending)
        elif descending:
            found.reverse()
        return found[: query.limit]

    def walk(self, reach: Reach, stream: str) -> Iterator[Record]:
        with self._lock:
            ids = list(self._contents.entries)
        for record_id in ids:
            for record in self.get(reach, [record_id]):
                if stream_of(record.scope) == stream:
                    yield record

    def count(self, query: Query) -> int:
        with self._lock:
            return sum(1 for _ in self._matching(query))

    def search(self, search: Search) -> list[Match]:
        wanted = Query(reach=search.reach, where=search.where, live_at=search.live_at)
        with self._lock:
            visible = {record.id: record for record in self._matching(wanted)}
            order = {record_id: n for n, record_id in enumerate(self._contents.entries)}
            found = [
                Match(visible[record_id], round(score, bm25.PRECISION), tuple(sorted(held)))
                for name, stream in self._contents.streams.items()
                for record_id, (score, held) in stream.scores(
                    search.terms, self._seen(search.reach, name)
                ).items()
                if record_id in visible
            ]
        found.sort(key=lambda match: (-match.score, -order[match.record.id]))
        return found[: search.limit]

    def versions(self, reach: Reach, record_id: RecordId) -> list[Version]:
        with self._lock:
            entry = self._contents.entries.get(record_id)
            kept = entry.versions if entry else {}
            events = [event for event in self._all_events() if event.record == record_id]
            if not events or not self._may_read_history(reach, entry, events[0]):
                return []
            copies = {rev: _copied(record) for rev, record in kept.items()}
            return [Version(event, copies.get(event.rev)) for event in events]

    def events(self, stream: str, *, after: int = 0, limit: int | None = 1000) -> list[Event]:
        check_count(after, "after")
        check_count(limit, "limit")
        with self._lock:
            found = self._contents.streams.get(stream)
            return found.events[after:][:limit] if found else []

    def transaction(self, tx: RecordId) -> list[Event]:
        with self._lock:
            return [event for event in self._all_events() if event.tx == tx]

    def streams(self) -> list[str]:
        with self._lock:
            return sorted(self._contents.streams)

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

    def configure(self, name: str, value: str) -> None:
        with self._lock:
            self._contents.settings[name] = value
            self._changed()

    def tombstones(self, ids: Iterable[RecordId]) -> frozenset[RecordId]:
        with self._lock:
            return self._contents.erased(ids)

    def saying(self, reach: Reach, texts: Sequence[str]) -> list[RecordId]:
        with self._lock:
            return [
                record_id
                for record_id, entry in self._contents.entries.items()
                if reach.sees(entry.newest)
                and any(text in one.text for one in entry.versions.values() for text in texts)
            ]

    def scrub(self, erased: Sequence[bytes]) -> ScrubReport:
        del erased
        return ScrubReport()

    def check(self) -> list[Finding]:
        with self._lock:
            breaks = [b for s in self._contents.streams.values() for b in chain.verify(s.events)]
        return [
            Finding("chain", Severity.RECORD, f"{one.stream} event {one.seq}: {one.reason}")
            for one in breaks
        ] or [Finding("chain", Severity.OK, "every event follows from the one before")]

    def reindex(self, analyse: Callable[[Record], tuple[str, ...]]) -> int:
        with self._lock:
            for stream in self._contents.streams.values():
                stream.lengths.clear()
                stream.postings.clear()
            for record_id, entry in self._contents.entries.items():
                if is_indexed(entry.newest):
                    stream = self._contents.streams[stream_of(entry.newest.scope)]
                    stream.add(record_id, analyse(entry.newest))
            return sum(len(stream.lengths) for stream in self._contents.streams.values())

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
        kept = LAYERS[record.layer].history
        if kept is not None:
            for rev in sorted(entry.versions)[: -kept - 1]:
                del entry.versions[rev], entry.salts[rev]

    def _remove(self, record_id: RecordId, stream: Stream) -> None:
        contents = self._contents
        del contents.entries[record_id]
        stream.drop(record_id)
        contents.tombstones.add(record_id)
        contents.receipts = {
            owner: kept
            for owner, kept in contents.receipts.items()
            if all(outcome.id != record_id for outcome in kept[1].outcomes)
        }

    def _matching(self, query: Query) -> Iterator[Record]:
        """Visible records that match, in the order of creation."""
        for entry in self._contents.entries.values():
            record = entry.newest
            if (
                query.reach.sees(record)
                and _is_wanted(record, query.live_at)
                and matches(record, query.where)
            ):
                yield _copied(record)

    def _seen(self, reach: Reach, stream: str) -> set[RecordId] | None:
        """The records of a stream within a reach that does not cover all of it."""
        if reach.sees_stream(stream):
            return None
        return {record.id for record in self._matching(Query(reach=reach))}

    def _all_events(self) -> Iterator[Event]:
        for _, stream in sorted(self._contents.streams.items()):
            yield from stream.events

    def _may_read_history(self, reach: Reach, entry: Entry | None, event: Event) -> bool:
        """An erased record has lost its scope: only sight of the whole stream shows its events."""
        if entry is not None:
            return reach.sees(entry.newest)
        return reach.sees_stream(event.stream)


def _copied(record: Record) -> Record:
    """The record with data of its own: a reader who changes it must not change the store."""
    return replace(record, data=copy.deepcopy(record.data)) if record.data else record


def _is_wanted(record: Record, live_at: datetime | None) -> bool:
    return live_at is None or record.is_live(live_at)
