"""The log in dictionaries, read in every way there is: the reference for feed and history."""

import copy
import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from lamina.core import chain
from lamina.core.access import Reach
from lamina.core.changes import Action, Changed, Event, Version
from lamina.core.ids import RecordId
from lamina.core.record import Record
from lamina.stores.base import Page
from lamina.stores.bell import Bell
from lamina.stores.contents import Contents
from lamina.stores.questions import check_count


class Telling:
    """The part of a store in dictionaries that tells what happened."""

    _lock: threading.RLock
    _contents: Contents
    _bell: Bell

    def versions(self, reach: Reach, record_id: RecordId) -> list[Version]:
        with self._lock:
            entry = self._contents.entries.get(record_id)
            kept = entry.versions if entry else {}
            events = [event for event in self._all_events() if event.record == record_id]
            if not events or not self._shows(reach, events[0]):
                return []
            copies = {rev: copied(record) for rev, record in kept.items()}
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

    def position(
        self, streams: Collection[str] | None = None, *, at: datetime | None = None
    ) -> dict[str, chain.Head]:
        with self._lock:
            found = {
                name: stream.head(at)
                for name, stream in self._contents.streams.items()
                if streams is None or name in streams
            }
        return {name: head for name, head in found.items() if head.seq}

    def changes(self, reach: Reach, after: Mapping[str, int], limit: int) -> Page:
        check_count(limit, "limit")
        with self._lock:
            within = reach.streams()
            fresh = [
                event
                for name, stream in self._contents.streams.items()
                if within is None or name in within
                for event in stream.events[after.get(name, 0) :]
            ]
            fresh.sort(key=lambda event: (event.at, event.stream, event.seq))
            shown = [
                self._changed_by(event) for event in fresh[:limit] if self._shows(reach, event)
            ]
        position = {
            event.stream: chain.Head(event.seq, event.hash, event.at) for event in fresh[:limit]
        }
        return Page(tuple(shown), position)

    def pulse(self) -> int:
        return self._bell.pulse()

    def wait(self, pulse: int, seconds: float) -> bool:
        return self._bell.wait(pulse, seconds)

    def _all_events(self) -> Iterator[Event]:
        for _, stream in sorted(self._contents.streams.items()):
            yield from stream.events

    def _shows(self, reach: Reach, event: Event) -> bool:
        """An erased record has lost its scope: only sight of the whole stream shows its events."""
        entry = self._contents.entries.get(event.record)
        return reach.sees_stream(event.stream) if entry is None else reach.sees(entry.newest)

    def _changed_by(self, event: Event) -> Changed:
        entry = self._contents.entries.get(event.record)
        if entry is None:
            return Changed(event, None)
        made = entry.versions.get(event.rev)
        older = [rev for rev in entry.versions if rev < event.rev]
        # To look at a secret takes the place of nothing.
        replaces = older and event.action is not Action.WITNESSED
        before = entry.versions[max(older)] if replaces else None
        return Changed(event, made and copied(made), before and copied(before))


def copied(record: Record) -> Record:
    """The record with data of its own: a reader who changes it must not change the store."""
    return replace(record, data=copy.deepcopy(record.data)) if record.data else record
