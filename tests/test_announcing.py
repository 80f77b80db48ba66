"""What is told of reads and searches: who hears it, what it never says, what it may not cost."""

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import lamina
from lamina import Memory, Record
from lamina.events import MemoryFlush, MemoryRead, MemorySearch
from lamina.stores.sqlite.driver import connect
from tests.places import mem

__all__ = ["mem"]

LONG_ENOUGH = 20.0

SEARCHER = """
import sys, lamina
with lamina.open(sys.argv[1]) as mem:
    finn = mem.agent("finn", project="web")
    for number in range(int(sys.argv[2])):
        finn.recall(f"heron {number}")
"""

FORKER = """
import os, sys, warnings, lamina
warnings.simplefilter("ignore")
mem = lamina.open(sys.argv[1])
mem.recall("asked by the parent")
child = os.fork()
if child == 0:
    mem.recall("asked by the child")
    mem.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
mem.close()
"""


def run(script: str, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def queries(memory: Memory) -> list[str]:
    return [event.query for event in memory.events() if isinstance(event, MemorySearch)]


def read_paths(memory: Memory) -> list[str]:
    return [event.path for event in memory.events() if isinstance(event, MemoryRead)]


@pytest.fixture
def told(mem: Memory) -> Memory:
    """A memory where reads and searches are announced."""
    mem.configure("events.reads", "on")
    return mem


@pytest.fixture
def on_disk(tmp_path: Path) -> Path:
    """A store in a directory where reads and searches are announced."""
    with lamina.open(tmp_path / "store") as memory:
        memory.configure("events.reads", "on")
        memory.remember("a heron", key="k", scope="project/web")
    return tmp_path / "store"


# -- who hears it


def test_agents_hear_of_what_they_can_see(told: Memory) -> None:
    finn, gwen = told.agent("finn", project="web"), told.agent("gwen", project="web")
    lead = told.agent("lead", project="web", role="orchestrator")
    finn.remember("a heron of his own", key="own")
    told.project("web").remember("a heron for all", key="common")
    for agent in (finn, gwen):
        agent.get("common")
        agent.recall(f"heron of {agent.principal.name}")
    finn.get("own")
    own = "project/web/agent/finn/knowledge/fact/own"
    common = "project/web/knowledge/fact/common"
    assert read_paths(gwen) == [common, common]
    assert read_paths(finn) == read_paths(lead) == [common, common, own]
    assert queries(gwen) == ["heron of gwen"]
    assert queries(finn) == ["heron of finn"]
    assert queries(lead) == ["heron of finn", "heron of gwen"]
    assert list(told.agent("finn", project="shop").events()) == []


def test_what_is_only_tried_is_told_to_nobody(told: Memory) -> None:
    told.remember("a heron", key="bird")
    [hit] = told.recall("heron", tentative=True).hits
    assert hit.record.key == "bird"
    assert queries(told) == []
    assert told.recalls.answered().asked == 0
    told.recall("heron")
    assert queries(told) == ["heron"]
    assert told.recalls.answered().asked == 1


def test_projects_hear_nothing_of_each_other(told: Memory) -> None:
    told.remember("for everyone", key="everyone")
    web, shop = told.project("web"), told.project("shop")
    finn = told.agent("finn", project="web")
    web.remember("a canary", key="canary")
    shop.get("everyone")
    quiet = shop.events()
    assert [event.name for event in quiet] == ["memory:write", "memory:read"]
    before = quiet.cursor
    for listener in (web, finn):
        listener.get("everyone")
        listener.get("canary")
        listener.recall("canary everyone")
        listener.query()
    finn.announce(MemoryFlush(session_id="s-1"))
    stream = shop.events()
    assert [event.name for event in stream] == ["memory:write", "memory:read"]
    # Not even that something happened: the cursor stands where it stood.
    assert (stream.cursor, quiet.cursor, next(quiet, None)) == (before, before, None)
    assert len(read_paths(web)) == 8
    assert len(list(told.events())) == len(list(web.events())) + 1
    assert queries(web) == ["canary everyone"] * 2
    assert queries(finn) == ["canary everyone"]


# -- what it never says


def test_secrets_in_a_query_are_not_kept(on_disk: Path) -> None:
    value = "Sesame" + "-open-4711-now"
    with lamina.open(on_disk) as memory:
        memory.recall(f"where did I write that the vault password is {value} then")
        memory.recall(f"{value}, password: {value}")
        assert queries(memory) == [
            "where did I write that the vault password is secret://redacted then",
            "secret://redacted, password: secret://redacted",
        ]
        memory.flush()
    run("import pathlib, sys\n"
        "for path in pathlib.Path(sys.argv[1]).rglob('*'):\n"
        "    assert not path.is_file() or sys.argv[2].encode() not in path.read_bytes(), path",
        str(on_disk), value)  # fmt: skip


def test_what_is_told_is_bounded(told: Memory) -> None:
    told.remember_many([{"text": f"heron {number}"} for number in range(300)])
    told.recall("heron " * 5_000, k=300)
    told.recall("odd \ud800 \0 text")
    assert len(told.query(limit=300)) == 300
    search, odd = (e for e in told.events() if isinstance(e, MemorySearch))
    assert (len(search.query), len(search.results)) == (1_000, 100)
    assert odd.query == "odd ? \0 text"
    assert len(read_paths(told)) == 100


def test_a_backup_does_not_tell_who_read_what(on_disk: Path, tmp_path: Path) -> None:
    with lamina.open(on_disk) as memory:
        memory.recall("a xylophone")
        assert queries(memory) == ["a xylophone"]
        memory.backup(tmp_path / "copy")
        assert queries(memory) == ["a xylophone"]
    assert b"xylophone" not in (tmp_path / "copy").read_bytes()
    lamina.restore(tmp_path / "copy", tmp_path / "restored")
    with lamina.open(tmp_path / "restored") as memory:
        assert queries(memory) == []
        memory.recall("another xylophone")
        assert queries(memory) == ["another xylophone"]


# -- between processes


def test_another_process_hears_of_it(on_disk: Path) -> None:
    with lamina.open(on_disk) as memory:
        stream = memory.events(memory.cursor(), follow=True, timeout=LONG_ENOUGH)
        other = threading.Thread(target=run, args=(SEARCHER, str(on_disk), "3"))
        other.start()
        heard = [next(stream) for _ in range(3)]
        other.join()
        assert [e.query for e in heard if isinstance(e, MemorySearch)] == [
            f"heron {number}" for number in range(3)
        ]
        assert {(e.actor, e.name) for e in heard} == {("finn", "memory:search")}
        assert list(memory.events(stream.cursor)) == []


def test_nothing_that_waits_is_lost_at_the_end_or_told_twice(on_disk: Path) -> None:
    run(SEARCHER, str(on_disk), "250")
    with lamina.open(on_disk) as memory:
        assert queries(memory) == [f"heron {number}" for number in range(250)]


def test_a_fork_tells_nothing_twice(on_disk: Path) -> None:
    run(FORKER, str(on_disk))
    with lamina.open(on_disk) as memory:
        assert sorted(queries(memory)) == ["asked by the child", "asked by the parent"]


def test_what_waits_goes_along_with_the_next_commit(on_disk: Path) -> None:
    with lamina.open(on_disk) as memory, lamina.open(on_disk) as other:
        memory.recall("heron")
        memory.remember("more")
        assert queries(other) == ["heron"]


# -- what it may not cost


def every_read(memory: Memory) -> list[Callable[[], object]]:
    return [
        lambda: memory.get("k"),
        lambda: memory.query(),
        lambda: memory.recall("heron"),
        lambda: memory.history("k"),
    ]


def test_a_read_does_not_wait_for_a_writer_to_be_told(on_disk: Path) -> None:
    with lamina.open(on_disk, project="web") as memory:
        with closing(connect(on_disk / "lamina.db", create=False)) as writer:
            writer.execute("begin immediate")
            for read in every_read(memory):
                assert read()
            # Nobody can write now, so nothing is told; nor does asking for it fail or take long.
            for _ in range(3):
                assert queries(memory) == []
            writer.execute("rollback")
        assert queries(memory) == ["heron"]
        assert len(read_paths(memory)) == 3


def test_neither_read_nor_write_fails_because_telling_does(on_disk: Path) -> None:
    with lamina.open(on_disk, project="web") as memory:
        memory.recall("heron")
        with closing(connect(on_disk / "lamina.db", create=False)) as other:
            other.execute("alter table telemetry rename to elsewhere")
            for read in every_read(memory):
                assert read()
            memory.remember("still written", key="w")
            memory.flush()
            other.execute("alter table elsewhere rename to telemetry")
        found: Record = memory.get("w")
        assert found.text == "still written"
        assert read_paths(memory)[-1].endswith("/w")


def test_a_setting_of_another_process_is_noticed(on_disk: Path) -> None:
    with lamina.open(on_disk, project="web") as memory:
        memory.get("k")
        with lamina.open(on_disk) as other:
            other.configure("events.reads", "off")
        told = len(read_paths(memory))
        while told != (told := _told_by_one_more_read(memory)):
            pass


def _told_by_one_more_read(memory: Memory) -> int:
    memory.get("k")
    return len(read_paths(memory))


GARBAGE = [
    {"at": "soon"}, {"at": "2026-01-01T00:00:00"}, {"at": b"x"}, {"kind": "memory:nonsense"},
    {"body": "{"}, {"body": "[" * 100_000}, {"body": "[]"}, {"body": "7"}, {"body": b"x"},
    {"body": '["user","",[],{"session_id":7}]'}, {"body": '["user","",5,{}]'},
    {"body": '["user",7,[],{"session_id":"s"}]'}, {"scope": b"x", "layer": ""},
    {"tid": 2**63 - 1}, {"tid": 10**18}, {"tid": -5},
]  # fmt: skip
SOUND = {
    "tid": 5, "at": "2026-01-01T00:00:00.000000Z", "kind": "memory:flush", "actor": "user",
    "scope": "project/web", "layer": "session",
    "body": '["user","",[],{"session_id":"planted"}]',
}  # fmt: skip


def plant(folder: Path, **changed: int | str | bytes) -> None:
    with closing(connect(folder / "lamina.db", create=False)) as other:
        row = (SOUND | changed).values()
        other.execute("delete from telemetry where tid > 0")
        other.execute("insert or replace into telemetry values (?, ?, ?, ?, ?, ?, ?)", tuple(row))


def flushed(memory: Memory, after: str | None = None) -> list[str]:
    return [e.session_id for e in memory.events(after) if isinstance(e, MemoryFlush)]


@pytest.mark.parametrize("garbage", GARBAGE, ids=lambda garbage: f"{garbage!r:.40}")
def test_a_notice_that_cannot_be_read_is_as_good_as_absent(
    garbage: dict[str, int | str | bytes], on_disk: Path
) -> None:
    with lamina.open(on_disk, project="web") as memory:
        plant(on_disk)
        assert flushed(memory) == ["planted"]
        plant(on_disk, **garbage)
        memory.announce(MemoryFlush(session_id="after"))
        feed = memory.events(names=["memory:flush"])
        assert [e.session_id for e in feed if isinstance(e, MemoryFlush)] == ["after"]
        memory.announce(MemoryFlush(session_id="later"))
        assert flushed(memory, feed.cursor) == ["later"]


@pytest.mark.parametrize("said", ["", "x", "-1", "9" * 5000, "1.5", b"x"])
def test_an_erase_is_noticed_whatever_the_last_one_left(said: str | bytes, on_disk: Path) -> None:
    with lamina.open(on_disk, project="web") as memory:
        plant(on_disk, tid=2**63 - 1)
        plant(on_disk, tid=0, kind="erase", body=said)
        with lamina.open(on_disk, project="web") as other:
            gone = other.remember("a heron on the pier")
            memory.announce(MemoryFlush(session_id="before"))
            other.erase(gone.id)
        memory.flush()
        memory.announce(MemoryFlush(session_id="after"))
        assert flushed(memory) == ["after"]
