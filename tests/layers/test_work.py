"""Artifacts and tasks: what was made, and what is to be done."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from lamina import ConflictError, InvalidInputError, Memory, NotFoundError
from tests.places import STORES, where


@pytest.fixture(params=STORES)
def finn(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        yield opened.agent("finn", project="web")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "src/parser.py").write_text("def parse(): ...\n")
    return folder


def test_an_artifact_is_what_the_file_was(finn: Memory, work: Path) -> None:
    finn.artifact.register("src/parser.py", task="t-1", workspace=work, description="the parser")
    [found] = finn.artifact.query(task="t-1")
    body = (work / "src/parser.py").read_bytes()
    assert (found.key, found.text) == ("src/parser.py", "the parser")
    assert found.data == {
        "task": "t-1", "size": len(body), "sha256": hashlib.sha256(body).hexdigest(),
    }  # fmt: skip
    assert finn.artifact.query(path="src") == [found]
    assert finn.artifact.query(path="src/pars") == []
    finn.artifact.deregister("src/parser.py")
    assert finn.artifact.query() == []


def test_changed_and_missing_files_are_told(finn: Memory, work: Path) -> None:
    for name in ("a", "b", "c"):
        (work / name).write_text(name)
        finn.artifact.register(name, task="t-1", workspace=work)
    (work / "b").write_text("other")
    (work / "c").unlink()
    found = {one.path: one.standing.value for one in finn.artifact.verify(workspace=work)}
    assert found == {"a": "same", "b": "changed", "c": "missing"}
    finn.artifact.declare("a", task="t-2")
    [told] = finn.artifact.verify(workspace=work, task="t-2")
    assert told.standing.value == "unknown"  # nobody kept what it was


@pytest.mark.parametrize("path", ["../secret", "src/../../secret", "", "/etc/passwd", "a\0b", 5])
def test_no_path_leads_out_of_the_workspace(finn: Memory, work: Path, path: str) -> None:
    (work.parent / "secret").write_text("s")
    with pytest.raises(InvalidInputError, match="path"):
        finn.artifact.register(path, task="t-1", workspace=work)


def test_links_and_pipes_are_no_artifacts(finn: Memory, work: Path) -> None:
    (work.parent / "secret").write_text("s")
    (work / "link").symlink_to(work.parent / "secret")
    (work / "there").symlink_to(work.parent)
    os.mkfifo(work / "pipe")
    for path in ("link", "there/secret", "nowhere"):
        with pytest.raises(NotFoundError):
            finn.artifact.register(path, task="t-1", workspace=work)
    for path in ("pipe", "src"):
        with pytest.raises((InvalidInputError, NotFoundError)):
            finn.artifact.register(path, task="t-1", workspace=work)


def test_tasks_go_step_by_step(finn: Memory) -> None:
    finn.task.add("parse", "write the parser", milestone="m1", priority=2, acceptance=["tests"])
    with pytest.raises(ConflictError):
        finn.task.add("parse", "again")
    with pytest.raises(ConflictError, match="cannot become done"):
        finn.task.move("parse", "done")
    finn.task.move("parse", "active")
    finn.task.move("parse", "done", note="all green")
    found = finn.task.get("parse")
    assert (found.data["status"], found.data["note"]) == ("done", "all green")
    assert (found.data["milestone"], found.data["acceptance"]) == ("m1", ["tests"])
    with pytest.raises(ConflictError, match="open"):
        finn.task.move("parse", "active")
    with pytest.raises(InvalidInputError, match="status"):
        finn.task.move("parse", "finished")


def test_what_waits_is_not_ready(finn: Memory) -> None:
    finn.task.add("parse", "write the parser")
    finn.task.add("print", "write the printer", blocked_by=["parse"], priority=5)
    assert [one.key for one in finn.task.query()] == ["print", "parse"]
    assert [one.key for one in finn.task.ready()] == ["parse"]
    finn.task.move("print", "active")
    with pytest.raises(ConflictError, match="waits for parse"):
        finn.task.move("print", "done")
    for status in ("active", "done"):
        finn.task.move("parse", status)
    finn.task.move("print", "done")
    assert finn.task.ready() == []
    assert [one.key for one in finn.task.query(status="done")] == ["print", "parse"]


def test_tasks_do_not_wait_for_each_other_nor_for_nobody(finn: Memory) -> None:
    finn.task.add("a", "first")
    finn.task.add("b", "second", blocked_by=["a"])
    with pytest.raises(InvalidInputError, match="each other"):
        finn.task.change("a", blocked_by=["b"])
    with pytest.raises(InvalidInputError, match="not known"):
        finn.task.add("c", "third", blocked_by=["nobody"])
    with pytest.raises(InvalidInputError, match="colour"):
        finn.task.change("a", colour="red")  # type: ignore[call-arg]
    finn.task.change("a", "first of all", priority=3)
    assert (finn.task.get("a").text, finn.task.get("a").data["priority"]) == ("first of all", 3)
