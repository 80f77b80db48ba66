"""Two stores as one, for the tests of this folder."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from lamina.stores.base import Store
from lamina.stores.combined.binding import with_hot
from lamina.stores.combined.store import CombinedStore
from lamina.stores.ephemeral import EphemeralStore
from tests.redis import RedisServer
from tests.stores.two import Combine


@pytest.fixture
def combine(redis_server: RedisServer) -> Iterator[Combine]:
    """Another process, so to speak, on the same two stores."""
    url, base = redis_server.fresh_url(), EphemeralStore()
    with ExitStack() as opened:

        def combined(other: Store | None = None) -> CombinedStore:
            other_url = redis_server.fresh_url() if other else url
            store = with_hot(other or base, other_url)
            assert isinstance(store, CombinedStore)
            opened.callback(store.close)
            return store

        yield combined
