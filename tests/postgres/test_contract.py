"""The contract of `lamina.testing`, run on a store in Postgres."""

from collections.abc import Callable
from functools import partial

import pytest

from lamina.stores.base import Store
from lamina.stores.postgres.store import PostgresStore
from lamina.testing import DurableContract, SharedContract, StoreContract
from tests.stores.reopened import Reopened
from tests.stores.test_large_streams import NothingIsSmall


class TestPostgres(Reopened, StoreContract, DurableContract, SharedContract):
    @pytest.fixture
    def opener(self, address: str) -> Callable[[], Store]:
        return partial(PostgresStore, address)


class TestLargeStreams(Reopened, NothingIsSmall):
    @pytest.fixture
    def opener(self, address: str) -> Callable[[], Store]:
        return partial(PostgresStore, address)
