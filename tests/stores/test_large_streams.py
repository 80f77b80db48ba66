"""Streams of which not every word is read answer as those do of which every word is."""

from pathlib import Path

import pytest

from lamina.stores.base import Store
from lamina.stores.sql import vocabulary
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.contract.isolation import IsolationClauses
from lamina.testing.contract.past import PastClauses
from lamina.testing.contract.searching import SearchingClauses
from tests.stores.test_contract import OnDisk


class NothingIsSmall(SearchingClauses, PastClauses, IsolationClauses):
    """What the contract says of searches, where every stream is a large one."""

    @pytest.fixture(autouse=True)
    def _nothing_is_small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(vocabulary, "_LITTLE", -1)


class TestSqlite(OnDisk, NothingIsSmall):
    @staticmethod
    def made(folder: Path) -> Store:
        return SqliteStore(folder)
