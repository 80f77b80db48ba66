"""What the suites of stores share that can be opened more than once."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from lamina.stores.base import Store


class Reopened:
    """Fixtures from a single one, `opener`, which opens the store of a test."""

    @pytest.fixture
    def another(self, opener: Callable[[], Store]) -> Iterator[Callable[[], Store]]:
        with ExitStack() as opened:

            def open_one() -> Store:
                store = opener()
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
