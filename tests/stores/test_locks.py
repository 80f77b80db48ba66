"""Locks between processes: everyone gets a turn, and no store changes under others' feet."""

import gc
import gzip
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import lamina
from lamina.errors import InvalidInputError, StoreUnavailableError
from lamina.stores.sql.driver import one
from lamina.stores.sqlite import driver, formats, locks
from lamina.stores.sqlite.locks import Presence, Turns

RELEASED = Path(__file__).parent / "released"


def waits_in_line(turns: Turns, name: str, said: list[str]) -> threading.Thread:
    """Start a thread that writes its name when it has its turn; it is in line when this returns."""

    def work() -> None:
        with turns.one():
            said.append(name)

    thread = threading.Thread(target=work)
    thread.start()
    while turns._line is None or turns._line._thread is None:
        thread.join(0.001)
    return thread


def test_who_has_just_written_cannot_go_again_before_the_one_who_waits(tmp_path: Path) -> None:
    mine, other = Turns(tmp_path), Turns(tmp_path)
    said: list[str] = []
    with mine.one():
        thread = waits_in_line(other, "other", said)
    for _ in range(3):
        with mine.one():
            said.append("mine")
    thread.join()
    assert said == ["other", "mine", "mine", "mine"]


def test_a_queue_that_does_not_move_is_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "_PATIENCE_SECONDS", 0.05)
    stuck, mine, third = Turns(tmp_path), Turns(tmp_path), Turns(tmp_path)
    with stuck.one():
        with mine.one():
            passed = True
        # Not even queued: whoever gave up is not in the way of others.
        with third.one():
            pass
    assert passed
    with mine.one(), pytest.raises(ZeroDivisionError), third.one():
        raise ZeroDivisionError


def test_an_interrupt_while_waiting_leaves_the_queue_free(tmp_path: Path) -> None:
    code = """
import signal, sys, threading
from pathlib import Path
from lamina.stores.sqlite.locks import Turns
holder, mine = Turns(Path(sys.argv[1])), Turns(Path(sys.argv[1]))
with holder.one():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    here = threading.get_ident()
    threading.Timer(0.2, lambda: signal.pthread_kill(here, signal.SIGINT)).start()
    try:
        with mine.one():
            print("has a turn that another holds")
    except KeyboardInterrupt:
        pass
for turns in (mine, holder, Turns(Path(sys.argv[1]))):
    with turns.one():
        print("turn")
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=30
    )
    assert done.stdout.split() == ["turn"] * 3, done.stderr


def test_a_killed_writer_leaves_its_turn_to_the_next(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path\n"
        "from lamina.stores.sqlite.locks import Turns\n"
        "with Turns(Path(sys.argv[1])).one():\n    print('holds', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "holds\n"
    said: list[str] = []
    thread = waits_in_line(Turns(tmp_path), "mine", said)
    assert said == []
    child.kill()
    child.communicate()
    thread.join()
    assert said == ["mine"]


def test_a_forked_child_does_not_keep_its_parents_locks(tmp_path: Path) -> None:
    code = """
import os, sys, time
from pathlib import Path
import lamina
mem = lamina.open(sys.argv[1])
mem.remember("before the fork")
if os.fork():
    os._exit(0)
print("child", flush=True)
time.sleep(60)
"""
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "child\n"
    child.wait()
    with locks.alone(tmp_path):
        pass
    child.stdout.close()


def test_a_store_in_use_is_not_had_alone(tmp_path: Path) -> None:
    refused = pytest.raises(StoreUnavailableError, match="open")
    with lamina.open(tmp_path), refused, locks.alone(tmp_path):
        pass
    with locks.alone(tmp_path):
        pass


def test_opening_waits_for_whoever_has_the_store_alone(tmp_path: Path) -> None:
    lamina.open(tmp_path).close()
    opened = threading.Event()

    def work() -> None:
        lamina.open(tmp_path).close()
        opened.set()

    with locks.alone(tmp_path):
        thread = threading.Thread(target=work)
        thread.start()
        assert not opened.wait(0.1)
    thread.join()
    assert opened.is_set()


def test_an_upgrade_is_refused_while_others_have_the_store_open(tmp_path: Path) -> None:
    old = gzip.decompress((RELEASED / "format-1.db.gz").read_bytes())
    (tmp_path / "lamina.db").write_bytes(old)
    somebody = Presence(tmp_path)
    assert somebody.enter()
    somebody.share()
    with pytest.raises(StoreUnavailableError, match="format 1 and must be upgraded") as refusal:
        lamina.open(tmp_path)
    assert "Stop them" in refusal.value.remedy
    assert (tmp_path / "lamina.db").read_bytes() == old
    somebody.leave()
    with lamina.open(tmp_path) as mem:
        assert mem.count() > 0
    connection = driver.connect(tmp_path / "lamina.db", create=False)
    assert one(connection, "pragma user_version") == formats.NEWEST
    connection.close()


def test_every_store_has_an_identity_of_its_own(tmp_path: Path) -> None:
    found = set()
    for name in ("one", "two", "one"):
        with lamina.open(tmp_path / name) as mem:
            found.add(mem.store.settings()["identity"])
    assert len(found) == 2
    assert all(len(identity) == 32 for identity in found)


def test_locks_that_cannot_be_made_are_reported(tmp_path: Path) -> None:
    (tmp_path / locks.LOCKS).write_text("in the way")
    with pytest.raises(InvalidInputError, match="locks"):
        lamina.open(tmp_path)


def test_the_log_is_cut_when_a_reader_has_kept_it_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lamina.stores.sqlite.connections._LONGEST_LOG", 200_000)
    monkeypatch.setattr("lamina.stores.sqlite.connections._PATIENCE_MS", 1)
    monkeypatch.setattr("lamina.stores.sqlite.connections._UNTIL_NEXT_TRY_SECONDS", 0.0)
    log = tmp_path / "lamina.db-wal"
    with lamina.open(tmp_path) as mem:
        mem.remember("something to read")
        leaked = driver.connect(tmp_path / "lamina.db", create=False)
        leaked.execute("begin; select count(*) from version").fetchall()
        for number in range(40):
            mem.remember(f"{number} " + "words " * 200)
        assert log.stat().st_size > 400_000
        leaked.close()
        mem.remember("one more")
        assert log.stat().st_size == 0
        assert mem.count() == 42


def test_closing_a_store_leaves_no_lock_behind(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    for _ in range(5):
        with lamina.open(tmp_path) as mem:
            mem.remember("again")
    after = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    assert after <= before + 1


def _said_by(code: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, timeout=50
    )
    assert not done.returncode, done.stderr
    return done.stdout


def test_a_write_that_was_interrupted_in_line_is_not_committed_later(tmp_path: Path) -> None:
    code = """
import signal, sys, threading, time
import lamina
mem = lamina.open(sys.argv[1])
mem.remember("first")
busy = threading.Thread(target=mem.store._connections.write, args=(lambda c: time.sleep(1),))
busy.start()
time.sleep(0.2)
signal.signal(signal.SIGINT, signal.default_int_handler)
here = threading.get_ident()
threading.Timer(0.2, lambda: signal.pthread_kill(here, signal.SIGINT)).start()
try:
    mem.remember("a ghost", key="ghost")
except KeyboardInterrupt:
    print("interrupted")
busy.join()
mem.remember("another")
print(mem.count({"key": "ghost"}), mem.count())
"""
    assert _said_by(code, tmp_path).split() == ["interrupted", "0", "2"]


def test_a_process_forks_while_its_threads_read(tmp_path: Path) -> None:
    code = """
import os, sys, threading
import lamina
mem = lamina.open(sys.argv[1])
mem.remember("from the parent")
done = threading.Event()

def read():
    while not done.is_set():
        mem.query()

readers = [threading.Thread(target=read) for _ in range(3)]
for reader in readers:
    reader.start()
for _ in range(5):
    child = os.fork()
    if not child:
        mem.remember("from a child")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
done.set()
for reader in readers:
    reader.join()
print(mem.count())
"""
    assert _said_by(code, tmp_path).strip() == "6"


def test_a_store_dropped_without_being_closed_keeps_no_lock(tmp_path: Path) -> None:
    mem = lamina.open(tmp_path)
    mem.remember("something")
    assert mem.count() == 1
    with pytest.raises(StoreUnavailableError), locks.alone(tmp_path):
        pass
    del mem
    gc.collect()
    with locks.alone(tmp_path):
        pass
