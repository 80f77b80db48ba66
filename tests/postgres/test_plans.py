"""What is asked a thousand times a minute is led by indexes, however much there is."""

import lamina
from lamina.bench.texts import Texts, drafts
from lamina.stores.postgres.address import parse
from lamina.stores.postgres.store import PostgresStore
from tests.postgres.server import run_sql
from tests.postgres.shared import server

MANY = 4_000
TIMES = 5
_READ_WHOLE = (
    "select sum(seq_tup_read)::bigint from pg_stat_all_tables where schemaname = '{schema}'"
    " and (relname in ('record', 'word', 'place', 'word_count', 'usage', 'receipt', 'sealed')"
    " or relname like '%_rest')"
)


def _walked(address: str) -> int:
    """How many rows were read by walking whole tables; sessions count at their end."""
    sql = _READ_WHOLE.format(schema=parse(address).schema)
    [(rows,)] = run_sql(server().superuser(), sql)
    assert isinstance(rows, int)
    return rows


def test_no_table_is_walked_to_write_recall_or_look_up_a_memory(address: str) -> None:
    texts = [text for block in Texts().some(0, MANY) for text in block]
    with lamina.open(address) as mem:
        assert isinstance(mem.store, PostgresStore)
        mem.configure("recall.embedder", "off")
        mem.store.load(lambda: mem.remember_many(drafts(texts, 0)))
    before = _walked(address)
    with lamina.open(address) as mem:
        agent = mem.agent("finn", project="alpha")
        for text in texts[:TIMES]:
            kept = mem.remember(f"now {text}", scope="project/alpha", idempotency_key=text)
            mem.edit(kept.id, text=f"then {text}")
            agent.fact.save("deploy-day", text)
            assert mem.recall(text).hits
            assert mem.get(kept.id).text == f"then {text}"
            assert mem.history(kept.id)
            mem.forget(kept.id)
    assert _walked(address) - before < MANY
