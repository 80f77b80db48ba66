"""What of the past may go, worked out and taken away in dictionaries: the reference for pruning."""

import threading
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from lamina.core.arranging import Arranged
from lamina.core.changes import Action, Receipt
from lamina.core.ids import RecordId
from lamina.core.retention import Cut, Pruned, Retention
from lamina.stores.contents import Contents, Entry


class Pruning:
    """The part of a store in dictionaries that knows how old things are, and lets them go."""

    _lock: threading.RLock
    _contents: Contents

    def newest_instant(self) -> datetime | None:
        with self._lock:
            return self._contents.newest_instant()

    def prunable(self, retention: Retention) -> Pruned:
        with self._lock:
            return _prunable(self._contents, retention)

    def prune(self, retention: Retention) -> Pruned:
        with self._lock:
            pruned = _prune(self._contents, retention)
            self._changed()
            return pruned

    def arrange(self, *, dry_run: bool = False) -> list[Arranged]:
        del dry_run
        return []

    def tidy(self) -> bool:
        self.flush()
        return True

    def flush(self) -> None:
        raise NotImplementedError

    def _changed(self) -> None:
        raise NotImplementedError


def _prunable(contents: Contents, retention: Retention) -> Pruned:
    """Count what would go."""
    gone = Counter(contents.entries[one].newest.layer for one, _ in _going(contents, retention))
    kept: Counter[str] = Counter()
    for entry in contents.entries.values():
        kept[entry.newest.layer] += len(entry.versions)
    receipts = sum(1 for _ in _old_receipts(contents, retention.receipts_before))
    return Pruned(dict(kept), dict(gone), receipts)


def _prune(contents: Contents, retention: Retention) -> Pruned:
    """Take away what goes, and say what went."""
    found = _prunable(contents, retention)
    for record_id, rev in list(_going(contents, retention)):
        entry = contents.entries[record_id]
        del entry.versions[rev], entry.salts[rev]
    for owner in list(_old_receipts(contents, retention.receipts_before)):
        del contents.receipts[owner]
    return found


def _going(contents: Contents, retention: Retention) -> Iterator[tuple[RecordId, int]]:
    cuts = {cut.layer: cut for cut in retention.cuts}
    made = {
        (event.record, event.rev): event.at
        for stream in contents.streams.values()
        for event in stream.events
        if event.action is not Action.WITNESSED
    }
    for record_id, entry in contents.entries.items():
        cut = cuts.get(entry.newest.layer)
        if cut is not None:
            yield from ((record_id, rev) for rev in _cut(record_id, entry, cut, made))


def _cut(
    record_id: RecordId, entry: Entry, cut: Cut, made: dict[tuple[RecordId, int], datetime]
) -> Iterator[int]:
    """The revisions that go; each ended when the one after it was made."""
    revs = sorted(entry.versions, reverse=True)
    for age, (after, rev) in enumerate(zip(revs, revs[1:], strict=False), start=1):
        if cut.takes(age, made[record_id, after]):
            yield rev


def _old_receipts(contents: Contents, before: datetime | None) -> Iterator[tuple[str, str]]:
    for owner, (_, receipt) in contents.receipts.items():
        at = _answered(contents, receipt)
        if before is not None and at is not None and at < before:
            yield owner


def _answered(contents: Contents, receipt: Receipt) -> datetime | None:
    """When the request was carried out, by the log; one that changed nothing is not in it."""
    for stream, seq in receipt.seqs:
        return contents.streams[stream].events[seq - 1].at
    return None
