"""Counts of this process that are not in the file yet.

A recall must not wait for a lock, nor sync anything, to have its hits counted: they are added up
here, and written every few seconds, all of them in one relaxed commit. What a process that is
killed had not written is lost, and nothing depends on it.
"""

import os
import threading
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Final, TypeAlias

from lamina.core.ids import RecordId
from lamina.core.usage import Usage
from lamina.errors import LaminaError
from lamina.stores.sql.soon import Soon

Counts: TypeAlias = Mapping[str, Mapping[RecordId, Usage]]
"""By the root of those who asked, and by record."""
_WHILE_SECONDS: Final = 5.0
_MANY: Final = 500
"""So many records are not kept waiting."""
_MOST: Final = 10_000
"""More than so many are not counted while nothing can be written."""


class Tally:
    """Adds up what was used and hands it on in batches; what cannot be written waits."""

    def __init__(self, write: Callable[[Counts], None]) -> None:
        self._write = write
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._draining = threading.Lock()
        self._waiting: dict[str, dict[RecordId, Usage]] = {}
        self._leaving: Counts = {}
        """What is being written."""
        self._was_refused = False
        """Whether the last try failed: then there is no hurry, or each recall would try again."""
        self._soon = Soon(self.drain, _WHILE_SECONDS)

    def add(self, used: Mapping[RecordId, int], root: str, at: datetime) -> None:
        """Count records; they are written within seconds, and sooner if there are many."""
        self._check_process()
        with self._lock:
            self._take(root, {record: Usage(hits, at) for record, hits in used.items()})
            many = len(self._waiting[root]) >= _MANY and not self._was_refused
        self._soon.ask(now=many)

    def of(self, records: Collection[RecordId]) -> list[tuple[RecordId, str, Usage]]:
        """What is not in the file yet, of these records."""
        self._check_process()
        with self._lock:
            return [
                (record, root, usage)
                for counts in (self._leaving, self._waiting)
                for root, known in counts.items()
                for record in records
                if (usage := known.get(record)) is not None
            ]

    def drain(self) -> None:
        """Write what waits; if that is not possible now, it goes on waiting."""
        self._check_process()
        with self._draining:
            with self._lock:
                self._leaving, self._waiting = self._waiting, {}
            if not self._leaving:
                return
            try:
                self._write(self._leaving)
                self._was_refused = False
            except (LaminaError, OSError):
                self._was_refused = True
            with self._lock:
                for root, counts in self._leaving.items() if self._was_refused else ():
                    self._take(root, counts)
                self._leaving = {}

    def end(self) -> None:
        """Write what waits, and keep no thread for more."""
        self.drain()
        self._soon.skip()

    def _take(self, root: str, counts: Mapping[RecordId, Usage]) -> None:
        known = self._waiting.setdefault(root, {})
        for record, usage in counts.items():
            if record in known or len(known) < _MOST:
                known[record] = usage.plus(known.get(record))

    def _check_process(self) -> None:
        if self._pid != os.getpid():
            # What the parent counted, the parent writes; its locks and threads stay with it.
            self._reset()
