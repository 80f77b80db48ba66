"""Files from the store, and the store from its files: both ways nothing is missing."""

import shutil
from pathlib import Path

import pytest

import lamina
from lamina.files.rebuilding import is_projected, rebuild
from tests.files.desk import WEB, Desk


def work(desk: Desk) -> None:
    desk.finn.now.update("Ship the parser", ["write tests", "review"])
    desk.finn.log.thought("hm\nmore")
    desk.finn.log.error("it broke")
    desk.finn.knowledge.put("decision", "db", "SQLite\n\n- because\n# it is small")
    desk.finn.remember("**bold**: is no key", kind="convention", scope="project/web")
    desk.finn.remember("an insight", kind="pattern")
    session = desk.finn.session("s-1")
    session.append("user", "hello", id="m1")
    session.append("tool_call", "", id="t1", name="read", input={"path": "x", "id": 3})
    session.append("assistant", "done")
    desk.web.task.add("t-1", "Parser", priority=2, acceptance=["it parses"])
    desk.web.task.add("t-2", "Printer", blocked_by=["t-1"])
    desk.mem.remember("Be kind", kind="convention")
    desk.mem.agent("ada").now.update("Think")
    desk.sync()
    desk.edit(
        lambda text: (
            text.replace("---\n", "---\naliases: [web]\n", 1).replace("# Memory", "# Web")
            + "\n## Deployment\n\n- on Fridays\n"
        )
    )
    desk.sync()


def test_files_that_were_deleted_are_written_again(desk: Desk) -> None:
    work(desk)
    before = desk.snapshot()
    for path in sorted(desk.root.iterdir()):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    desk.sync()
    assert desk.snapshot() == before
    other = Desk(desk.mem, desk.root.with_name("other"))
    other.sync()
    assert other.snapshot() == before


@pytest.mark.parametrize(
    "gone",
    [
        "projects",
        "agents",
        "projects/web/agents/finn",
        "projects/web/agents/finn/sessions",
        "projects/web/agents/finn/sessions/s-1.jsonl",
        "projects/web/agents/finn/LOG.md",
        "projects/web/MEMORY.md",
    ],
)
def test_whatever_is_deleted_is_written_again(desk: Desk, gone: str) -> None:
    work(desk)
    desk.finn.session("s-2").append("user", "another")
    desk.sync()
    before = desk.snapshot()
    path = desk.root / gone
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert desk.sync().written
    assert desk.snapshot() == before
    assert desk.sync().written == []


def test_the_transcript_of_an_erased_session_is_not_looked_for_again(desk: Desk) -> None:
    told = desk.finn.session("s-1").append("user", "hello")
    desk.sync()
    desk.mem.erase(told.outcomes[0].id)
    (desk.root / "projects/web/agents/finn/sessions/s-1.jsonl").unlink(missing_ok=True)
    desk.sync()
    assert desk.sync().written == []
    assert not list((desk.root / ".projected").rglob("s-1.jsonl*"))


def test_a_store_is_made_again_from_its_files(desk: Desk, tmp_path: Path) -> None:
    work(desk)
    before = desk.snapshot()
    assert is_projected(desk.root)
    with lamina.open(tmp_path / "again") as mem:
        mem.configure("recall.embedder", "off")
        report = rebuild(mem, desk.root)
        assert report.failed == ()
        again = Desk(mem, desk.root)
        assert {name: text for name, text in again.snapshot().items() if name not in before} == {}
        # Revisions count from one again; what the files say is the same to the byte.
        assert _said(again.snapshot()) == _said(before)
        assert again.finn.now.read().next_steps == ("write tests", "review")
        assert [one.text for one in again.finn.log.tail()] == ["hm\nmore", "it broke"]
        assert again.finn.session("s-1").read()[1].data == {
            "name": "read",
            "input": {"path": "x", "id": 3},
        }
        held = desk.web.knowledge.get("decision", "db")
        assert held is not None
        assert mem.get(held.id).text == held.text
        assert mem.get(held.id).trust.value == "file"
        assert again.sync().written == []
        assert rebuild(mem, desk.root).added == 0


def _said(files: dict[str, bytes]) -> dict[str, bytes]:
    return {
        name: b"\n".join(line for line in text.split(b"\n") if b"revision" not in line)
        for name, text in files.items()
    }


def test_what_was_erased_does_not_come_back_from_files(desk: Desk, tmp_path: Path) -> None:
    work(desk)
    copy = tmp_path / "copy"
    shutil.copytree(desk.root, copy)
    held = desk.web.knowledge.get("decision", "db")
    assert held is not None
    desk.mem.erase(held.id)
    rebuild(desk.mem, copy)
    assert desk.web.knowledge.get("decision", "db") is None
    assert "SQLite" not in (copy / WEB).read_text()


def test_a_folder_of_notes_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("---\ntags: [a]\n---\n\n- something\n")
    assert not is_projected(tmp_path)
