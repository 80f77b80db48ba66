"""Files of derived indexes: whatever becomes of them, answers stay right and they are made anew."""

import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import lamina
from lamina.core.changes import Move
from lamina.core.record import State
from lamina.core.settings import BUILTIN, ENGINE, LANCE
from lamina.errors import StoreError
from lamina.stores.base import Severity
from lamina.stores.sqlite import INDEXES, shelf
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.builders import look_for, write, written
from tests.stores.engines import engine, large
from tests.stores.segmented import (
    EAST,
    KIND,
    SPACE,
    Answers,
    answers,
    files,
    kinds,
    place,
    same,
    told,
)

__all__ = ["engine", "large"]
pytestmark = pytest.mark.usefixtures("large")


def made(folder: Path, engine: str, folds: int = 2) -> Answers:
    """A store with segments in a folder, and what it answers without them."""
    folder.mkdir(exist_ok=True)
    with closing(SqliteStore(folder)) as store:
        store.configure(ENGINE, engine)
        for number in range(folds):
            told(store, start=8 * number)
            written(store, f"kettle of others {number}", scope="project/other")
            if number < folds - 1:
                store.fold()
        place(store, *store.unembedded(SPACE, 10))
        right = answers(store)
        store.fold()
        assert same(answers(store), right)
    assert set(kinds(folder)) == {"words", KIND[engine]}
    return right


def still_right(folder: Path, right: Answers) -> None:
    """The store answers as before, with the files as they are and after they were made anew."""
    with closing(SqliteStore(folder)) as store:
        assert same(answers(store), right)
        store.fold()
        assert same(answers(store), right)
        assert {one.severity for one in store.check()} == {Severity.OK}
    with closing(SqliteStore(folder)) as store:
        assert same(answers(store), right)
    assert not [path for path in files(folder) if path.name.startswith(".")]


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def cut_short(path: Path) -> None:
    os.truncate(path, 10)


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def grown(path: Path) -> None:
    path.write_bytes(path.read_bytes() + bytes(64))


def noise(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 8)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


DAMAGE = (cut, cut_short, emptied, grown, noise, a_folder, a_link)


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_changes_no_answer(
    damage: Callable[[Path], None], tmp_path: Path, engine: str
) -> None:
    right = made(tmp_path, engine)
    for path in files(tmp_path):
        damage(path)
    with closing(SqliteStore(tmp_path)) as store:
        assert same(answers(store), right)
        # What is no file of ours is in the way of nothing.
        for path in (tmp_path / INDEXES).glob("*.segment"):
            if path.is_dir():
                path.rmdir()
    still_right(tmp_path, right)


def test_no_flipped_bit_changes_an_answer(tmp_path: Path, engine: str) -> None:
    folder, kept = tmp_path / "store", tmp_path / "kept"
    right = made(folder, engine)
    shutil.copytree(folder / INDEXES, kept)
    for name in sorted(path.relative_to(kept) for path in kept.rglob("*") if path.is_file()):
        size = (kept / name).stat().st_size
        if engine == LANCE and name.name.startswith("words"):
            continue
        for at in range(0, size, max(1, size // (23 if engine == BUILTIN else 5))):
            content = bytearray((kept / name).read_bytes())
            content[at] ^= 1 << (at % 8)
            (folder / INDEXES / name).write_bytes(content)
            with closing(SqliteStore(folder)) as store:
                assert same(answers(store), right), (name, at)
            # A damaged file is removed, and takes its table along.
            shutil.copytree(kept, folder / INDEXES, dirs_exist_ok=True)
    still_right(folder, right)


def test_the_doctor_tells_of_a_damaged_file_and_repair_removes_it(
    tmp_path: Path, engine: str
) -> None:
    right = made(tmp_path, engine)
    for path in files(tmp_path):
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
    with lamina.open(tmp_path) as mem:
        found = [one for one in mem.check() if one.severity.is_damage]
        assert {one.check for one in found} == {"indexes"}
        assert {one.severity for one in found} == {Severity.DERIVED}
        mem.store.repair(lambda record: tuple(record.text.split()))
        assert not [one for one in mem.store.check() if one.check == "indexes" and one.remedy]
    assert files(tmp_path) == []
    with closing(SqliteStore(tmp_path)) as store:
        store.reindex(lambda record: tuple(record.text.split()))
        assert [list(one) for one in answers(store)][0] == [list(one) for one in right][0]


def test_a_large_file_is_used_at_once_and_looked_at_later(
    tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = made(tmp_path, engine)
    monkeypatch.setattr(shelf, "_READ_WHOLE", 0)
    with closing(SqliteStore(tmp_path)) as store:
        assert same(answers(store), right)
        assert not store.fold_is_due()
        monkeypatch.setattr(shelf, "_PROBATION_SECONDS", 0)
        assert store.fold_is_due()
        store.fold()
        # Each process once.
        assert same(answers(store), right)
        assert not store.fold_is_due()
    for path in (tmp_path / INDEXES).glob("*.segment"):
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
    with closing(SqliteStore(tmp_path)) as store:
        answers(store)
        assert {one.check for one in store.check() if one.remedy} == {"indexes"}
        assert store.fold_is_due()
        store.fold()
        assert files(tmp_path) == []
        assert same(answers(store), right)
    still_right(tmp_path, right)


def copied(path: Path, to: Path) -> None:
    if path.is_dir():
        shutil.copytree(path, to)
    else:
        shutil.copy(path, to)


def test_files_of_another_store_or_stream_are_passed_over(tmp_path: Path, engine: str) -> None:
    right = made(tmp_path / "mine", engine)
    (tmp_path / "theirs").mkdir()
    with closing(SqliteStore(tmp_path / "theirs")) as store:
        store.configure(ENGINE, engine)
        for number in range(16):
            written(store, f"kettle of theirs {number}")
            written(store, f"cup of theirs {number}", scope="project/other")
        place(store, *store.unembedded(SPACE, 99))
        store.fold()
    place_of_mine = tmp_path / "mine" / INDEXES
    shutil.rmtree(place_of_mine)
    shutil.copytree(tmp_path / "theirs" / INDEXES, place_of_mine)
    still_right(tmp_path / "mine", right)
    # One stream's file under the name of another's.
    right_names = tmp_path / "right names"
    place_of_mine.rename(right_names)
    place_of_mine.mkdir()
    for path in right_names.iterdir():
        kind, stream, *rest = path.name.split("-")
        other = "-".join((kind, {"1": "2", "2": "1"}[stream], *rest))
        copied(path, place_of_mine / other)
    still_right(tmp_path / "mine", right)


def test_files_of_another_history_are_passed_over(tmp_path: Path, engine: str) -> None:
    folder, backup = tmp_path / "store", tmp_path / "backup"
    made(folder, engine)
    with lamina.open(folder) as mem:
        mem.backup(backup)
    with closing(SqliteStore(folder)) as store:
        told(store, start=50)
        store.fold()
    later = tmp_path / "later"
    shutil.copytree(folder / INDEXES, later)
    lamina.restore(backup, folder, replace=True)
    assert files(folder) == []
    with closing(SqliteStore(folder)) as store:
        for number in range(8):
            written(store, f"another kettle {number}")
        place(store, *store.unembedded(SPACE, 99))
        right = answers(store)
    shutil.copytree(later, folder / INDEXES)
    still_right(folder, right)


def test_what_was_left_unfinished_is_removed(tmp_path: Path, engine: str) -> None:
    right = made(tmp_path, engine)
    for path in (tmp_path / INDEXES).glob("*.segment"):
        path.with_name(f".{path.name}.0123456789ab").write_bytes(b"half a segment")
    (tmp_path / INDEXES / "vectors77-1-0-5-9.segment").write_bytes(b"of a space that is gone")
    table = tmp_path / INDEXES / f"{KIND[engine]}-1-0-5-9.lance"
    table.mkdir()
    (table / "data").write_bytes(b"half a table")
    mine = tmp_path / INDEXES / "words-of-wisdom.segment"
    mine.write_text("not a segment's name")
    still_right(tmp_path, right)
    assert mine.exists()
    assert not table.exists()
    assert not [path for path in files(tmp_path) if "vectors77" in path.name]


def test_a_space_that_was_left_leaves_nothing_behind(tmp_path: Path, engine: str) -> None:
    made(tmp_path, engine)
    with closing(SqliteStore(tmp_path)) as store, closing(SqliteStore(tmp_path)) as other:
        assert look_for(other, "", vector=EAST)
        store.leave_space(SPACE)
        assert {path.name.split("-")[0] for path in (tmp_path / INDEXES).iterdir()} == {"words"}
        assert look_for(other, "", vector=EAST) == []
        place(store, *store.unembedded(SPACE, 99))
        assert len(look_for(other, "", vector=EAST, limit=99)) == 18
        store.fold()
        assert len(look_for(other, "", vector=EAST, limit=99)) == 18


def test_segments_without_vectors_join_with_others(tmp_path: Path, engine: str) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        store.configure(ENGINE, engine)
        told(store, 2)
        other = [written(store, f"kettle {n}", scope="project/other") for n in range(4)]
        store.fold()
        place(store, *other)
        store.fold()
        for record in other:
            write(store, Move(id=record.id, state=State.FORGOTTEN))
        told(store, 1, start=9)
        store.fold()
        told(store, 1, start=10)
        store.fold()
        assert len(look_for(store, "", vector=EAST, limit=99)) == 4


def test_a_closed_store_folds_no_more(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    told(store)
    store.close()
    for call in (store.fold, store.fold_is_due, lambda: look_for(store, "kettle")):
        with pytest.raises(StoreError):
            call()
