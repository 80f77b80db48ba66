"""What is asked a thousand times a minute is led by indexes, however much there is."""

from collections.abc import Iterator
from contextlib import contextmanager
from struct import pack
from time import sleep
from typing import Any

import pytest

import lamina
from lamina.bench.texts import Texts, drafts
from lamina.core.vectors import Embedded
from lamina.exchange import export_lines
from lamina.memory import Memory
from lamina.stores.postgres import locks, migrations
from lamina.stores.postgres.address import parse
from lamina.stores.postgres.driver import Connection
from lamina.stores.postgres.store import PostgresStore
from tests.postgres.server import run_sql
from tests.postgres.shared import server

MANY = 4_000
TIMES = 5
TALK = 1_500
FEW = 40
SMALL_ONES = 10
POINT = pack("<4f", 1.0, 0.0, 0.0, 0.0)
TALKED = "project/beta/task/t-7"
_READ_WHOLE = (
    "select sum(seq_tup_read)::bigint from pg_stat_all_tables where schemaname = '{schema}'"
    " and (relname in ('record', 'word', 'place', 'word_count', 'usage', 'receipt', 'sealed')"
    " or relname like '%_rest')"
)
_FOLLOWED = (
    "select sum(idx_tup_read)::bigint from pg_stat_all_indexes where schemaname = '{schema}'"
    " and relname in ('record', 'version_rest')"
)
_SESSIONS = "select pid from pg_locks where locktype = 'advisory' and objid = {number}"


def _number(address: str, sql: str) -> int:
    [(rows,)] = run_sql(server().superuser(), sql.format(schema=parse(address).schema))
    assert isinstance(rows, int)
    return rows


@contextmanager
def _used(address: str) -> Iterator[Memory]:
    """A store in use; what it made the server do has been counted when the block is over."""
    presence = f"{locks.PRESENCE}:{migrations.NEWEST}"
    number = locks.number(parse(address).schema, presence) & 0xFFFFFFFF
    with lamina.open(address) as mem:
        mem.configure("recall.embedder", "off")
        yield mem
        found = run_sql(server().superuser(), _SESSIONS.format(number=number))
    # Sessions count at their end, which does not wait for us.
    ended = f"select 1 from pg_stat_activity where pid in ({', '.join(str(p) for (p,) in found)})"
    while run_sql(server().superuser(), ended):
        sleep(0.01)


def test_no_table_is_walked_to_write_recall_or_look_up_a_memory(address: str) -> None:
    texts = [text for block in Texts().some(0, MANY) for text in block]
    with _used(address) as mem:
        store = mem.store
        assert isinstance(store, PostgresStore)
        store.load(lambda: mem.remember_many(drafts(texts, 0)))
    before = _number(address, _READ_WHOLE)
    with _used(address) as mem:
        agent = mem.agent("finn", project="alpha")
        for text in texts[:TIMES]:
            kept = mem.remember(f"now {text}", scope="project/alpha", idempotency_key=text)
            mem.edit(kept.id, text=f"then {text}")
            agent.fact.save("deploy-day", text)
            assert mem.recall(text).hits
            assert mem.get(kept.id).text == f"then {text}"
            assert mem.history(kept.id)
            mem.forget(kept.id)
    assert _number(address, _READ_WHOLE) - before < MANY


def test_what_waits_for_a_vector_is_found_without_a_walk_along_what_others_have(
    address: str,
) -> None:
    texts = [text for block in Texts().some(0, MANY) for text in block]
    with _used(address) as mem:
        store = mem.store
        assert isinstance(store, PostgresStore)
        store.load(lambda: mem.remember_many(drafts(texts, 0)))
        for number in range(SMALL_ONES):
            mem.project(f"small-{number}").remember("one memory, at the end of all numbers")
    run_sql(server().superuser(), f"analyze {parse(address).schema}.version")
    before = _number(address, _READ_WHOLE), _number(address, _FOLLOWED)
    with _used(address) as mem:
        for _ in range(TIMES):
            waiting = mem.store.unembedded("made up", 1)
            made = [Embedded(one.id, one.rev, POINT) for one in waiting]
            assert mem.store.embed("made up", made) == 1
    assert _number(address, _READ_WHOLE) - before[0] < MANY
    assert _number(address, _FOLLOWED) - before[1] < MANY


def test_what_stands_beside_a_match_is_found_without_a_walk_along_its_conversation(
    address: str,
) -> None:
    texts = [text for block in Texts().some(0, MANY) for text in block]
    with _used(address) as mem:
        mem.remember_many(drafts(texts, 0))
        mem.remember_many(
            [{"text": f"talk number {n}", "layer": "log", "scope": TALKED} for n in range(TALK)]
        )
    run_sql(server().superuser(), f"analyze {parse(address).schema}.record")
    before = _number(address, _FOLLOWED)
    with _used(address) as mem:
        assert mem.recall(f"talk {TALK // 2}", scope=TALKED, floor=0.0).hits
    assert _number(address, _FOLLOWED) - before < TALK


def test_a_whole_history_is_exported_by_pages(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    ask = Connection.execute

    def noting(self: Connection, sql: str, *given: Any) -> Any:
        asked.append(sql)
        return ask(self, sql, *given)

    with lamina.open(address) as mem:
        mem.configure("recall.embedder", "off")
        mem.remember_many([{"text": f"memory {n}", "key": f"k-{n}"} for n in range(FEW)])
        mem.remember_many([{"text": f"later {n}", "key": f"k-{n}"} for n in range(FEW)])
        monkeypatch.setattr(Connection, "execute", noting)
        lines = list(export_lines(mem, history=True))
    assert len(lines) == 2 * FEW
    assert len(asked) < FEW
