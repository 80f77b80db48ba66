"""An empty store can be filled at once; it is then like any other, and fenced like any other."""

import pytest

import lamina
from lamina.bench.texts import Texts, drafts
from lamina.errors import ConflictError
from lamina.exchange import export_lines, import_lines
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


SECRET = "ghp_" + "k3jQz81mVtR7xYbN20aLwPdE5sHcUf946TgO"


def _exported() -> list[str]:
    """More lines than it takes for a store to be filled at once."""
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        mem.remember("Deploys on Tuesdays", key="day", scope="project/alpha")
        mem.remember_many(drafts(Texts().block(0), 0))
        mem.edit("day", text="Deploys on Thursdays")
        return list(export_lines(mem))


def _opened(address: str) -> Memory:
    mem = lamina.open(address)
    mem.configure("recall.embedder", "off")
    return mem


def test_an_import_fills_an_empty_store_at_once(address: str) -> None:
    lines, told = _exported(), list[str]()
    lines[8] = lines[8].replace('"text":"', f'"text":"{SECRET} ')
    lines.insert(20, "no line")
    # From what is named again on, it goes the usual way.
    again = lines[140].replace('"rev":1', '"rev":2').replace('"text":"', '"text":"And now: ')
    assert "And now" in again
    whole = [*lines, lines[130], again]
    with _opened(address) as mem:
        report = import_lines(mem, whole, at_once=True, on_commit=told.append)
        assert (report.read, report.added) == (len(whole), len(lines) - 1)
        assert [number for number, _ in report.failed] == [21]
        assert told == list(report.transactions)
        assert {one.severity for one in _store(mem).check()} == {Severity.OK}
        assert mem.get("day").rev == 2
        assert _store(mem).has_sealed()
        # It was committed like anything else: it is known, and can be taken back.
        assert import_lines(mem, whole[:10], at_once=True).unchanged == 10
        mem.undo(report.transactions[5])
        assert len(list(export_lines(mem))) == len(lines) - 1


def test_an_import_at_once_comes_in_whole_or_not_at_all(address: str) -> None:
    lines = _exported()

    def cut_off(number: int) -> None:
        if number > 2_000:
            raise KeyboardInterrupt

    with _opened(address) as mem:
        with pytest.raises(KeyboardInterrupt):
            import_lines(mem, lines, cut_off, at_once=True)
        assert mem.count() == 0
        assert import_lines(mem, lines, at_once=True).added == len(lines)
        assert {one.severity for one in _store(mem).check()} == {Severity.OK}


def test_what_was_erased_is_not_filled_in_again(address: str) -> None:
    lines = _exported()
    with _opened(address) as mem:
        gone = import_lines(mem, lines[:1]).transactions
        assert len(gone) == 1
        mem.erase(mem.get("day").id)
        report = import_lines(mem, [*lines[:9], *[""] * len(lines)], at_once=True)
        assert (report.erased, report.added) == (1, 8)
