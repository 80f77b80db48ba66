"""Large projects get partitions of their own, and nobody notices but who looks for it."""

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest

import lamina
from lamina.core.access import Grant, Reach
from lamina.core.arranging import Arranged
from lamina.maintaining import analysed
from lamina.stores.base import Severity
from lamina.stores.postgres import partitions
from lamina.stores.postgres.address import parse
from lamina.surfaces.cli.main import main
from tests.postgres.lending import lent_address
from tests.postgres.opened import opened
from tests.postgres.parted import AT, MANY, TABLES, contents, filled, lying, sid_of, texts
from tests.postgres.server import GUARDED, run_sql
from tests.postgres.shared import server


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


@pytest.mark.parametrize("rest", [0, 60])
def test_a_move_ends_though_others_write_behind_each_step(
    address: str, rest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it has caught up with them, or is never as fast as they are."""
    looked: list[int] = []

    def written_meanwhile(move: Any, table: str, *bounds: int) -> list[int]:
        looked.append(len(looked))
        assert len(looked) < 200, "the move runs after whoever writes"
        found = keys_of(move, table, *bounds)
        mem.remember_many(texts("large", 2, f"turn {len(looked)}"))
        return found

    keys_of = partitions._Move._keys
    monkeypatch.setattr(partitions, "_AT_ONCE", 10)
    monkeypatch.setattr(partitions, "_ROUNDS", 5)
    monkeypatch.setattr(partitions, "_FEW", rest)
    with filled(address) as mem:
        monkeypatch.setattr(partitions._Move, "_keys", written_meanwhile)
        [moved] = mem.store.arrange()
        monkeypatch.undo()
        assert moved.apart
        assert set(lying(address, "version")) == {
            "version_rest",
            f"version_{sid_of(address, 'large')}",
        }
        rest = 2 * (AT // 4)
        assert lying(address, "version")["version_rest"] == rest
        assert lying(address, "event")["event_rest"] == rest
        assert {one.severity for one in mem.store.check()} == {Severity.OK}


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


def test_only_so_many_projects_move_out_the_largest_first(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partitions, "MOST", 1)
    with filled(address) as mem:
        mem.remember_many(texts("larger", MANY + 1, "first"))
        assert mem.store.arrange() == [Arranged("project/larger", MANY + 1, True)]
        assert mem.store.arrange() == []
        mem.erase(*[one.id for one in mem.query({"scope": "project/larger"}, limit=1000)])
        assert [one.apart for one in mem.store.arrange()] == [False]
        assert mem.store.arrange() == [Arranged("project/large", MANY, True)]


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
    with opened(address) as connections:
        with connections.reading(snapshot=False) as reader:
            assert reader.execute(f"select count(*) from {table}_{sid}").first() == 0
        # Through the table as a whole only those see it who may see its project.
        for project, wanted in (("large", True), ("small", False)):
            reach = Reach((Grant(frozenset({"knowledge"}), f"project/{project}"),))
            with connections.reading(reach, snapshot=False) as reader:
                asked = f"select count(*) > 0 from {table} where sid = {sid}"
                assert reader.execute(asked).first() == (wanted and table != "vector")


def test_another_role_sees_nothing_even_where_it_may_look(address: str) -> None:
    with filled(address) as mem:
        mem.store.arrange()
        table = f"{parse(address).schema}.version_{sid_of(address, 'large')}"
    looking = f"set role {GUARDED}; select count(*) from {table}"
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        run_sql(server().superuser(), looking)
    grant = f"grant usage on schema {parse(address).schema} to {GUARDED}"
    asked = run_sql(
        server().superuser(),
        f"{grant}; grant select on {table} to {GUARDED}",
        f"set role {GUARDED}",
        "set lamina.streams = '*'",
        f"select count(*) from {table}",
    )
    assert asked == [(0,)]


def test_repair_and_reindex_leave_it_where_it_is(address: str) -> None:
    with filled(address) as mem:
        mem.store.arrange()
        before, lay = contents(mem), lying(address, "version")
        mem.reindex()
        mem.store.repair(analysed)
        assert contents(mem) == before
        assert lying(address, "version") == lay
        assert mem.recall("second kettle 7 of large", k=1).hits
        assert {one.severity for one in mem.store.check()} == {Severity.OK}


def test_a_store_with_partitions_goes_to_another_place_and_back(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAMINA_KEYS", str(tmp_path / "keys"))
    with filled(address) as mem:
        mem.store.arrange()
        before = contents(mem)
    lamina.migrate(address, tmp_path / "there")
    with lamina.open(tmp_path / "there") as mem:
        assert contents(mem) == before
        assert mem.store.arrange() == []
    with lent_address() as back:
        lamina.migrate(tmp_path / "there", back)
        with lamina.open(back) as mem:
            assert set(lying(back, "version")) == {"version_rest"}
            assert mem.store.arrange() == [Arranged("project/large", MANY, True)]
            assert contents(mem) == before
            assert {one.severity for one in mem.store.check()} == {Severity.OK}


def test_maintain_moves_it_and_says_so(
    address: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    filled(address).close()

    def said(*arguments: str) -> str:
        capsys.readouterr()
        assert main(["--dir", address, *arguments]) == 0
        return capsys.readouterr().out

    told = said("maintain", "--dry-run")
    assert f"partitions\tto get its own\t-\tproject/large, {MANY} records" in told
    found = json.loads(said("maintain", "--only", "partitions", "--json"))
    assert found["partitions"] == [{"scope": "project/large", "records": MANY, "apart": True}]
    assert found["history"] is None
    assert "partitions" not in said("maintain")
    assert f"of their own: project/large ({MANY} records)" in said("doctor")
