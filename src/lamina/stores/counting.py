"""Counts of use kept in dictionaries: the reference for what a store does with them."""

import threading
from collections.abc import Mapping, Sequence
from datetime import datetime

from lamina.core.access import Reach
from lamina.core.ids import RecordId
from lamina.core.usage import Usage
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
                    known[root] = Usage(hits, at).plus(known.get(root))
            self._counted()

    def usage(self, reach: Reach, ids: Sequence[RecordId]) -> dict[RecordId, Usage]:
        with self._lock:
            seen = [record.id for record in self._contents.records(ids) if reach.sees(record)]
            found: dict[RecordId, Usage] = {}
            for record in seen:
                for root, usage in self._contents.usage.get(record, {}).items():
                    if reach.knows(root):
                        found[record] = usage.plus(found.get(record))
            return found

    def _counted(self) -> None:
        """Called under the lock after every count; a store that saves itself takes note."""
