"""What only the SQLite store promises: plain SQL, sharing, group commit, self-knowledge."""

import multiprocessing
import os
import threading
from pathlib import Path
from typing import Any

import apsw
import pytest

import lamina
from lamina import StoreError
from lamina.core.indexing import index_terms
from lamina.stores.base import Severity
from lamina.stores.sqlite.store import SqliteStore


def sql(folder: Path, statement: str) -> list[tuple[object, ...]]:
    """Run SQL as any other program would, on its own connection."""
    connection = apsw.Connection(str(folder / "lamina.db"))
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def test_the_tables_of_the_designs_can_be_read_with_plain_sql(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        web = mem.project("web")
        web.remember("node: prefix", key="imports", kind="convention", confidence=0.9)
        web.remember("gone", key="old", kind="decision")
        web.forget(web.get("old").id)
        finn = mem.agent("finn", project="web")
        finn.remember("mine", key="own", kind="pitfall")
        finn.episode.record("t-1", "completed", approach="retry", outcome="ok", duration_ms=5,
                            tokens_in=7, tokens_out=9)  # fmt: skip
        finn.artifact.declare("out/report.md", task="t-1", description="the report", size=3,
                              sha256="ab" * 32)  # fmt: skip
        mem.remember("blue", layer="fact", key="colour", kind="preference")
        mem.remember("ran", layer="log", kind="TOOL_USE")
        mem.remember(
            "summary of a week", layer="archive", kind="summary", data={"entries_count": 4}
        )
    assert sql(
        tmp_path, "select project, category, key, value, source, confidence from knowledge"
    ) == [
        ("web", "convention", "imports", "node: prefix", "user", 0.9),
        ("web", "pitfall", "own", "mine", "finn", 1.0),
    ]
    assert sql(tmp_path, "select task_id, agent_id, action, approach, outcome, duration_ms,"
               " tokens_in, tokens_out from episodes") == [
        ("t-1", "finn", "completed", "retry", "ok", 5, 7, 9)
    ]  # fmt: skip
    assert sql(tmp_path, "select task_id, agent_id, type, path, description, size_bytes, checksum"
               " from artifacts") == [
        ("t-1", "finn", "file", "out/report.md", "the report", 3, "ab" * 32)
    ]  # fmt: skip
    assert sql(tmp_path, "select key, value, category from user_facts") == [
        ("colour", "blue", "preference")
    ]
    assert sql(
        tmp_path, "select entry_type, compacted, length(content_hash) from log_metadata"
    ) == [("TOOL_USE", 0, 64)]
    assert sql(tmp_path, "select entries_count, summary from compaction_history") == [
        (4, "summary of a week")
    ]
    assert sql(tmp_path, "pragma journal_mode") == [("wal",)]


def test_threads_share_commits_and_keep_their_own_errors(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.remember("start", key="counter", data={"n": 0})
        failures: list[str] = []

        def work(number: int) -> None:
            for step in range(20):
                mem.remember(f"thread {number} step {step}")
                try:
                    mem.remember("x", key="counter", expect=99)
                except lamina.ConflictError:
                    failures.append("refused")

        threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert mem.count() == 241
        assert len(failures) == 240
        assert all(finding.severity is Severity.OK for finding in mem.store.check())


def _count_up(folder: str, times: int) -> None:
    with lamina.open(folder) as mem:
        for _ in range(times):
            while True:
                record = mem.get("counter")
                try:
                    mem.edit(record.id, data={"n": record.data["n"] + 1}, expect=record.rev)
                    break
                except lamina.ConflictError:
                    continue


def test_processes_count_together_without_losing_one(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.remember("a counter", key="counter", data={"n": 0})
        context = multiprocessing.get_context("spawn")
        workers = [context.Process(target=_count_up, args=(str(tmp_path), 25)) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert [worker.exitcode for worker in workers] == [0, 0, 0, 0]
        assert mem.get("counter").data == {"n": 100}
        assert mem.get("counter").rev == 101


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_opens_its_own_connections(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.remember("from the parent")
        child = os.fork()
        if child == 0:
            try:
                mem.remember("from the child")
            finally:
                os._exit(0 if mem.count() == 2 else 1)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        mem.remember("from the parent again")
        assert mem.count() == 3
        assert all(finding.severity is Severity.OK for finding in mem.store.check())


DAMAGES = {
    "index entry lost": "delete from word where rowid = (select min(rowid) from word)",
    "index entry added": "insert into word (rowid, body) values (99999, '1:stray')",
    "index words changed": "update word_content set c0 = '1:other' where id = 1",
    "counts changed": "update stream set tokens = tokens + 5",
    "length changed": "update record set length = length + 1 where rid = 1",
    "text changed": "update version set text = 'forged' where vid = 2",
    "trust changed": "update version set trust = 'system' where vid = 2",
    "state changed": "update version set state = 'archived' where vid = 2",
    "event removed": "delete from event where seq = 3",
    "newest event removed": "delete from event where seq = (select max(seq) from event)",
    "event altered": "update event set actor = 'mallory' where seq = 2",
    "event time altered": "update event set at = '2001-01-01T00:00:00.000000Z' where seq = 3",
    "record removed": "delete from record where rid = 2",
    "version removed": "delete from version where vid = 3",
    "sealed value without a record": "insert into sealed values (4711, 'r', 'k', x'00', x'00')",
}
DERIVED = {
    "index entry lost",
    "index entry added",
    "index words changed",
    "counts changed",
    "length changed",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found_and_what_is_derived_is_rebuilt(tmp_path: Path, damage: str) -> None:
    with lamina.open(tmp_path) as mem:
        for number in range(6):
            mem.remember(f"note number {number} about herons")
        assert {finding.severity for finding in mem.store.check()} == {Severity.OK}
    connection = apsw.Connection(str(tmp_path / "lamina.db"))
    connection.execute("pragma foreign_keys = off")
    connection.execute(DAMAGES[damage])
    connection.close()
    with lamina.open(tmp_path) as mem:
        found = {finding.severity for finding in mem.store.check()}
        assert (Severity.RECORD in found) is (damage not in DERIVED)
        assert (Severity.DERIVED in found) or (damage not in DERIVED)
        if damage in DERIVED:
            mem.store.reindex(lambda record: index_terms(record, record.key))
            assert {finding.severity for finding in mem.store.check()} == {Severity.OK}
            assert len(mem.recall("herons").hits) == 6


def test_a_failing_commit_acknowledges_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full in the middle of a commit: the error is ours, the store goes on."""
    with lamina.open(tmp_path) as mem:
        mem.remember("before")
        store = mem.store
        assert isinstance(store, SqliteStore)
        store._connections.alone(lambda c: c.execute("pragma max_page_count = 60").fetchall())
        with pytest.raises(StoreError, match="no room"):
            mem.remember_many([{"text": f"{number} " + "filler " * 2_000} for number in range(200)])
        kept = mem.count()
        mem.remember("after")
        assert mem.count() == kept + 1
        assert all(finding.severity is Severity.OK for finding in mem.store.check())


@pytest.mark.parametrize("led", [{"key": "k"}, {"data.task": "t-1"}])
@pytest.mark.parametrize("never", [{"text": {"$gt": None}}, {"text": {"$in": []}}])
def test_what_can_never_be_is_no_error_where_an_index_leads(
    tmp_path: Path, led: dict[str, Any], never: dict[str, Any]
) -> None:
    with lamina.open(tmp_path) as mem:
        mem.remember("x", key="k", data={"task": "t-1"})
        assert mem.count(led) == 1
        assert mem.query({**led, **never}) == []
        assert mem.query({**led, **never}, as_of=mem.cursor()) == []
