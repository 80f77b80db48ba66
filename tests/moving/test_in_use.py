"""A store is moved while others write to it, and while the move is killed."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

import lamina
from lamina.core.ids import RecordId
from lamina.errors import StoreUnavailableError
from lamina.memory import Memory
from lamina.stores.sql.moving import comparing, filling
from tests.meta.children import environment
from tests.meta.tree import ROOT
from tests.moving.stores import export, fill
from tests.postgres.lending import lent_address

_MOVE = """
import os, sys
import lamina
from lamina.stores.sql.moving import filling
filling._PAGE = filling._EVENT_PAGE = 3
left = int(sys.argv[3])
def tell(share):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), 9)
lamina.migrate(sys.argv[1], sys.argv[2], on_progress=tell)
print("moved")
"""
_WRITE = """
import os, sys, time
import lamina
from lamina.errors import StoreReadOnlyError
with lamina.open(sys.argv[1]) as mem:
    print("ready", flush=True)
    for number in range(100000):
        time.sleep(0.01)
        try:
            print(mem.remember(f"{os.getpid()} wrote {number}", key=f"slot-{number % 7}").tx)
            if number % 5 == 0:
                gone = mem.remember(f"to be erased {number}").id
                mem.erase(gone)
                print("-" + gone)
        except StoreReadOnlyError:
            break
        except lamina.LaminaError as error:
            print("!" + repr(error))
"""


@pytest.fixture(autouse=True)
def _keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMINA_KEYS", str(tmp_path / "keys"))


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filling, "_PAGE", 4)
    monkeypatch.setattr(filling, "_EVENT_PAGE", 4)
    monkeypatch.setattr(comparing, "_PAGE", 4)


@contextmanager
def _place(kind: str, tmp_path: Path) -> Iterator[str]:
    if kind == "directory":
        yield str(tmp_path / "target")
    else:
        with lent_address() as address:
            yield address


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("kind", ["directory", "postgres"])
def test_what_happens_meanwhile_arrives(kind: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    ids = fill(home)
    with lamina.open(home) as other, _place(kind, tmp_path) as target:
        steps = _changes(other, ids["noted"])

        def tell(share: float) -> None:
            for step in islice(steps, 1):
                step()

        lamina.migrate(home, target, on_progress=tell)
        assert next(steps, None) is None, "the move was over before everything was done"
        assert export(target) == export(home)
        with lamina.open(target) as mem:
            assert [one for one in mem.store.check() if one.severity.is_damage] == []


def _changes(mem: Memory, noted: str) -> Iterator[Callable[[], object]]:
    """Things that a copy by pages alone would get wrong."""
    for number in range(3):
        # A slot passes to a later version, and to another record.
        yield partial(mem.remember, f"Rivers again {number}", key="river-1")
        yield lambda: mem.forget(*[one.id for one in mem.query(limit=1)])
        # The newest goes, and its number is given out again.
        yield lambda: mem.erase(mem.remember("erased at once: cormorant").id)
        yield lambda: mem.remember("takes the number of what was erased")
        yield partial(mem.project(f"p{number}").remember, "a stream that is new")
    yield lambda: mem.erase(noted)
    yield lambda: mem.remember("a secret: the password is bramble-7-quartz-pond")
    yield lambda: mem.maintain()


def test_killed_at_any_point_it_goes_on(tmp_path: Path) -> None:
    home = tmp_path / "home"
    fill(home)
    before = export(home)
    with lent_address() as target:
        for steps in (1, 13):
            killed = _move(home, target, steps)
            assert killed.returncode == -signal.SIGKILL, killed.stderr
            with pytest.raises(StoreUnavailableError, match="being filled"):
                lamina.open(target)
            with lamina.open(home) as mem:
                mem.remember(f"between two tries: {steps}")
                before = export(home)
        fill(tmp_path / "other")
        with pytest.raises(lamina.InvalidInputError, match="another store"):
            lamina.migrate(tmp_path / "other", target)
        report = lamina.migrate(home, target)
        assert report.resumed
        assert export(target) == before


def _move(home: Path, target: str, steps: int) -> "subprocess.CompletedProcess[str]":
    arguments = [sys.executable, "-c", _MOVE, str(home), target, str(steps)]
    return subprocess.run(
        arguments,
        cwd=ROOT,
        env=environment(PYTHONPATH=str(ROOT / "src")),
        capture_output=True,
        text=True,
        check=False,
    )


def test_writers_lose_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    fill(home)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITE, str(home)],
            cwd=ROOT, env=environment(PYTHONPATH=str(ROOT / "src")), stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    with lent_address() as address:
        lamina.migrate(home, address)
        said = [line for writer in writers for line in writer.communicate()[0].split()]
        assert [line for line in said if line.startswith("!")] == []
        erased = {RecordId(line[1:]) for line in said if line.startswith("-")}
        written = {RecordId(line) for line in said if not line.startswith("-")}
        assert written
        with lamina.open(address) as mem:
            assert {tx for tx in written if mem.store.transaction(tx)} == written
            assert mem.store.tombstones(erased) == erased
        assert export(address) == export(home)
