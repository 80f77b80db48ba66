"""Files that follow the store by themselves, and what erasing leaves of them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import lamina
from lamina.files import sync
from tests.meta.children import environment
from tests.meta.tree import ROOT

WRITES = """
import sys, time, lamina
mem = lamina.open(sys.argv[1])
mem.agent("finn", project="web").now.update("written by a process that dies")
print("done", flush=True)
time.sleep(60)
"""


def test_files_are_there_when_the_store_is_closed(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.configure("recall.embedder", "off")
        mem.configure("files.live", "on")
        mem.agent("finn", project="web").now.update("Ship the parser")
    text = (tmp_path / "projects/web/agents/finn/NOW.md").read_text()
    assert "Ship the parser" in text


def test_no_store_has_files_unless_it_asks_for_them(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.agent("finn", project="web").now.update("Ship the parser")
    assert not (tmp_path / "projects").exists()
    assert not (tmp_path / ".projected").exists()


def test_what_a_killed_process_left_is_made_up_for_at_the_next_opening(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.configure("recall.embedder", "off")
        mem.configure("files.live", "on")
    child = subprocess.Popen(
        [sys.executable, "-c", WRITES, str(tmp_path)], cwd=ROOT, env=environment(),
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdout.readline() == b"done\n"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    with lamina.open(tmp_path):
        pass
    text = (tmp_path / "projects/web/agents/finn/NOW.md").read_text()
    assert "written by a process that dies" in text


def test_erased_means_erased_in_files_and_copies_too(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.configure("recall.embedder", "off")
        web = mem.project("web")
        made = web.remember("the cormorant codeword is lagoon").id
        web.remember("something else")
        sync(mem)
        page = tmp_path / "projects/web/MEMORY.md"
        # A damaged copy of it lies aside, and the file before the last one is still about.
        page.write_bytes(page.read_bytes() + b"\xff")
        report = sync(mem)
        assert b"cormorant" in (tmp_path / report.asides[0].copy).read_bytes()
        erased = mem.erase(made)
        assert erased.complete
        left = [
            path for path in tmp_path.rglob("*")
            if path.is_file() and b"cormorant" in path.read_bytes()
        ]  # fmt: skip
        assert left == []
        assert "something else" in page.read_text()


def test_erased_means_erased_wherever_files_were_written(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    for place in (str(tmp_path / "store"), ":memory:", f"json:{tmp_path}/store.json"):
        with lamina.open(place) as mem:
            mem.configure("recall.embedder", "off")
            made = mem.project("web").remember("the cormorant codeword is lagoon").id
            mem.project("web").remember("something else")
            folder = vault / str(abs(hash(place)))
            sync(mem, folder)
            page = folder / "projects/web/MEMORY.md"
            assert "cormorant" in page.read_text()
            assert mem.erase(made).complete
            assert "cormorant" not in page.read_text()


def test_a_copy_that_shares_a_word_with_what_was_erased_stays(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.configure("recall.embedder", "off")
        made = mem.project("web").remember("parsers are dreadful").id
        sync(mem)
        page = tmp_path / "projects/web/MEMORY.md"
        page.write_bytes(b"\xff dreadful weather\n")
        copy = tmp_path / sync(mem).asides[0].copy
        mem.erase(made)
        assert copy.exists()


def test_notes_that_were_there_before_are_taken_over_and_a_copy_is_kept(tmp_path: Path) -> None:
    page = tmp_path / "files/projects/web/MEMORY.md"
    page.parent.mkdir(parents=True)
    page.write_text("# Our notes\n\nWe deploy on Thursdays.\n")
    with lamina.open(":memory:") as mem:
        report = sync(mem, tmp_path / "files")
        assert [one.text for one in mem.project("web").knowledge.query()] == [
            "We deploy on Thursdays."
        ]
        copy = tmp_path / "files" / report.asides[0].copy
        assert copy.read_text() == "# Our notes\n\nWe deploy on Thursdays.\n"
