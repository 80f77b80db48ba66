"""Recall counts what it hands out: for whom, at what cost, and what it never touches."""

import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

import lamina
from lamina import Memory
from lamina.core.record import to_json
from lamina.exchange import export_lines
from lamina.stores.base import Severity
from lamina.stores.sql.driver import one
from lamina.stores.sqlite.driver import connect
from tests.places import STORES, mem, where

__all__ = ["mem"]

COUNTED = "select ifnull(sum(hits), 0) from usage"


@pytest.fixture
def web(mem: Memory) -> Memory:
    mem.configure("recall.embedder", "off")
    project = mem.project("web")
    project.remember("The heron nests by the river", key="heron")
    project.remember("The kettle is in the kitchen", key="kettle")
    return project


def hits(memory: Memory, name: str) -> int:
    record = memory.get(name)
    used = memory.store.usage(memory.reach, [record.id])
    return used[record.id].hits if used else 0


def run(script: str, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


# -- what counts


def test_what_is_handed_out_is_counted(web: Memory) -> None:
    for _ in range(3):
        assert len(web.recall("heron").hits) == 1
    assert (hits(web, "heron"), hits(web, "kettle")) == (3, 0)
    assert web.recall("zeppelin").abstained
    web.get("kettle")
    web.query({"key": "kettle"})
    web.why_not("kettle", "kettle")
    assert hits(web, "kettle") == 0


def test_what_is_said_again_is_counted(web: Memory) -> None:
    web.remember("The kettle is in the kitchen", key="kettle")
    assert (web.get("kettle").rev, hits(web, "kettle")) == (1, 1)
    web.remember("The kettle is in the attic", key="kettle")
    assert (web.get("kettle").rev, hits(web, "kettle")) == (2, 1)


def test_the_past_neither_counts_nor_is_moved_by_counts(web: Memory) -> None:
    here = web.cursor()
    before = web.recall("heron", as_of=here).hits
    assert hits(web, "heron") == 0
    web.recall("heron")
    assert web.recall("heron", as_of=here).hits == before
    assert "use" in web.recall("heron").hits[0].parts


def test_counting_can_be_switched_off(mem: Memory, web: Memory) -> None:
    mem.configure("recall.use", "off")
    web.recall("heron")
    web.remember("The kettle is in the kitchen", key="kettle")
    assert (hits(web, "heron"), hits(web, "kettle")) == (0, 0)
    mem.configure("recall.use", None)
    web.recall("heron")
    mem.configure("recall.use", "off")
    assert "use" not in web.recall("heron").hits[0].parts


def test_one_process_may_leave_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMINA_RECALL_USE", "off")
    with lamina.open(tmp_path / "store") as memory:
        memory.remember("a heron", key="heron")
        memory.recall("heron")
        assert hits(memory, "heron") == 0


# -- what it does to ranking


def test_an_answer_does_not_change_by_being_given(web: Memory) -> None:
    web.remember_many([{"text": f"a heron at pond {number}"} for number in range(5)])
    first = web.recall("heron", k=10, now="2100-01-01T00:00:00Z").hits
    for _ in range(100):
        again = web.recall("heron", k=10, now="2100-01-01T00:00:00Z").hits
    assert [hit.record.id for hit in again] == [hit.record.id for hit in first]
    assert [hit.score for hit in again] == pytest.approx([hit.score for hit in first])


def test_of_two_alike_the_one_that_was_of_use_comes_first(web: Memory) -> None:
    older, newer = (web.remember(f"the stork {verb} on the roof").id for verb in ("sleeps", "sits"))
    assert [hit.record.id for hit in web.recall("stork roof").hits][0] == newer
    for _ in range(40):
        web.recall("stork sleeps", k=1)
    best, _ = web.recall("stork roof").hits
    assert best.record.id == older
    assert best.parts["use"] > 0


# -- who sees it


def test_what_one_project_asks_moves_nothing_in_another(mem: Memory, web: Memory) -> None:
    mem.remember("herons are protected", key="law")
    mem.remember("herons are grey", key="grey")
    other = mem.project("other")
    before = [
        (hit.record.id, hit.score) for hit in other.recall("herons", as_of=other.cursor()).hits
    ]
    for _ in range(50):
        web.recall("herons protected", k=1, scope="global")
    assert hits(web, "law") == 50
    assert hits(other, "law") == 0
    assert [(hit.record.id, hit.score) for hit in other.recall("herons").hits] == before
    assert hits(mem, "law") == 51
    parts = {hit.record.key: hit.parts for hit in web.recall("herons", scope="global").hits}
    assert parts["law"]["use"] > 0.09
    assert "use" not in parts["grey"]


def test_asking_another_agent_counts_for_what_it_has_shared(mem: Memory) -> None:
    mem.configure("recall.embedder", "off")
    finn, maya = mem.agent("finn", project="web"), mem.agent("maya", project="web")
    finn.remember("the heron nests in April", key="nest")
    finn.public.share("nest")
    first = maya.public.ask("finn", "heron").hits
    assert maya.public.ask("finn", "heron").hits == first
    assert hits(finn, "nest") == 2
    assert maya.store.usage(maya.reach, [first[0].record.id]) == {}


# -- what it never touches


def test_counts_are_no_part_of_a_record_or_of_an_export(mem: Memory, web: Memory) -> None:
    lines, seen = list(export_lines(mem, history=True)), to_json(web.get("heron"))
    pulse = mem.cursor()
    web.recall("heron")
    mem.flush()
    assert list(export_lines(mem, history=True)) == lines
    assert to_json(web.get("heron")) == seen
    assert list(mem.changes(pulse)) == []
    assert {finding.severity for finding in mem.check() if finding.check != "key"} <= {
        Severity.OK, Severity.NOTE,
    }  # fmt: skip


@pytest.mark.parametrize("place", STORES[1:])
def test_counts_outlive_the_process_and_go_with_the_record(place: str, tmp_path: Path) -> None:
    at = where(place, tmp_path / "store")
    with lamina.open(at) as memory:
        memory.remember("a heron", key="heron")
        memory.recall("heron")
    with lamina.open(at) as memory:
        assert hits(memory, "heron") == 1
        gone = memory.get("heron").id
        memory.recall("heron")
        memory.erase("heron")
    with lamina.open(at) as memory:
        assert memory.store.usage(memory.reach, [gone]) == {}


def test_counts_are_in_a_backup(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "store") as memory:
        memory.remember("a heron", key="heron")
        memory.recall("heron")
        memory.backup(tmp_path / "copy")
    lamina.restore(tmp_path / "copy", tmp_path / "again")
    with lamina.open(tmp_path / "again") as memory:
        assert hits(memory, "heron") == 1


# -- what it may not cost

FORKER = """
import os, sys, warnings, lamina
warnings.simplefilter("ignore")
mem = lamina.open(sys.argv[1])
mem.recall("heron")
child = os.fork()
if child == 0:
    mem.recall("heron")
    mem.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
mem.remember("written by the parent after the child had gone", key="after")
mem.close()
"""


def test_a_forked_process_counts_for_itself(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "store") as memory:
        memory.remember("a heron", key="heron")
    run(FORKER, str(tmp_path / "store"))
    with lamina.open(tmp_path / "store") as memory:
        assert hits(memory, "heron") == 2


FORKED_LATE = """
import os, sys, warnings, lamina
warnings.simplefilter("ignore")
mem = lamina.open(sys.argv[1])
mem.recall("heron")
reading, writing = os.pipe()
child = os.fork()
if child == 0:
    os.read(reading, 1)
    mem.recall("heron")
    mem.close()
    os._exit(0)
mem.remember("written by the parent", key="after")
mem.flush()
os.write(writing, b"x")
assert os.waitpid(child, 0)[1] == 0
mem.close()
"""


def test_a_forked_process_does_not_write_over_a_json_file(tmp_path: Path) -> None:
    at = f"json:{tmp_path}/m.json"
    with lamina.open(at) as memory:
        memory.remember("a heron", key="heron")
    run(FORKED_LATE, at)
    with lamina.open(at) as memory:
        assert memory.get("after").text == "written by the parent"
        assert hits(memory, "heron") == 1


def test_recall_waits_for_nobody_who_writes(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "store") as memory:
        memory.configure("recall.embedder", "off")
        memory.remember("a heron", key="heron")
        with closing(connect(tmp_path / "store" / "lamina.db", create=False)) as other:
            other.execute("begin immediate")
            asked = threading.Thread(target=memory.recall, args=("heron",))
            asked.start()
            asked.join(20)
            assert not asked.is_alive()
            # It is known here at once, in the file only once there is room.
            assert hits(memory, "heron") == 1
            assert one(other, COUNTED) == 0
            other.execute("rollback")
        memory.flush()
        with closing(connect(tmp_path / "store" / "lamina.db", create=False)) as other:
            assert one(other, COUNTED) == 1


def test_many_recalls_are_one_write(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "store") as memory:
        memory.configure("recall.embedder", "off")
        memory.remember("a heron", key="heron")
        with closing(connect(tmp_path / "store" / "lamina.db", create=False)) as other:
            before = one(other, "pragma data_version")
            for _ in range(100):
                memory.recall("heron")
            assert one(other, "pragma data_version") == before
            memory.flush()
            assert one(other, COUNTED) == 100


@pytest.mark.parametrize("harm", ["drop table usage", "update usage set hits = 'x', last = 'y'"])
def test_recall_does_not_depend_on_the_counts(tmp_path: Path, harm: str) -> None:
    with lamina.open(tmp_path / "store") as memory:
        memory.remember("a heron", key="heron")
        memory.recall("heron")
    with closing(connect(tmp_path / "store" / "lamina.db", create=False)) as other:
        other.execute(harm)
    with lamina.open(tmp_path / "store") as memory:
        [hit] = memory.recall("heron").hits
        assert "use" not in hit.parts
        memory.flush()


def test_a_lost_table_of_counts_is_made_again(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "store") as memory:
        memory.remember("a heron", key="heron")
    with closing(connect(tmp_path / "store" / "lamina.db", create=False)) as other:
        other.execute("drop table usage")
    with lamina.open(tmp_path / "store") as memory:
        wrong = [one for one in memory.store.check() if one.severity is Severity.DERIVED]
        assert [one.message for one in wrong] == ["the table `usage` is missing"]
        memory.store.repair(lambda record: ())
        memory.recall("heron")
        memory.recall("heron")
        memory.flush()
        assert {one.severity for one in memory.store.check()} == {Severity.OK}


def test_a_json_file_that_cannot_be_saved_does_not_trouble_a_reader(tmp_path: Path) -> None:
    place = tmp_path / "folder"
    with lamina.open(f"json:{place}/m.json") as memory:
        memory.configure("recall.embedder", "off")
        memory.remember("a heron", key="heron")
    memory = lamina.open(f"json:{place}/m.json")
    memory.recall("heron")
    place.rename(tmp_path / "elsewhere")
    memory.close()
