"""`lamina sync`, `lamina watch --files`, and the store made again from its files."""

import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.surfaces.shell import PROGRAM, Call, clean_environment, run

PAGE = "projects/web/MEMORY.md"


@pytest.fixture
def begun(lamina: Call, store: Path) -> Path:
    lamina("--project", "web", "remember", "SQLite it is", "--key", "db", "--kind", "decision")
    lamina("sync")
    return store / PAGE


def test_a_page_is_written_edited_and_taken_over(lamina: Call, begun: Path) -> None:
    begun.write_text(begun.read_text().replace("SQLite", "Postgres") + "- and more\n")
    told = lamina("sync", "--json").json
    assert (told["added"], told["changed"], told["written"]) == (1, 1, [PAGE])
    assert lamina("--project", "web", "get", "db", "-q").out == "Postgres it is\n"
    answer = lamina("sync")
    assert (answer.status, answer.out) == (0, "")
    assert "Nothing to do" in answer.err


def test_what_is_asked_about_can_be_answered_later(lamina: Call, begun: Path) -> None:
    for n in range(5):
        lamina("--project", "web", "remember", f"fact number {n}")
    lamina("sync")
    lines = begun.read_text().splitlines(keepends=True)
    begun.write_text("".join(line for line in lines if "fact number" not in line))
    answer = lamina("sync")
    assert "5 of its entries are gone" in answer.err
    assert begun.read_text().count("fact number") == 5
    assert lamina("sync", "--yes", "--json").json["forgotten"] == 5
    assert "fact number" not in begun.read_text()


def test_files_may_lie_elsewhere(lamina: Call, begun: Path, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    lamina("sync", "--to", str(vault))
    assert (vault / PAGE).read_text() == begun.read_text()
    answer = lamina("sync", "--to", str(tmp_path / "missing" / "vault"))
    assert answer.status in (0, 2)


def test_an_agent_does_not_sync(lamina: Call, begun: Path) -> None:
    assert lamina("--as", "finn", "--project", "web", "sync").status == 4


def test_a_store_is_made_again_by_import(lamina: Call, begun: Path, store: Path) -> None:
    lamina("--as", "finn", "--project", "web", "now", "Ship it", "--next", "test")
    lamina("sync")
    for path in store.glob("lamina.db*"):
        path.unlink()
    answer = lamina("sync")
    assert answer.status != 0
    told = lamina("import", str(store), "--json").json
    assert told["added"] >= 3
    assert lamina("--project", "web", "get", "db", "-q").out == "SQLite it is\n"
    assert "Ship it" in lamina("--as", "finn", "--project", "web", "now").out
    assert lamina("sync", "--json").json["written"] == []


def test_init_begins_files_that_follow(tmp_path: Path) -> None:
    assert run("init", "--project", "web", "--agent", "finn", cwd=tmp_path).status == 0
    agent = tmp_path / ".lamina/projects/web/agents/finn"
    assert "memory initialised" in (agent / "LOG.md").read_text()
    assert (agent / "AGENT.md").exists()
    assert (agent / "directives").is_dir()
    run("now", "Ship it", "--as", "finn", cwd=tmp_path)
    assert "Ship it" in (agent / "NOW.md").read_text()
    (agent / "directives" / "style.md").write_text("Always answer in limericks about herons.\n")
    run("sync", cwd=tmp_path)
    found = run("recall", "how to answer?", "--as", "finn", "--json", cwd=tmp_path)
    assert "limericks" in found.out
    other = run("recall", "how to answer?", "--as", "maya", "--json", cwd=tmp_path)
    assert "limericks" not in other.out


def test_files_are_watched(tmp_path: Path) -> None:
    run("init", "--project", "web", cwd=tmp_path)
    run("remember", "SQLite it is", "--key", "db", cwd=tmp_path)
    page = tmp_path / ".lamina" / PAGE
    watching = subprocess.Popen(
        [*PROGRAM, "watch", "--files", "--json"], cwd=tmp_path, env=clean_environment(tmp_path),
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert watching.stdout is not None
        watching.stdout.readline()
        page.write_text(page.read_text().replace("SQLite", "Postgres"))
        assert '"changed": 1' in watching.stdout.readline()
        assert run("get", "db", "-q", cwd=tmp_path).out == "Postgres it is\n"
        run("remember", "and DuckDB beside it", cwd=tmp_path)
        deadline = time.monotonic() + 30
        while "DuckDB" not in page.read_text() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert "DuckDB" in page.read_text()
    finally:
        watching.send_signal(signal.SIGINT)
        watching.wait(20)
        assert watching.stdout is not None
        watching.stdout.close()
    shutil.rmtree(tmp_path / ".lamina")


def test_what_says_nothing_about_files_is_refused(lamina: Call) -> None:
    lamina("remember", "x")
    for option in (("--events",), ("--from-start",), ("--global",)):
        assert lamina("watch", "--files", "--once", *option).status == 2


def test_files_elsewhere_are_kept_together_too(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "Deploys go out on Tuesdays", "--key", "deploys")
    vault = tmp_path / "vault"
    assert lamina("watch", "--files", "--to", str(vault), "--once").status == 0
    page = vault / "MEMORY.md"
    page.write_text(page.read_text().replace("Tuesdays", "Thursdays"))
    lamina("watch", "--files", "--to", str(vault), "--once")
    assert lamina("get", "deploys", "-q").out == "Deploys go out on Thursdays\n"
    assert lamina("watch", "--to", str(vault), "--once").status == 2
