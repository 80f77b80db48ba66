"""The contract of every store. Each test restates one sentence of `lamina.stores.base`.

A store inherits `StoreContract`, and beside it the contract of each capability that it declares:

    class TestMyStore(StoreContract, DurableContract):
        @pytest.fixture
        def store(self, tmp_path): ...

`DurableContract` asks for a fixture `reopened`, `SharedContract` for `another` and
`ScrubbedContract` for `files`; their docstrings say what each is.
"""

from lamina.testing.contract.clocks import ClockClauses
from lamina.testing.contract.conflicts import ConflictClauses
from lamina.testing.contract.counting import CountingClauses
from lamina.testing.contract.crowding import CrowdingClauses
from lamina.testing.contract.embedding import EmbeddingClauses
from lamina.testing.contract.erasing import ErasingClauses, ScrubbedContract
from lamina.testing.contract.feeding import FeedingClauses
from lamina.testing.contract.filtering import FilteringClauses
from lamina.testing.contract.history import HistoryClauses
from lamina.testing.contract.isolation import IsolationClauses
from lamina.testing.contract.keeping import DurableContract, KeepingClauses, SharedContract
from lamina.testing.contract.lives import AdoptionClauses, LifeClauses
from lamina.testing.contract.noting import NotingClauses
from lamina.testing.contract.past import PastClauses
from lamina.testing.contract.pruning import PruningClauses
from lamina.testing.contract.reading import ReadingClauses
from lamina.testing.contract.repeating import RepeatingClauses
from lamina.testing.contract.searching import SearchingClauses
from lamina.testing.contract.writing import WritingClauses

__all__ = ["DurableContract", "ScrubbedContract", "SharedContract", "StoreContract"]


class StoreContract(
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
    PastClauses,
    FeedingClauses,
    KeepingClauses,
    CrowdingClauses,
    ClockClauses,
    PruningClauses,
    NotingClauses,
    CountingClauses,
):
    """What every store promises. A subclass supplies the fixture `store`: a new, empty one."""
