"""The folder of derived indexes: whatever is in its place or in its way costs no answer."""

import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lamina.core.changes import Erase
from lamina.core.settings import BUILTIN, LANCE
from lamina.errors import LaminaError, StoreError, StoreFullError
from lamina.indexes import tables
from lamina.stores.sqlite import INDEXES
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.builders import search, write, written
from tests.indexes.near import needs_lance
from tests.meta.children import environment
from tests.meta.tree import ROOT
from tests.stores.engines import engine, large
from tests.stores.segmented import EAST, KIND, answers, same, told
from tests.stores.test_shelf import made, still_right
from tests.surfaces.shell import heed_modes

__all__ = ["engine", "large"]
pytestmark = pytest.mark.usefixtures("large")


def test_a_name_that_only_looks_like_a_segments_is_nobodys_business(tmp_path: Path) -> None:
    right = made(tmp_path, BUILTIN)
    junk = [
        tmp_path / INDEXES / f"words-{name}.segment"
        for name in (f"{10**20}-0-1-5", f"1-0-1-{2**63}", "٣-0-1-5", f"1-0-{'9' * 200}-5")
    ]
    for path in junk:
        path.write_bytes(b"junk")
    still_right(tmp_path, right)
    with closing(SqliteStore(tmp_path)) as store:
        gone = written(store, "a kettle to be erased")
        write(store, Erase(id=gone.id))
        assert store.scrub([b"a kettle to be erased"]).residue == ()
    assert all(path.exists() for path in junk)


def test_files_are_private(tmp_path: Path, engine: str) -> None:
    made(tmp_path, engine)
    inside = list((tmp_path / INDEXES).iterdir())
    for path in (tmp_path / INDEXES, *inside):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


def test_a_linked_folder_is_not_used(tmp_path: Path, engine: str) -> None:
    right = made(tmp_path / "store", engine)
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / "store" / INDEXES).rename(elsewhere)
    (tmp_path / "store" / INDEXES).symlink_to(elsewhere)
    before = sorted(elsewhere.iterdir())
    with closing(SqliteStore(tmp_path / "store")) as store:
        assert same(answers(store), right)
        with pytest.raises(StoreError, match="symbolic link"):
            store.fold()
        assert same(answers(store), right)
    assert sorted(elsewhere.iterdir()) == before


def test_a_file_in_place_of_the_folder_costs_no_answer(tmp_path: Path) -> None:
    (tmp_path / INDEXES).write_text("in the way")
    with closing(SqliteStore(tmp_path)) as store:
        told(store)
        right = answers(store)
        with pytest.raises(LaminaError):
            store.fold()
        assert same(answers(store), right)


FULL = """
import resource, signal, sys
from pathlib import Path
from lamina.errors import StoreFullError
from lamina.stores.sqlite.store import SqliteStore
from tests.stores.segmented import answers, everything_is_large, same
everything_is_large()
store = SqliteStore(Path(sys.argv[1]))
right = answers(store)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
try:
    store.fold()
except StoreFullError:
    print("full")
assert same(answers(store), right)
print(any(path.name.startswith(sys.argv[2]) for path in (Path(sys.argv[1]) / "index").iterdir()))
"""


@pytest.mark.parametrize(
    "kind", ["words", KIND[BUILTIN], pytest.param(KIND[LANCE], marks=needs_lance)]
)
def test_a_full_disk_costs_no_answer(tmp_path: Path, kind: str) -> None:
    made(tmp_path, LANCE if kind == KIND[LANCE] else BUILTIN)
    for path in (tmp_path / INDEXES).glob(f"{kind}-*.segment"):
        tables.remove(path)
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path), kind],
        cwd=ROOT, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.split() == ["full", "False"], done.stderr
    assert StoreFullError.code


BLOCKED = """
import sys
from pathlib import Path
from lamina.core.access import EVERYTHING
from lamina.core.changes import Erase
from lamina.errors import StoreError
from lamina.stores.questions import Query
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.builders import search, write
from tests.stores.segmented import EAST, answers, everything_is_large, same
folder = Path(sys.argv[1])
everything_is_large()
(folder / "index").chmod(0o700)
with_files = answers(SqliteStore(folder))
(folder / "index").chmod(0)
store = SqliteStore(folder)
assert same(answers(store), with_files)
print(*search(store, "kettle", vector=EAST).degraded)
print([one.message for one in store.check() if one.check == "indexes"])
assert store.fold_is_due()
for call in (store.fold, lambda: store.leave_space("nobody's")):
    try:
        call()
        raise SystemExit("the folder can be read")
    except StoreError as error:
        assert "Permission denied" in str(error)
[record] = store.query(Query(reach=EVERYTHING, limit=1))
write(store, Erase(id=record.id))
print(store.scrub([record.text.encode()]).residue)
(folder / "index").chmod(0o700)
store.fold()
assert search(store, "kettle", vector=EAST).degraded == ()
"""


def test_a_folder_that_cannot_be_read_costs_no_answer(tmp_path: Path) -> None:
    made(tmp_path, BUILTIN)
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED, str(tmp_path)],
        cwd=ROOT, env=environment(), capture_output=True, text=True, check=False,
        preexec_fn=heed_modes,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    degraded, checked, residue = done.stdout.splitlines()
    assert degraded.startswith("indexes: their files cannot be read (Permission denied)")
    assert checked == "['the folder of the index files cannot be read: Permission denied']"
    assert residue == f"('{INDEXES}',)"


def test_a_folder_that_vanishes_costs_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = made(tmp_path, BUILTIN)
    listed = Path.iterdir

    def vanishing(path: Path) -> Iterator[Path]:
        if path == tmp_path / INDEXES:
            shutil.rmtree(path)
        return listed(path)

    with closing(SqliteStore(tmp_path)) as store, monkeypatch.context() as patched:
        patched.setattr(Path, "iterdir", vanishing)
        # Nothing is in the way of anybody: there are no files, as before the first fold.
        assert search(store, "kettle", vector=EAST).degraded == ()
        assert same(answers(store), right)
    still_right(tmp_path, right)
