"""Compaction of a log: much smaller, and nothing that cannot be found again."""

from pathlib import Path
from random import Random

import apsw

import lamina
from lamina.memory import AgentMemory

WORDS = "parser lexer build cache query vector session commit deploy server retry budget".split()
KINDS = ("TOOL_USE", "THOUGHT", "USER_FEEDBACK", "ERROR", "SYSTEM")


def filled(finn: AgentMemory) -> list[str]:
    """A log past 50 KB in 101 entries, each with a word of its own."""
    chance = Random(3)
    texts = [
        f"{' '.join(chance.choice(WORDS) for _ in range(75))} {n}. It is about x{n:03}y."
        for n in range(101)
    ]
    finn.remember_many(
        [{"layer": "log", "kind": chance.choice(KINDS), "text": text} for text in texts]
    )
    return texts


def test_a_long_log_shrinks_and_every_entry_is_found_again() -> None:
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        finn = mem.agent("finn", project="web")
        texts = filled(finn)
        done = finn.compact_log()
        assert done is not None
        assert (done.entries, done.before_bytes > 50_000) == (101, True)
        assert done.after_bytes <= 0.15 * done.before_bytes
        kept = finn.query({"layer": "archive", "kind": "original"}, limit=1_000)
        assert sorted(one.text for one in kept) == sorted(texts)
        for text in texts[::8]:
            hits = finn.recall(" ".join(text.split()[-6:]), layers=["archive"], k=3).hits
            assert text in [hit.record.text for hit in hits]


def test_plain_sql_tells_of_every_compaction(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.configure("recall.embedder", "off")
        finn = mem.agent("finn", project="web")
        filled(finn)
        finn.session("s").extend([{"role": "user", "text": f"heron {n}"} for n in range(15)])
        log, session = finn.compact_log(), finn.session("s").compact(force=True)
        assert log is not None
        assert session is not None
    connection = apsw.Connection(str(tmp_path / "lamina.db"))
    rows = connection.execute(
        "select archive_id, entries_count, scope, summary from compaction_history order by id"
    ).fetchall()
    [marked] = connection.execute("select sum(compacted) from log_metadata").fetchall()
    connection.close()
    assert rows == [
        (log.archive_id, 101, "project/web/agent/finn", log.summary),
        (session.archive_id, 5, "project/web/agent/finn/session/s", session.summary),
    ]
    assert marked == (101,)
