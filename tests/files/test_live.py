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
