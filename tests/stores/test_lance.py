"""The engine `lance`: chosen for a store, missing elsewhere, and its tables gone while in use."""

import importlib
import os
import shutil
import sys
from contextlib import closing
from pathlib import Path

import pytest

import lamina
from lamina.core.settings import BUILTIN, ENGINE, LANCE
from lamina.errors import InvalidInputError, UnsupportedError
from lamina.stores.base import Severity
from lamina.stores.sqlite import INDEXES
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.builders import search
from lamina.testing.embedders import FakeEmbedder
from tests.indexes.near import needs_lance
from tests.stores.engines import large
from tests.stores.segmented import EAST, KIND, SPACE, Answers, answers, files, kinds, same, told

__all__ = ["large"]
pytestmark = [pytest.mark.usefixtures("large"), needs_lance]


def missing(monkeypatch: pytest.MonkeyPatch, package: str = "lancedb") -> None:
    """As where a package was never installed."""
    monkeypatch.setitem(sys.modules, package, None)


def made(folder: Path) -> Answers:
    """A store with tables, and what it answers without them."""
    with closing(SqliteStore(folder)) as store:
        told(store)
        right = answers(store)
        store.configure(ENGINE, LANCE)
        store.fold()
        assert same(answers(store), right)
    assert set(kinds(folder)) == {"words", KIND[LANCE]}
    return right


def tables_of(folder: Path) -> list[Path]:
    return sorted((folder / INDEXES).glob("*.lance"))


@pytest.mark.parametrize("package", ["lancedb", "pyarrow"])
def test_it_is_not_chosen_where_a_package_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    missing(monkeypatch, package)
    with lamina.open(tmp_path) as mem:
        with pytest.raises(UnsupportedError, match=package) as refused:
            mem.configure(ENGINE, LANCE)
        assert "pip install 'lamina[lancedb]'" in refused.value.remedy
        assert mem.settings()[ENGINE] == BUILTIN
        with pytest.raises(InvalidInputError, match="builtin, lance"):
            mem.configure(ENGINE, "faiss")


def test_where_it_is_missing_later_recall_goes_on_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lamina.open(tmp_path, embedder=FakeEmbedder(8)) as mem:
        mem.configure(ENGINE, LANCE)
        mem.project("web").remember("the canary sings")
        mem.reindex()
        mem.store.fold()
        assert mem.project("web").recall("canary").degraded == ()
    assert tables_of(tmp_path)
    missing(monkeypatch)
    with lamina.open(tmp_path, embedder=FakeEmbedder(8)) as mem:
        web = mem.project("web")
        kept = web.remember("a kettle that whistles")
        found = web.recall("whistles")
        assert kept.id in {hit.record.id for hit in found.hits}
        [told_so] = found.degraded
        assert "lancedb" in told_so
        assert "the built-in engine answers" in told_so
        [note] = [one for one in mem.check() if one.check == "indexes"]
        assert note.severity is Severity.NOTE
        assert "lancedb" in note.message
        assert web.erase(kept.id).complete
        assert not tables_of(tmp_path)


def test_where_it_is_missing_later_the_built_in_engine_has_files_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = made(tmp_path)
    with monkeypatch.context() as patch, closing(SqliteStore(tmp_path)) as store:
        missing(patch)
        assert same(answers(store), right)
        store.fold()
        assert same(answers(store), right)
        assert set(kinds(tmp_path)) == {"words", *KIND.values()}
        told(store, 1, start=40)
        right = answers(store)
    with closing(SqliteStore(tmp_path)) as store:
        assert same(answers(store), right)
        assert search(store, "kettle", vector=EAST).degraded == ()
        store.fold()
        assert same(answers(store), right)
    assert set(kinds(tmp_path)) == {"words", KIND[LANCE]}


def test_a_package_that_breaks_while_in_use_costs_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = made(tmp_path)
    broken = tmp_path / "broken"
    (broken / "lancedb").mkdir(parents=True)
    (broken / "lancedb" / "__init__.py").write_text("import nothing_of_that_name\n")
    for name in [name for name in sys.modules if name.split(".")[0] == "lancedb"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(broken)
    with closing(SqliteStore(tmp_path)) as store:
        assert same(answers(store), right)
        assert any("lancedb" in one for one in search(store, "kettle", vector=EAST).degraded)


def test_the_files_of_the_engine_before_are_removed(tmp_path: Path) -> None:
    right = made(tmp_path)
    with closing(SqliteStore(tmp_path)) as store:
        for engine in (BUILTIN, LANCE):
            store.configure(ENGINE, engine)
            assert same(answers(store), right)
            assert store.fold_is_due()
            store.fold()
            assert same(answers(store), right)
            assert set(kinds(tmp_path)) == {"words", KIND[engine]}
            assert bool(tables_of(tmp_path)) is (engine == LANCE)


def test_others_go_on_when_a_table_was_replaced(tmp_path: Path) -> None:
    made(tmp_path)
    with closing(SqliteStore(tmp_path)) as store, closing(SqliteStore(tmp_path)) as other:
        before = tables_of(tmp_path)
        answers(other)
        told(store, 9, start=50)
        right = answers(store)
        store.fold()
        replaced = tables_of(tmp_path)
        assert not set(before) & set(replaced)
        assert same(answers(other), right)
        assert search(other, "kettle", vector=EAST).degraded == ()
        assert tables_of(tmp_path) == replaced


@pytest.mark.parametrize("is_open", [False, True])
def test_a_table_that_vanished_is_made_anew(tmp_path: Path, *, is_open: bool) -> None:
    right = made(tmp_path)
    with closing(SqliteStore(tmp_path)) as store:
        if is_open:
            answers(store)
        for table in tables_of(tmp_path):
            shutil.rmtree(table)
        assert same(answers(store), right)
        store.fold()
        assert tables_of(tmp_path)
        assert same(answers(store), right)


def test_a_table_that_was_added_to_is_not_believed(tmp_path: Path) -> None:
    right = made(tmp_path)
    lancedb = importlib.import_module("lancedb")
    [table] = tables_of(tmp_path)
    opened = lancedb.connect(table.parent).open_table(table.stem)
    opened.delete("rid > 0")
    with closing(SqliteStore(tmp_path)) as store:
        assert same(answers(store), right)
        assert not tables_of(tmp_path)


def test_a_table_behind_a_link_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    right = made(tmp_path / "store")
    [table] = tables_of(tmp_path / "store")
    elsewhere = tmp_path / "elsewhere"
    table.rename(elsewhere)
    table.symlink_to(elsewhere)
    with closing(SqliteStore(tmp_path / "store")) as store:
        assert same(answers(store), right)
        store.fold()
        assert same(answers(store), right)
    assert not any(path.is_symlink() for path in (tmp_path / "store" / INDEXES).iterdir())
    assert list(elsewhere.iterdir())


def test_a_forked_child_answers_without_it(tmp_path: Path) -> None:
    right = made(tmp_path)
    with closing(SqliteStore(tmp_path)) as store:
        answers(store)
        child = os.fork()
        if not child:
            found = search(store, "kettle", vector=EAST)
            is_told = any("forked" in one for one in found.degraded)
            os._exit(0 if same(answers(store), right) and is_told else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert same(answers(store), right)


def test_an_erased_vector_is_in_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    with lamina.open(folder, embedder=FakeEmbedder(64, name=SPACE)) as mem:
        mem.configure(ENGINE, LANCE)
        web = mem.project("web")
        doomed, _ = (web.remember(text) for text in ("the canary sings", "a kettle whistles"))
        mem.reindex()
        mem.store.fold()
        sql = "select x.body from vector x join record r on r.rid = x.rid where r.id = ?"
        with mem.store._connections.reading() as connection:  # type: ignore[attr-defined]
            [(body,)] = connection.execute(sql, (doomed.id,)).fetchall()
        assert any(body in path.read_bytes() for path in files(folder))
        assert web.erase(doomed.id).complete
        assert not any(body in path.read_bytes() for path in folder.rglob("*") if path.is_file())
        mem.store.fold()
        assert tables_of(folder)
        assert not any(body in path.read_bytes() for path in files(folder))
