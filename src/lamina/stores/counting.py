"""Counts of use kept in dictionaries: the reference for what a store does with them."""

import threading
from collections.abc import Mapping, Sequence
from datetime import datetime

from lamina.core.access import Reach
from lamina.core.ids import RecordId
from lamina.core.usage import Usage, total
from lamina.stores.contents import Contents


class Counting:
    """The part of a store in dictionaries that knows how often records were of use."""

    _lock: threading.RLock
    _contents: Contents

    def note_use(self, used: Mapping[RecordId, int], at: datetime, root: str = "") -> None:
        with self._lock:
            for record, hits in used.items():
                if record in self._contents.entries:
                    known = self._contents.usage.setdefault(record, {})
                    more = Usage(hits, at)
                    known[root] = known[root] + more if root in known else more
            self._counted()

    def usage(self, reach: Reach, ids: Sequence[RecordId]) -> dict[RecordId, Usage]:
        with self._lock:
            found = {
                record.id: total(
                    usage
                    for root, usage in self._contents.usage.get(record.id, {}).items()
                    if reach.knows(root)
                )
                for record in self._contents.records(ids)
                if reach.sees(record)
            }
        return {record: usage for record, usage in found.items() if usage is not None}

    def _counted(self) -> None:
        """Called under the lock after every count; a store that saves itself takes note."""
