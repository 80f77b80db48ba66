"""The contract of every store, through the codec, the client and a real server.

An authorising gateway has its own clock and words and lets nobody speak for others, which is what
many clauses do on purpose. So the routes here are the same, with the store itself behind them; what
the gateway makes of a call is tested beside this, by the front door.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from lamina.core.retention import Cut, Pruned, Retention
from lamina.errors import UnsupportedError
from lamina.stores.base import Store
from lamina.stores.ephemeral import EphemeralStore
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing import DurableContract, SharedContract, StoreContract
from lamina.testing.builders import a_put, after_noon, found, picture, write
from tests.remote.raw import Raw, raw_server


@pytest.fixture(scope="module")
def raw() -> Iterator[Raw]:
    """One server for all clauses, each with a store of its own behind it."""
    with raw_server() as server:
        yield server


class FromAfar(StoreContract, SharedContract):
    """What a client keeps of the contract; a subclass runs it."""

    @pytest.fixture
    def another(self, raw: Raw) -> Iterator[Callable[[], Store]]:
        with ExitStack() as opened:

            def connected() -> Store:
                store = raw.connected()
                opened.callback(store.close)
                return store

            yield connected

    @pytest.fixture
    def store(self, raw: Raw, another: Callable[[], Store]) -> Store:
        raw.store = EphemeralStore()
        return another()

    # Three clauses are another from afar, and say so.

    def test_a_count_of_what_would_go_changes_nothing_and_comes_true(self, store: Store) -> None:
        """Every commit of a client leaves a receipt, so that a lost answer can be asked for."""
        for number in range(3):
            write(store, a_put(f"v{number}", key="k"), at=after_noon(number))
        retention = Retention((Cut("knowledge", 1),), after_noon(9))
        before, foretold = picture(store), store.prunable(retention)
        assert foretold == Pruned({"knowledge": 3}, {"knowledge": 1}, 3)
        assert picture(store) == before
        assert store.prune(retention) == foretold

    def test_a_duty_is_one_holders_at_a_time(self, store: Store) -> None:
        """It is let go when a process ends, and a server does not notice that of a client."""
        with pytest.raises(UnsupportedError, match="duty"), store.duty("vectors"):
            pass

    def test_indexing_anew_changes_no_answer(self, store: Store) -> None:
        """The analyser is a function, and stays where it is: the server's own is used."""
        write(store, a_put("one kettle"), a_put("two kettles"))
        assert store.reindex(lambda _: ("zebra",)) == 2
        assert sorted(found(store, "kettle")) == ["one kettle", "two kettles"]
        assert found(store, "zebra") == []


class Lasting(DurableContract):
    """The contract of what outlives its process: client, server and store are opened anew."""

    @pytest.fixture
    def store(self, raw: Raw, another: Callable[[], Store], tmp_path: Path) -> Iterator[Store]:
        raw.store = SqliteStore(tmp_path)
        yield another()
        raw.store.close()

    @pytest.fixture
    def reopened(
        self, raw: Raw, another: Callable[[], Store], tmp_path: Path
    ) -> Callable[[Store], Store]:
        def reopen(store: Store) -> Store:
            store.close()
            assert raw.store is not None
            raw.store.close()
            raw.store = SqliteStore(tmp_path)
            return another()

        return reopen
