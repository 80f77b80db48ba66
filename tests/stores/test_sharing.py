"""Derived indexes shared by processes, threads and snapshots: one folds, and none is misled."""

import os
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

import lamina
from lamina.core.changes import Erase, Move
from lamina.core.record import State
from lamina.core.settings import ENGINE
from lamina.indexes import policy
from lamina.stores.sqlite import INDEXES, locks
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.builders import look_for, search, write, written
from lamina.testing.embedders import FakeEmbedder
from tests.meta.children import environment
from tests.meta.tree import ROOT
from tests.stores.engines import engine, large
from tests.stores.segmented import EAST, SPACE, files, kinds, place, told

__all__ = ["engine", "large"]
pytestmark = pytest.mark.usefixtures("large")


def test_one_folds_at_a_time_and_the_other_does_not_wait(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        told(store)
        with locks.duty(tmp_path, "fold") as is_ours:
            assert is_ours
            store.fold()
            assert files(tmp_path) == []
        store.fold()
        assert set(kinds(tmp_path)) == {"words", "vectors1"}


def test_an_erase_waits_for_whoever_folds(tmp_path: Path, engine: str) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        store.configure(ENGINE, engine)
        record = told(store)[0]
        store.fold()
        unfinished = tmp_path / INDEXES / ".words-1-0-9-9.segment.0123456789ab"
        folding, seen = threading.Event(), []

        def fold() -> None:
            with locks.duty(tmp_path, "fold"):
                folding.set()
                threading.Event().wait(0.2)
                unfinished.write_bytes(b"kettle record 0")
                seen.append(len(kinds(tmp_path)))

        thread = threading.Thread(target=fold)
        thread.start()
        folding.wait()
        write(store, Erase(id=record.id))
        report = store.scrub([b"kettle record 0"])
        thread.join()
        assert seen == [3]
        assert report.residue == ()
        assert list((tmp_path / INDEXES).iterdir()) == []


def test_an_older_snapshot_is_not_answered_by_a_newer_index(tmp_path: Path, engine: str) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        store.configure(ENGINE, engine)
        kept, changed, hidden = told(store, 3)
        store.fold()
        words = store._worded()
        with store._connections.reading() as older:
            vectors = store._placed(1, SPACE, store._engine(older)[0])
            assert words.current(older, 1) is not None
            write(store, Move(id=hidden.id, state=State.FORGOTTEN))
            place(store, written(store, "a newer kettle"))
            assert len(look_for(store, "kettle")) == 2
            assert len(look_for(store, "", vector=EAST)) == 3
            then, near = words.current(older, 1), vectors.current(older, 1)
            assert then is not None
            assert near is not None
            assert then.count("saucer") == 1
            assert then.count("kettle") == 1
            assert len(near) == 3
        # What others have read is not taken back.
        assert len(look_for(store, "kettle")) == 2
        assert {kept.id, changed.id} <= {m.record.id for m in look_for(store, "", vector=EAST)}


def test_a_forked_child_searches_while_its_parent_does(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        told(store)
        store.fold()
        words = store._worded()
        with words._lock:
            child = os.fork()
            if not child:
                found = len(look_for(store, "kettle"))
                os._exit(0 if found == 3 else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_folding_is_due_only_until_it_was_done(
    tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "OVERLAY", 4)
    with closing(SqliteStore(tmp_path)) as store:
        store.configure(ENGINE, engine)
        told(store)
        assert store.fold_is_due()
        store.fold()
        assert not store.fold_is_due()
        told(store, 2, start=20)
        search(store, "kettle", vector=EAST)
        assert not store.fold_is_due()
        told(store, 5, start=30)
        assert store.fold_is_due()
    with closing(SqliteStore(tmp_path)) as store:
        assert store.fold_is_due()
        store.fold()
    with closing(SqliteStore(tmp_path)) as store:
        assert not store.fold_is_due()


def test_what_is_only_taken_away_is_folded_as_far_as_that_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "OVERLAY", 4)
    with closing(SqliteStore(tmp_path)) as store:
        records = told(store, 12)
        store.fold()
        for record in records[:5]:
            write(store, Move(id=record.id, state=State.FORGOTTEN))
        assert len(look_for(store, "record", vector=EAST)) == 7
        assert store.fold_is_due()
        store.fold()
        assert len(look_for(store, "record", vector=EAST)) == 7
        # Or every recall would have it tried again.
        assert not store.fold_is_due()


HOLDER = """
import sys
from pathlib import Path
from lamina.stores.sqlite.store import SqliteStore
from lamina.testing.builders import look_for
from tests.stores.segmented import EAST, everything_is_large
everything_is_large()
store = SqliteStore(Path(sys.argv[1]))
while sys.stdin.readline():
    print(*(len(look_for(store, word, vector=EAST, limit=99)) for word in ("canary", "record")))
    sys.stdout.flush()
"""


def test_what_is_erased_leaves_the_segments_that_others_have_mapped(
    tmp_path: Path, engine: str
) -> None:
    secret = "canary9b1c77e4"
    with lamina.open(tmp_path, embedder=FakeEmbedder(2, name=SPACE)) as mem:
        mem.configure(ENGINE, engine)
        told(mem.store)
        doomed = mem.project("web").remember(f"the {secret} sings", key=f"{secret}-key")
        place(mem.store, *mem.store.unembedded(SPACE, 9))
        mem.store.fold()
        assert any(secret.encode() in path.read_bytes() for path in files(tmp_path))
        before = {path.name for path in files(tmp_path)}
        with subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(tmp_path)], cwd=ROOT, env=environment(),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        ) as holder:  # fmt: skip
            assert holder.stdin is not None
            assert holder.stdout is not None

            def asked() -> list[int]:
                assert holder.stdin is not None
                assert holder.stdout is not None
                print("?", file=holder.stdin, flush=True)
                return [int(number) for number in holder.stdout.readline().split()]

            assert asked() == [9, 9]
            assert mem.erase(doomed.id).complete
            held = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
            assert [name for name, content in held.items() if secret.encode() in content] == []
            assert not before & {path.name for path in files(tmp_path)}
            assert asked() == [8, 8]
            told(mem.store, 1, start=30)
            mem.store.fold()
            assert asked() == [9, 9]
            holder.stdin.close()
        assert not any(secret.encode() in path.read_bytes() for path in files(tmp_path))
