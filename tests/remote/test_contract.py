"""The contract of every store through codec, client and server, but for its longest clauses.

`make conformance` runs all of it (`tests/conformance/suite_remote.py`).
"""

from contextlib import closing
from pathlib import Path

from lamina.stores.base import WHOLE, Capability
from lamina.stores.ephemeral import EphemeralStore
from lamina.stores.sqlite.store import SqliteStore
from tests.remote.contract import FromAfar, Lasting, raw
from tests.remote.raw import Raw

__all__ = ["raw"]

LONG = (
    "test_filters_mean_what_the_reference_says",
    "test_a_subtree_shows_all_of_itself_and_nothing_else",
    "test_an_exact_scope_shows_nothing_below_it",
    "test_only_the_newest_notices_stay",
    "test_threads_lose_nothing",
    "test_values_compare_within_their_json_type_only",
    "test_scores_equal_those_of_the_reference",
    "test_query_text_is_data",
    "test_layers_beyond_reach_do_not_exist",
    "test_a_repair_of_a_healthy_store_changes_no_answer",
    "test_every_event_comes_once_and_in_order",
)
"""Hundreds of questions each, of which none travels differently from the others."""


class TestRemote(FromAfar):
    pass


class TestRemoteOnDisk(Lasting, FromAfar):
    """Only what it means to outlive a process: the rest is the same as above."""


for name in LONG:
    assert callable(getattr(TestRemote, name))
    setattr(TestRemote, name, None)
for name in dir(FromAfar):
    if name.startswith("test_") and not hasattr(Lasting, name):
        setattr(TestRemoteOnDisk, name, None)


def test_a_client_declares_what_its_contracts_prove(raw: Raw, tmp_path: Path) -> None:
    shared = WHOLE | {Capability.MANY_PROCESSES}
    lasting = {Capability.DURABLE, Capability.SYNCED}
    for store, declared in ((EphemeralStore(), shared), (SqliteStore(tmp_path), shared | lasting)):
        raw.store = store
        with closing(store), closing(raw.connected()) as client:
            assert client.capabilities == declared
