"""The contract of `lamina.testing`, run on every store we ship."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from lamina.stores.base import Capability, Store
from lamina.stores.ephemeral import EphemeralStore
from lamina.stores.json_file import JsonFileStore
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing import DurableContract, ScrubbedContract, SharedContract, StoreContract

CONTRACTS = {
    Capability.DURABLE: DurableContract,
    Capability.MANY_PROCESSES: SharedContract,
    Capability.SCRUBBED: ScrubbedContract,
}


class TestEphemeral(StoreContract):
    @pytest.fixture
    def store(self) -> Store:
        return EphemeralStore()


class TestJsonFile(StoreContract, DurableContract, ScrubbedContract):
    @pytest.fixture
    def another(self, tmp_path: Path) -> Iterator[Callable[[], Store]]:
        with ExitStack() as opened:

            def open_one() -> Store:
                store = JsonFileStore(tmp_path / "memory.json")
                opened.callback(store.close)
                return store

            yield open_one

    @pytest.fixture
    def store(self, another: Callable[[], Store]) -> Store:
        return another()

    @pytest.fixture
    def reopened(self, another: Callable[[], Store]) -> Callable[[Store], Store]:
        def reopen(store: Store) -> Store:
            store.close()
            return another()

        return reopen

    @pytest.fixture
    def files(self, tmp_path: Path) -> Callable[[], Iterable[Path]]:
        return lambda: tmp_path.rglob("*")


class TestSqlite(StoreContract, DurableContract, SharedContract, ScrubbedContract):
    @pytest.fixture
    def another(self, tmp_path: Path) -> Iterator[Callable[[], Store]]:
        with ExitStack() as opened:

            def open_one() -> Store:
                store = SqliteStore(tmp_path)
                opened.callback(store.close)
                return store

            yield open_one

    @pytest.fixture
    def store(self, another: Callable[[], Store]) -> Store:
        return another()

    @pytest.fixture
    def reopened(self, another: Callable[[], Store]) -> Callable[[Store], Store]:
        def reopen(store: Store) -> Store:
            store.close()
            return another()

        return reopen

    @pytest.fixture
    def files(self, tmp_path: Path) -> Callable[[], Iterable[Path]]:
        return lambda: tmp_path.rglob("*")


@pytest.mark.parametrize("suite", [TestEphemeral, TestSqlite])
def test_a_store_runs_the_contract_of_each_capability_it_declares(
    suite: type[StoreContract], tmp_path: Path
) -> None:
    declared = (SqliteStore(tmp_path) if suite is TestSqlite else EphemeralStore()).capabilities
    for capability, contract in CONTRACTS.items():
        assert (capability in declared) == issubclass(suite, contract), capability
