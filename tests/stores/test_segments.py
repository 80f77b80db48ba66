"""The contract again, answered by segments: they must not change what can be found."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lamina.core.settings import ENGINE, LANCE
from lamina.stores.base import Store
from lamina.stores.questions import Found, Search
from lamina.stores.sqlite import nearest, segments, words
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.contract.embedding import (
    AroundClauses,
    EmbeddingClauses,
    LastingSearchClauses,
    PastEmbeddingClauses,
)
from lamina.testing.contract.isolation import IsolationClauses
from lamina.testing.contract.past import PastClauses
from lamina.testing.contract.searching import SearchingClauses
from tests.indexes.near import needs_lance


class FoldingStore(SqliteStore):
    """Folds before every second search, so that answers come from segments and from what is new."""

    _searches = 0

    def search(self, search: Search) -> Found:
        self._searches += 1
        if self._searches % 2:
            self.fold()
        return super().search(search)


@pytest.fixture(autouse=True)
def _everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (words, nearest, segments):
        monkeypatch.setattr(module, "LARGE", 1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = FoldingStore(tmp_path)
    yield store
    store.close()


class LanceStore(FoldingStore):
    """One whose vectors lie in tables of LanceDB."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.configure(ENGINE, LANCE)


class Answers(
    SearchingClauses,
    EmbeddingClauses,
    PastEmbeddingClauses,
    AroundClauses,
    LastingSearchClauses,
    PastClauses,
    IsolationClauses,
):
    """Every clause on what a search finds."""


class TestSegments(Answers):
    pass


@needs_lance
class TestLance(Answers):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = LanceStore(tmp_path)
        yield store
        store.close()
