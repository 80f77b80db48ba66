"""Large projects get partitions of their own, and nobody notices but who looks for it."""

import pytest

from lamina.core.arranging import Arranged
from lamina.stores.base import Severity
from tests.postgres.opened import opened
from tests.postgres.parted import AT, MANY, TABLES, contents, filled, lying, sid_of, texts


def test_a_large_project_moves_out_whole_and_nothing_that_can_be_read_changes(address: str) -> None:
    with filled(address) as mem:
        before = contents(mem)
        assert mem.store.arrange(dry_run=True) == [Arranged("project/large", MANY, True)]
        assert contents(mem) == before
        assert mem.store.arrange() == [Arranged("project/large", MANY, True)]
        assert contents(mem) == before
        sid = sid_of(address, "large")
        assert lying(address, "version") == {
            "version_rest": 2 * (AT // 4), f"version_{sid}": 2 * MANY
        }  # fmt: skip
        assert lying(address, "event")[f"event_{sid}"] == 2 * MANY
        assert mem.store.arrange() == []
        assert {one.severity for one in mem.store.check()} == {Severity.OK}
        [told] = [one.message for one in mem.store.check() if one.check == "partitions"]
        assert told == f"of their own: project/large ({MANY} records)"


def test_what_is_written_afterwards_lies_there_too(address: str) -> None:
    with filled(address) as mem:
        mem.store.arrange()
        written = mem.remember_many(texts("large", MANY + 5, "third"))
        mem.remember_many(texts("small", 3, "third"))
        sid = sid_of(address, "large")
        assert lying(address, "event")[f"event_{sid}"] == 3 * MANY + 5
        assert mem.recall("third kettle", k=100, floor=0.0).hits
        mem.undo(written.tx)
        assert {one.severity for one in mem.store.check()} == {Severity.OK}
        assert mem.verify()[0].severity is Severity.OK


def test_a_project_that_was_erased_gives_its_partitions_back(address: str) -> None:
    with filled(address) as mem:
        mem.store.arrange()
        large = [one.id for one in mem.query({"scope": "project/large"}, limit=1000)]
        mem.erase(*large[1:])
        assert mem.store.arrange() == []
        mem.erase(large[0])
        before = contents(mem)
        assert mem.store.arrange() == [Arranged("project/large", 0, False)]
        assert contents(mem) == before
        assert set(lying(address, "event")) == {"event_rest"}
        assert {one.severity for one in mem.store.check()} == {Severity.OK}
        # And it may grow again.
        mem.remember_many(texts("large", MANY, "again"))
        assert mem.store.arrange() == [Arranged("project/large", MANY, True)]
        assert {one.severity for one in mem.store.check()} == {Severity.OK}


def test_off_lets_nobody_move(address: str) -> None:
    with filled(address) as mem:
        mem.configure("project.partition_at", "off")
        assert mem.store.arrange() == []
        assert set(lying(address, "version")) == {"version_rest"}


@pytest.mark.parametrize("table", TABLES)
def test_the_new_tables_show_nothing_to_who_asks_them(address: str, table: str) -> None:
    with filled(address) as mem:
        mem.store.arrange()
        sid = sid_of(address, "large")
    with opened(address) as connections, connections.reading(snapshot=False) as reader:
        assert reader.execute(f"select count(*) from {table}_{sid}").first() == 0
