"""The contract of `lamina.testing`, run on a store in Postgres whose hot layers are in a Redis."""

from collections.abc import Callable

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
from tests.stores.reopened import Reopened


class TestPostgresAndRedis(
    Reopened, HotContract, LayeredContract, LastingContract, DurableContract, SharedContract
):
    @pytest.fixture
    def opener(self, address: str, redis_server: RedisServer) -> Callable[[], Store]:
        url = redis_server.fresh_url()
        return lambda: with_hot(PostgresStore(address), url)
