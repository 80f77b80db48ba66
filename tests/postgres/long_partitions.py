"""The contract of `lamina.testing` once more, where every project has partitions of its own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from lamina.core.changes import Commit, Receipt
from lamina.core.settings import PARTITION_AT
from lamina.stores.base import Store
from lamina.stores.postgres.store import PostgresStore
from lamina.testing import DurableContract, SharedContract, StoreContract


class _Parted(PostgresStore):
    """A store that moves every project out as soon as it holds a record, and back when it is empty.

    Its own settings are left alone.
    """

    def settings(self) -> dict[str, str]:
        return {PARTITION_AT: "1", **super().settings()}

    def commit(self, commit: Commit) -> Receipt:
        try:
            return super().commit(commit)
        finally:
            self.arrange()


class TestParted(StoreContract, DurableContract, SharedContract):
    @pytest.fixture
    def another(self, address: str) -> Iterator[Callable[[], Store]]:
        with ExitStack() as opened:

            def open_one() -> Store:
                store = _Parted(address)
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
