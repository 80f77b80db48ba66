"""However files are changed, and by whomever they are indexed: the same records."""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lamina
from lamina.memory import Memory
from lamina.sources import steps
from lamina.sources.cutting import cut_text
from lamina.sources.languages import language_of
from tests.sources.trees import LONG_AGO, chunks, known, section, write
from tests.surfaces.shell import clean_environment

FILES = ["a.md", "b.md", "c/a.md", "c/d.txt", "e.py"]
PARTS = [section(title, "Says the same everywhere") for title in "ABC"] + [
    section("A", "Says something else"),
    "\n\n",
    "plain words\n\n",
]
EDITS = st.lists(
    st.tuples(
        st.sampled_from(FILES),
        st.none() | st.lists(st.sampled_from(PARTS), max_size=4).map("".join),
        st.sampled_from(["", "", "c", "a.md"]),
    ),
    max_size=12,
)


def _fresh(root: Path) -> dict[str, tuple[str, dict[str, Any]]]:
    """The chunks of a folder as somebody sees it for the first time."""
    mem = lamina.open(":memory:")
    mem.index(root, vectors=False)
    return {key: _comparable(chunk) for key, chunk in chunks(mem).items()}


def _comparable(chunk: tuple[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """A chunk without the digest, which is each store's own."""
    text, data = chunk
    return text, {name: value for name, value in data.items() if name != "digest"}


def _assert_as_fresh(mem: Memory, root: Path) -> None:
    files = [path for path in root.rglob("*") if path.is_file()]
    kept = {text for text, _ in chunks(mem).values()}
    for path in files:
        language = language_of(path.name)
        assert {chunk.text for chunk in cut_text(path.read_text(), language)} <= kept
    assert {key: _comparable(chunk) for key, chunk in chunks(mem).items()} == _fresh(root)
    assert known(mem) == {path.relative_to(root).as_posix() for path in files}


def _many(root: Path, number: int = 300) -> None:
    shared = section("Licence", "Everybody may do everything")
    files = {f"d{n % 7}/f{n}.md": shared + section(f"T{n}", f"Number {n}") for n in range(number)}
    write(root, files)


@settings(max_examples=40)
@given(edits=EDITS)
def test_following_step_by_step_ends_as_starting_anew(
    edits: list[tuple[str, str | None, str]],
) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        (root / "c").mkdir(parents=True)
        mem = lamina.open(":memory:")
        mem.index(root)
        for number, (file, content, part) in enumerate(edits):
            if content is None:
                (root / file).unlink(missing_ok=True)
            else:
                write(root, {file: content}, at=LONG_AGO + number)
            if (root / part).exists():
                mem.index(root / part)
        mem.index(root)
        _assert_as_fresh(mem, root)


def test_small_steps_end_as_one_large_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _many(tmp_path / "tree", 30)
    monkeypatch.setattr(steps, "_BATCH_FILES", 1)
    mem = lamina.open(":memory:")
    mem.index(tmp_path / "tree")
    _assert_as_fresh(mem, tmp_path / "tree")


def test_who_is_overtaken_looks_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At every few files of the one, another indexes everything, and changes something too."""
    root = tmp_path / "tree"
    _many(root, 40)
    monkeypatch.setattr(steps, "_BATCH_FILES", 4)
    mem = lamina.open(tmp_path / "store").project("web")
    other = lamina.open(tmp_path / "store").project("web")
    rounds = 0

    def overtake(share: float) -> None:
        nonlocal rounds
        rounds += 1
        if rounds % 10 == 0:
            write(root, {f"d{rounds % 7}/f{rounds}.md": f"round {rounds}"}, at=LONG_AGO + rounds)
            other.index(root, vectors=False)

    mem.index(root, on_progress=overtake, vectors=False)
    mem.index(root)
    assert rounds >= 40
    _assert_as_fresh(mem, root)


CHILD = """
import os, sys
import lamina
mem = lamina.open(sys.argv[1]).project("web")
last = float(sys.argv[3])
mem.index(sys.argv[2], on_progress=lambda share: os._exit(9) if share > last else None)
"""


def _child(store: Path, root: Path, last: float = 2.0) -> "subprocess.Popen[bytes]":
    arguments = [str(store), str(root), str(last)]
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *arguments], env=clean_environment(root.parent)
    )


def test_a_killed_run_is_taken_up_again(tmp_path: Path) -> None:
    root, store = tmp_path / "tree", tmp_path / "store"
    _many(root)
    lamina.open(store).close()
    assert _child(store, root, last=0.12).wait(timeout=50) == 9
    mem = lamina.open(store).project("web")
    half = known(mem)
    assert 0 < len(half) < 300
    report = mem.index(root)
    assert report.indexed == 300 - len(half)
    _assert_as_fresh(mem, root)


def test_two_processes_index_at_once(tmp_path: Path) -> None:
    root, store = tmp_path / "tree", tmp_path / "store"
    _many(root)
    lamina.open(store).close()
    children = [_child(store, root) for _ in range(2)]
    assert [child.wait(timeout=50) for child in children] == [0, 0]
    mem = lamina.open(store).project("web")
    _assert_as_fresh(mem, root)
    assert not mem.query({"layer": "source", "state": "proposed"})


def test_a_moved_folder_keeps_its_name(tmp_path: Path) -> None:
    mem = lamina.open(":memory:")
    write(tmp_path / "one/docs", {"a.md": section("A", "Is here")})
    mem.index(tmp_path / "one/docs")
    before = {key: mem.get(key).id for key in chunks(mem)}
    shutil.move(tmp_path / "one", tmp_path / "two")
    report = mem.index(tmp_path / "two/docs")
    assert (report.root, report.unchanged, report.chunks_written) == ("docs", 1, 0)
    assert {key: mem.get(key).id for key in chunks(mem)} == before
    write(tmp_path / "one/docs", {"a.md": section("B", "Is another")})
    assert mem.index(tmp_path / "one/docs").root == "docs-2"
    assert set(chunks(mem)) == {"docs/a.md#A~1", "docs-2/a.md#B~1"}
