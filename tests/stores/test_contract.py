"""The contract of `lamina.testing`, run on every store we ship."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pytest

from lamina.stores.base import Capability, Store
from lamina.stores.combined.binding import with_hot
from lamina.stores.ephemeral import EphemeralStore
from lamina.stores.json_file import JsonFileStore
from lamina.stores.redis.store import RedisStore
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing import (
    ChainedContract,
    DurableContract,
    ExpiringContract,
    HotContract,
    LastingContract,
    LayeredContract,
    PastContract,
    ScrubbedContract,
    SharedContract,
    StoreContract,
)
from tests.redis import RedisServer
from tests.stores.reopened import Reopened

CONTRACTS = {
    Capability.CHAINED: ChainedContract,
    Capability.EVERY_LAYER: LayeredContract,
    Capability.EXPIRING: ExpiringContract,
    Capability.PAST: PastContract,
    Capability.DURABLE: DurableContract,
    Capability.MANY_PROCESSES: SharedContract,
    Capability.SCRUBBED: ScrubbedContract,
}


class TestEphemeral(StoreContract):
    @pytest.fixture
    def store(self) -> Store:
        return EphemeralStore()


class OnDisk(Reopened):
    """What the suites of stores with files share: how one is made, opened again and looked into."""

    @staticmethod
    def made(folder: Path) -> Store:
        raise NotImplementedError

    @pytest.fixture
    def opener(self, tmp_path: Path) -> Callable[[], Store]:
        return lambda: self.made(tmp_path)

    @pytest.fixture
    def files(self, tmp_path: Path) -> Callable[[], Iterable[Path]]:
        return lambda: tmp_path.rglob("*")


class TestJsonFile(OnDisk, StoreContract, DurableContract, ScrubbedContract):
    @staticmethod
    def made(folder: Path) -> Store:
        return JsonFileStore(folder / "memory.json")


class TestSqlite(OnDisk, StoreContract, DurableContract, SharedContract, ScrubbedContract):
    @staticmethod
    def made(folder: Path) -> Store:
        return SqliteStore(folder)


class TestRedis(Reopened, HotContract, DurableContract, SharedContract, ExpiringContract):
    home = "task"

    @pytest.fixture
    def opener(self, redis_server: RedisServer) -> Callable[[], Store]:
        return partial(RedisStore, redis_server.fresh_url())


class TestSqliteAndRedis(
    OnDisk, HotContract, LayeredContract, LastingContract, DurableContract, SharedContract
):
    """What is hot in the one, all else in the other."""

    url: str

    @pytest.fixture(autouse=True)
    def _has_a_redis(self, redis_server: RedisServer) -> None:
        type(self).url = redis_server.fresh_url()

    @classmethod
    def made(cls, folder: Path) -> Store:
        return with_hot(SqliteStore(folder), cls.url)


@pytest.mark.parametrize("suite", [TestEphemeral, TestJsonFile, TestSqlite, TestSqliteAndRedis])
def test_a_store_runs_the_contract_of_each_capability_it_declares(
    suite: type[HotContract], tmp_path: Path, redis_server: RedisServer
) -> None:
    TestSqliteAndRedis.url = redis_server.fresh_url()
    store = suite.made(tmp_path) if issubclass(suite, OnDisk) else EphemeralStore()
    declared = store.capabilities
    store.close()
    if Capability.EXPIRING not in declared:
        assert issubclass(suite, LastingContract)
    for capability, contract in CONTRACTS.items():
        assert (capability in declared) == issubclass(suite, contract), capability
