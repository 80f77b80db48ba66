"""The contract of `lamina.testing`, run on a store in Postgres whose hot layers are in a Redis."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from lamina.stores.base import Store
from lamina.stores.combined.binding import with_hot
from lamina.stores.postgres.store import PostgresStore
from lamina.testing import (
    DurableContract,
    HotContract,
    LastingContract,
    LayeredContract,
    SharedContract,
)
from tests.redis import RedisServer


class TestPostgresAndRedis(
    HotContract, LayeredContract, LastingContract, DurableContract, SharedContract
):
    @pytest.fixture
    def another(self, address: str, redis_server: RedisServer) -> Iterator[Callable[[], Store]]:
        url = redis_server.fresh_url()
        with ExitStack() as opened:

            def open_one() -> Store:
                store = with_hot(PostgresStore(address), url)
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
