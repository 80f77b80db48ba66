"""The contract of `lamina.testing`, run on a store in Postgres."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from lamina.stores.base import Store
from lamina.stores.postgres.store import PostgresStore
from lamina.testing import DurableContract, SharedContract, StoreContract


class TestPostgres(StoreContract, DurableContract, SharedContract):
    @pytest.fixture
    def another(self, address: str) -> Iterator[Callable[[], Store]]:
        with ExitStack() as opened:

            def open_one() -> Store:
                store = PostgresStore(address)
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
