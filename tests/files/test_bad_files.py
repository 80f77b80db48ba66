"""What people and machines leave in a folder: understood, kept aside or left alone, never fatal."""

import json
import os
from pathlib import Path

import pytest

from lamina import ConflictError, ForbiddenError, InvalidInputError
from lamina.files import Files, sync
from tests.files.desk import NOW, TASKS, WEB, Desk


def filled(desk: Desk) -> None:
    desk.finn.knowledge.put("decision", "db", "SQLite")
    desk.finn.now.update("Ship the parser")
    desk.finn.log.thought("hm")
    desk.web.task.add("t-1", "Parser")
    desk.sync()


BROKEN = (
    b"{ broken", b'{"tasks": {"a": 1}}', b'{"tasks": [1, {"id": "x"}]}', b"[[[[" * 20_000,
    b"\xff\xfe\x00",
)  # fmt: skip


@pytest.mark.parametrize("content", BROKEN)
def test_broken_json_is_kept_aside_and_written_again(desk: Desk, content: bytes) -> None:
    filled(desk)
    before = desk.read(TASKS)
    (desk.root / TASKS).write_bytes(content)
    report = desk.sync()
    assert [kept.file for kept in report.asides] == [TASKS]
    assert (desk.root / report.asides[0].copy).read_bytes() == content
    assert desk.read(TASKS) == before
    assert desk.web.task.get("t-1").data["status"] == "open"


def test_ids_twice_in_tasks_are_told(desk: Desk) -> None:
    filled(desk)

    def twice(text: str) -> str:
        found = json.loads(text)
        task = found["tasks"][0]
        found["tasks"] += [{**task, "description": "first"}, {**task, "description": "second"}]
        return json.dumps(found)

    desk.edit(twice, TASKS)
    report = desk.sync()
    assert "two entries are called 't-1'" in report.asides[0].why
    assert desk.web.task.get("t-1").text == "first"


@pytest.mark.parametrize("content", [b"\xff\xfe- one", b"- one\0two", b"- " + b"x" * 9_000_000])
def test_what_is_no_text_is_kept_aside(desk: Desk, content: bytes) -> None:
    filled(desk)
    before = desk.read()
    (desk.root / WEB).write_bytes(content)
    report = desk.sync()
    assert [kept.file for kept in report.asides] == [WEB]
    assert desk.read() == before


def test_a_heading_nobody_knows_is_kept_as_it_is(desk: Desk) -> None:
    filled(desk)
    desk.edit(lambda text: text + "\n## Zxcvb & Co. / 日本\n\n- something\n")
    desk.edit(lambda text: text + "\n## Mood\n\nfine\n", NOW)
    assert desk.sync().asides == []
    assert "## Zxcvb & Co. / 日本\n\n- something ^" in desk.read()
    assert "## Mood\n\nfine\n" in desk.read(NOW)


def test_links_pipes_and_folders_are_left_alone(desk: Desk, tmp_path: Path) -> None:
    filled(desk)
    outside = tmp_path / "outside.md"
    outside.write_text("- stolen\n")
    (desk.root / WEB).unlink()
    (desk.root / WEB).symlink_to(outside)
    (desk.root / NOW).unlink()
    os.mkfifo(desk.root / NOW)
    (desk.root / TASKS).unlink()
    (desk.root / TASKS).mkdir()
    desk.finn.knowledge.put("decision", "db", "Postgres")
    desk.finn.log.thought("still there")
    report = desk.sync()
    assert outside.read_text() == "- stolen\n"
    assert {notice.split(":")[0] for notice in report.notices} == {WEB, NOW, TASKS}
    assert "still there" in desk.read("projects/web/agents/finn/LOG.md")
    assert "stolen" not in repr(desk.mem.query(limit=100))


def test_a_folder_that_is_a_link_is_not_followed(desk: Desk, tmp_path: Path) -> None:
    filled(desk)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "MEMORY.md").write_text("- stolen\n")
    (desk.root / "agents").mkdir()
    (desk.root / "agents" / "ada").symlink_to(elsewhere)
    report = desk.sync()
    assert any("agents/ada" in notice for notice in report.notices)
    assert sorted(path.name for path in elsewhere.iterdir()) == ["MEMORY.md"]
    assert "stolen" not in repr(desk.mem.query(limit=100))


@pytest.mark.parametrize("name", ["CON", "a b", "Finn", "fi\u0306nn", "\u0430da", "x" * 65, "-a"])
def test_folders_whose_names_are_no_names_are_told_and_left(desk: Desk, name: str) -> None:
    folder = desk.root / "agents" / name
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("- something\n")
    report = desk.sync()
    assert any(name in notice for notice in report.notices)
    assert (folder / "MEMORY.md").read_text() == "- something\n"
    assert desk.mem.count({"layer": {"$ne": "now"}}) == 0


@pytest.mark.parametrize("name", ["../x", "CON", "a/b", "\u0430da", "", "."])
def test_an_agent_cannot_be_called_so(desk: Desk, name: str) -> None:
    with pytest.raises(InvalidInputError):
        desk.mem.agent(name, project="web")


def test_a_long_log_is_shown_from_its_end(desk: Desk) -> None:
    desk.finn.remember_many(
        {"layer": "log", "kind": "SYSTEM", "text": f"entry {n} " + "x" * 200} for n in range(1_500)
    )
    desk.sync()
    text = desk.read("projects/web/agents/finn/LOG.md")
    assert "entry 1499 " in text
    assert "entry 499 " not in text
    assert "500 older entries are in the store" in text


def test_a_huge_log_in_place_of_ours_is_kept_aside(desk: Desk) -> None:
    filled(desk)
    log = desk.root / "projects/web/agents/finn/LOG.md"
    before = log.read_bytes()
    with log.open("wb") as file:
        file.truncate(200_000_000)
    report = desk.sync()
    copy = desk.root / report.asides[0].copy
    assert copy.stat().st_size == 200_000_000
    assert log.read_bytes() == before


def test_files_of_another_store_are_not_written_over(desk: Desk, tmp_path: Path) -> None:
    filled(desk)
    from lamina import open as open_memory

    with open_memory(tmp_path / "other") as other, pytest.raises(ConflictError):
        sync(other, desk.root)
    assert "SQLite" in desk.read()


def test_only_an_admin_brings_files_and_store_together(desk: Desk) -> None:
    with pytest.raises(ForbiddenError):
        Files(desk.finn, desk.root)


def test_an_admin_of_one_project_touches_no_other(desk: Desk) -> None:
    desk.mem.project("ops").remember("the other project")
    desk.web.remember("ours")
    Files(desk.web, desk.root).sync()
    assert sorted(path.name for path in (desk.root / "projects").iterdir()) == ["web"]


def test_what_we_know_of_a_file_may_be_lost(desk: Desk) -> None:
    for n in range(5):
        desk.finn.knowledge.put("fact", f"k{n}", f"number {n}")
    desk.sync()
    for path in (desk.root / ".projected").rglob("*.json"):
        path.write_text("{ broken")
    desk.finn.knowledge.put("fact", "k0", "number zero")
    desk.edit(lambda text: text.replace("number 1", "number one").replace("number 4", "x"))
    report = desk.sync()
    assert desk.texts() == ["number 2", "number 3", "number one", "number zero", "x"]
    assert len(report.clashes) == 2
    assert report.forgotten == 0


def test_a_folder_that_cannot_be_one_is_named(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InvalidInputError, match="`folder`"):
        Files(desk.mem, tmp_path / "file").sync()
    assert (tmp_path / "file").read_text() == "x"


def test_a_file_that_was_emptied_is_said_to_be_empty(desk: Desk) -> None:
    desk.finn.knowledge.put("decision", "db", "SQLite")
    desk.sync()
    before = desk.read()
    desk.edit(lambda _: "")
    assert desk.sync().asides[0].why == ("it was empty",)
    assert desk.read() == before
