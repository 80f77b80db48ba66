"""Whether the log in dictionaries is whole: the reference for auditing."""

import threading
from collections.abc import Collection, Iterator, Mapping

from lamina.core import chain
from lamina.core.changes import Action, Event
from lamina.core.scope import stream_of
from lamina.stores.base import Aids, Finding, Severity
from lamina.stores.contents import Contents


class Auditing:
    """The part of a store in dictionaries that looks itself over."""

    _lock: threading.RLock
    _contents: Contents

    def check(self, aids: Aids | None = None) -> list[Finding]:
        del aids
        return self.audit()

    def audit(self, streams: Collection[str] | None = None) -> list[Finding]:
        with self._lock:
            known = self._contents.streams
            wanted = known if streams is None else [name for name in streams if name in known]
            found = _complaints(self._contents, {name: known[name].events for name in wanted})
        return [
            Finding(check, Severity.RECORD if wrong else Severity.OK, wrong or "nothing wrong")
            for check, complaints in found.items()
            for wrong in complaints or [""]
        ]


def _complaints(contents: Contents, logs: Mapping[str, list[Event]]) -> dict[str, list[str]]:
    """What each check finds wrong."""
    return {
        "chain": [one for events in logs.values() for one in _breaks(events)],
        "versions": [one for events in logs.values() for one in _unmade(contents, events)],
        "digests": [one for name in logs for one in _altered(contents, name, logs[name])],
    }


def _breaks(events: list[Event]) -> Iterator[str]:
    for found in chain.verify(events):
        yield f"{found.stream} event {found.seq}: {found.reason}"


def _unmade(contents: Contents, events: list[Event]) -> Iterator[str]:
    newest = {event.record: event for event in events}
    for record_id, event in newest.items():
        entry = contents.entries.get(record_id)
        stands = None if entry is None else entry.newest.rev
        if stands != (None if event.action is Action.ERASED else event.rev):
            yield f"record {record_id} stands at rev {stands}, not where the log left it"


def _altered(contents: Contents, stream: str, events: list[Event]) -> Iterator[str]:
    made = [event for event in events if event.action is not Action.WITNESSED]
    recorded = {(event.record, event.rev): event.digest for event in made}
    for record_id, entry in contents.entries.items():
        if stream_of(entry.newest.scope) != stream:
            continue
        for rev, record in entry.versions.items():
            salt = entry.salts.get(rev)
            if salt is None or recorded.get((record_id, rev)) != chain.digest(record, salt):
                yield f"record {record_id} rev {rev} is not what was written"
