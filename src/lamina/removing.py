"""Erasing through a handle: here or at the server, and which files outside still say it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lamina import erasing, extraction, paging, sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.beside import Afar, Beside
    from lamina.core.record import Record
    from lamina.results import Erasure, ErasurePlan
    from lamina.stores.base import Store
    from lamina.writing import WritePath


@dataclass(frozen=True, slots=True)
class Removing:
    """The way of a handle to remove records for good."""

    store: Store
    path: WritePath
    beside: Beside | None
    afar: Afar | None

    def erase(self, records: Sequence[Record]) -> Erasure:
        """Remove the records, and report."""
        erased = self.afar.erase if self.afar else erasing.erase
        report = erased(self.store, self.path, self.path.reach, records, self.beside)
        paging.forget_shown(self.store, report.records)
        return replace(report, sources=self._still_saying(records))

    def plan(self, records: Sequence[Record]) -> ErasurePlan:
        """What that would touch."""
        planned = self.afar.plan if self.afar else erasing.plan
        found = planned(self.store, self.path, self.path.reach, records, self.beside)
        return replace(found, sources=self._still_saying(records))

    def _still_saying(self, records: Sequence[Record]) -> tuple[str, ...]:
        """The files outside the store that hold what these records say."""
        files = sources.still_saying(self.store, self.path, records)
        files += extraction.still_saying(self.store, self.path, records)
        return tuple(sorted({*files}))
