"""The contract of `lamina.testing` once more, where every project has partitions of its own."""

from collections.abc import Callable
from functools import partial

import pytest

from lamina.core.changes import Commit, Receipt
from lamina.core.settings import PARTITION_AT
from lamina.stores.base import Store
from lamina.stores.postgres.store import PostgresStore
from lamina.testing import DurableContract, SharedContract, StoreContract
from tests.stores.reopened import Reopened


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


class TestParted(Reopened, StoreContract, DurableContract, SharedContract):
    @pytest.fixture
    def opener(self, address: str) -> Callable[[], Store]:
        return partial(_Parted, address)
