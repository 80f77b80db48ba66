"""An empty store can be filled at once; it is then like any other, and fenced like any other."""

import pytest

import lamina
from lamina.bench.texts import Texts, drafts
from lamina.errors import ConflictError
from lamina.memory import Memory
from lamina.stores.base import Severity
from lamina.stores.postgres.store import PostgresStore

MANY = 120
TEXTS = Texts().block(0)[:MANY]


def _store(mem: Memory) -> PostgresStore:
    assert isinstance(mem.store, PostgresStore)
    return mem.store


def _filled(mem: Memory) -> None:
    half = drafts(TEXTS, 0)
    for batch in (half[:50], half[50:]):
        mem.remember_many(batch)


def _contents(mem: Memory) -> list[tuple[object, ...]]:
    found = [hit for text in TEXTS[:5] for hit in mem.recall(text, floor=0.0, k=3).hits]
    return [(hit.record.text, hit.record.scope, round(hit.score, 6)) for hit in found]


def test_what_was_loaded_is_as_if_it_had_been_written(address: str, over_tcp: str) -> None:
    with lamina.open(address) as loaded, lamina.open(over_tcp) as written:
        for mem in (loaded, written):
            mem.configure("recall.embedder", "off")
        _store(loaded).load(lambda: _filled(loaded))
        _filled(written)
        assert _contents(loaded) == _contents(written) != []
        assert {one.severity for one in _store(loaded).check()} == {Severity.OK}
        # And it goes on from there.
        new = loaded.remember("Tea is in the cupboard", scope="project/alpha")
        assert loaded.recall("tea cupboard").hits[0].record.id == new.id
        assert {one.severity for one in _store(loaded).check()} == {Severity.OK}


def test_only_an_empty_store_is_loaded(address: str) -> None:
    with lamina.open(address, project="a") as mem:
        mem.remember("Tea is in the cupboard")
        with pytest.raises(ConflictError, match="never held a record"):
            _store(mem).load(lambda: _filled(mem))
        assert mem.recall("tea").hits


def test_a_load_that_fails_leaves_nothing(address: str) -> None:
    def fill() -> None:
        mem.remember_many(drafts(TEXTS[:10], 0))
        raise KeyError

    with lamina.open(address) as mem:
        with pytest.raises(KeyError):
            _store(mem).load(fill)
        assert mem.query() == []
        _filled(mem)
        assert {one.severity for one in _store(mem).check()} == {Severity.OK}
