"""The contract of every store. Each test restates one sentence of `lamina.stores.base`.

A store inherits `StoreContract`, and beside it the contract of each capability that it declares:

    class TestMyStore(StoreContract, DurableContract):
        @pytest.fixture
        def store(self, tmp_path): ...

`DurableContract` asks for a fixture `reopened`, `SharedContract` for `another` and
`ScrubbedContract` for `files`; their docstrings say what each is. A store that keeps no whole
memory inherits `HotContract` instead, and the contracts of what it declares.
"""

from collections.abc import Iterator
from typing import ClassVar

import pytest

from lamina.testing.builders import at_home_in
from lamina.testing.contract.clocks import ClockClauses
from lamina.testing.contract.conflicts import ConflictClauses, LastingConflictClauses
from lamina.testing.contract.counting import CountingClauses
from lamina.testing.contract.crowding import CrowdingClauses
from lamina.testing.contract.embedding import (
    AroundClauses,
    EmbeddingClauses,
    LastingSearchClauses,
    PastEmbeddingClauses,
)
from lamina.testing.contract.erasing import ErasingClauses, ScrubbedContract
from lamina.testing.contract.expiring import ExpiringContract
from lamina.testing.contract.feeding import FeedingClauses
from lamina.testing.contract.filtering import FilteringClauses
from lamina.testing.contract.history import ChainClauses, HistoryClauses
from lamina.testing.contract.isolation import IsolationClauses
from lamina.testing.contract.keeping import (
    AuditClauses,
    DurableContract,
    KeepingClauses,
    SharedContract,
)
from lamina.testing.contract.lives import AdoptionClauses, LayeredLifeClauses, LifeClauses
from lamina.testing.contract.noting import NotingClauses
from lamina.testing.contract.past import PastClauses
from lamina.testing.contract.pruning import PruningClauses
from lamina.testing.contract.reading import LastingReadingClauses, ReadingClauses
from lamina.testing.contract.repeating import RepeatingClauses
from lamina.testing.contract.searching import SearchingClauses
from lamina.testing.contract.writing import LayeredWritingClauses, WritingClauses

__all__ = [
    "ChainedContract",
    "DurableContract",
    "ExpiringContract",
    "HotContract",
    "LastingContract",
    "LayeredContract",
    "PastContract",
    "ScrubbedContract",
    "SharedContract",
    "StoreContract",
]


class HotContract(
    WritingClauses,
    ConflictClauses,
    RepeatingClauses,
    LifeClauses,
    AdoptionClauses,
    ErasingClauses,
    HistoryClauses,
    ReadingClauses,
    FilteringClauses,
    IsolationClauses,
    SearchingClauses,
    EmbeddingClauses,
    FeedingClauses,
    KeepingClauses,
    CrowdingClauses,
    ClockClauses,
    PruningClauses,
    NotingClauses,
    CountingClauses,
):
    """What every store promises, be it one that keeps the hot layers only.

    A subclass supplies the fixture `store`: a new, empty one.
    """

    home: ClassVar[str] = "knowledge"
    """The layer that records belong to where a clause does not care."""

    @pytest.fixture(autouse=True)
    def _at_home(self) -> Iterator[None]:
        with at_home_in(self.home):
            yield


class LayeredContract(LayeredWritingClauses, LayeredLifeClauses, AroundClauses):
    """For stores that declare `EVERY_LAYER`."""


class PastContract(PastClauses, PastEmbeddingClauses):
    """For stores that declare `PAST`."""


class ChainedContract(ChainClauses, AuditClauses):
    """For stores that declare `CHAINED`."""


class LastingContract(LastingConflictClauses, LastingReadingClauses, LastingSearchClauses):
    """For stores that do not declare `EXPIRING`."""


class StoreContract(HotContract, LayeredContract, PastContract, ChainedContract, LastingContract):
    """What every store of a whole memory promises."""
