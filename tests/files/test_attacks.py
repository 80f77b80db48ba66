"""One bad file or record costs the others nothing; nothing hangs; nobody's file is taken away."""

import fcntl
import json
import os
import shutil
from pathlib import Path

import pytest

import lamina
from lamina import ConflictError
from lamina.files import Files, keeper, sync
from lamina.files.memory_page import MemoryPage
from lamina.files.rebuilding import is_projected, rebuild
from lamina.files.sections_page import NOW as NOW_PAGE
from tests.files.desk import NOW, TASKS, WEB, Desk

FINN = "projects/web/agents/finn"
SESSION = f"{FINN}/sessions/s-1.jsonl"


def test_copies_that_other_programs_leave_beside_transcripts_are_left(desk: Desk) -> None:
    desk.finn.session("s-1").append("user", "hello", id="m1")
    desk.sync()
    folder = desk.root / FINN / "sessions"
    beside = folder / "s-1.sync-conflict-20260101-101010-ABC.jsonl"
    beside.write_text('{"role": "user", "content": "x"}\n')
    os.mkfifo(folder / "s-2.jsonl")
    desk.finn.now.update("still written")
    report = desk.sync()
    assert len(report.notices) == 2
    assert "still written" in desk.read(NOW)
    assert beside.exists()


@pytest.mark.parametrize(
    "line", ['{"role": []}', '{"role": "user", "content": "\\ud800"}', '{"role": "user", "x": NaN}']
)
def test_a_line_that_is_no_message_is_kept_aside(desk: Desk, line: str) -> None:
    desk.finn.session("s-1").append("user", "hello", id="m1")
    desk.sync()
    before = desk.read(SESSION)
    desk.edit(lambda text: f"{text}{line}\n", SESSION)
    report = desk.sync()
    assert ([kept.file for kept in report.asides], report.notices) == ([SESSION], [])
    assert desk.read(SESSION) == before


def test_a_line_added_while_agents_went_on_is_taken_over(desk: Desk) -> None:
    desk.finn.session("s-1").append("user", "hello", id="m1")
    desk.sync()
    desk.edit(lambda text: text + '{"id": "p1", "role": "user", "content": "mine"}\n', SESSION)
    desk.finn.session("s-1").append("assistant", "theirs", id="m2")
    report = desk.sync()
    assert (report.added, report.asides) == (1, [])
    said = [one.text for one in desk.finn.session("s-1").read()]
    assert said == ["hello", "theirs", "mine"]


ODD_TASKS = (
    '[{"description": "x", "priority": NaN}]', '[{"description": "x", "z": 1e999}]',
    '[{"description": "\\ud800"}]', '[{"description": "x", "priority": true}]',
    '[{"id": "a", "description": "x", "blocked_by": [["b"]]},'
    ' {"id": "c", "description": "y", "blocked_by": ["a"], "status": "maybe"}]',
)  # fmt: skip


@pytest.mark.parametrize("content", ODD_TASKS)
def test_a_task_that_nobody_could_read_is_kept_aside(desk: Desk, content: str) -> None:
    desk.web.task.add("t-1", "Parser")
    desk.sync()
    (desk.root / TASKS).write_text(content)
    report = desk.sync()
    assert ([kept.file for kept in report.asides], report.notices) == ([TASKS], [])
    assert [task["id"] for task in json.loads(desk.read(TASKS))["tasks"]] == ["t-1"]


def test_what_nobody_thought_of_costs_one_file(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.web.remember("something")
    desk.web.task.add("t-1", "Parser")
    monkeypatch.setattr(MemoryPage, "render", lambda *_: 1 / 0)
    report = desk.sync()
    assert report.notices == [f"{WEB}: ZeroDivisionError: division by zero"]
    assert "Parser" in desk.read(TASKS)


def test_files_that_others_wrote_under_our_names_are_left_alone(desk: Desk) -> None:
    theirs = {
        "LOG.md": "# My log\n", "items.json": '{"a": 1}',
        "tasks.json": '{"version": "2.0.0", "tasks": [{"label": "build"}]}',
    }  # fmt: skip
    for name, text in theirs.items():
        (desk.root / name).write_text(text)
    desk.mem.remember("Be kind")
    report = desk.sync()
    assert (len(report.notices), report.asides) == (3, [])
    assert {name: desk.read(name) for name in theirs} == theirs
    assert "Be kind" in desk.read("MEMORY.md")


def test_more_than_we_read_by_default_is_read_where_we_wrote_it(desk: Desk) -> None:
    for n in range(9):
        desk.finn.remember("abcdefghi"[n] * 1_000_000, layer="now", kind="note", key=f"k{n}")
    desk.sync()
    desk.finn.log.thought("hm")
    report = desk.sync()
    assert (report.asides, report.written) == ([], [f"{FINN}/LOG.md"])
    desk.edit(lambda text: text + "\n## Mine\n\nfine\n", NOW)
    assert desk.sync().added == 1


def test_a_heading_that_a_record_asks_for_has_bounds(desk: Desk) -> None:
    for n in range(5):
        desk.web.remember(f"number {n}", data={"section": f"{n}" * 500_000})
    desk.sync()
    assert len(desk.read()) < 3_000
    desk.edit(lambda text: text + "- mine\n")
    report = desk.sync()
    assert (report.added, report.changed) == (1, 0)


def test_more_than_anybody_writes_is_not_taken_for_an_edit(desk: Desk) -> None:
    desk.web.remember("something")
    desk.sync()
    before = desk.read()
    desk.edit(lambda text: text + "".join(f"- thing {n}\n" for n in range(6_000)))
    report = desk.sync()
    assert report.asides[0].why == ("more than 5,000 entries are new",)
    assert desk.read() == before
    assert desk.texts() == ["something"]


@pytest.mark.parametrize("text", ["# a" + " " * 2_000_000 + "b\n", "- " * 1_000_000 + "x\n"])
def test_long_lines_are_read_in_linear_time(text: str) -> None:
    # In quadratic time this would take days.
    assert len(MemoryPage().parse(f"{text}- x\n").entries) >= 1
    assert NOW_PAGE.parse(f"{text}\n## Mood\n\nfine\n").entries[-1].name == "Mood"


def test_a_folder_that_was_deleted_is_written_again(desk: Desk) -> None:
    desk.finn.knowledge.put("decision", "db", "SQLite")
    desk.finn.now.update("Ship it")
    desk.sync()
    before = desk.snapshot()
    shutil.rmtree(desk.root / "projects")
    desk.sync()
    assert desk.snapshot() == before


def test_who_holds_the_files_is_not_waited_for_in_vain(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "_LONGEST_WAIT", 0.1)
    desk.sync()
    with (desk.root / ".projected" / "lock").open("r+") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ConflictError, match="another process"):
            desk.sync()
    assert desk.sync().notices == []


def test_a_huge_file_that_was_being_replaced_when_all_ended_is_kept(desk: Desk) -> None:
    desk.web.remember("something")
    desk.sync()
    desk.sync()
    late = desk.root / ".projected" / f"{WEB}.was"
    late.write_bytes(b"- x\n" * 3_000_000)
    desk.web.remember("and more")
    report = desk.sync()
    assert [kept.file for kept in report.asides] == [WEB]
    assert (desk.root / report.asides[0].copy).stat().st_size == 12_000_000


def test_a_secret_is_not_left_in_the_file_that_was_replaced(desk: Desk) -> None:
    desk.finn.remember("something", scope="project/web")
    desk.sync()
    desk.edit(lambda text: text + "- the deploy password is tangerine-42-Lagoon\n")
    desk.sync()
    every = [path for path in desk.root.rglob("*") if path.is_file()]
    assert [path for path in every if b"tangerine" in path.read_bytes()] == []


def test_a_store_whose_folder_is_a_link_has_files(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with lamina.open(tmp_path / "link") as mem:
        mem.configure("recall.embedder", "off")
        mem.project("web").remember("something")
        assert sync(mem).notices == []
    assert "something" in (tmp_path / "real" / WEB).read_text()


def test_a_store_brought_back_to_an_earlier_day_brings_its_files_along(tmp_path: Path) -> None:
    for folder, text in (("store", "one"), ("later", "two")):
        with lamina.open(tmp_path / "store") as mem:
            mem.configure("recall.embedder", "off")
            mem.project("web").remember(text)
            sync(mem)
        if folder == "store":
            shutil.copytree(tmp_path / "store", tmp_path / "earlier")
    for path in (tmp_path / "store").glob("lamina.db*"):
        path.unlink()
    for path in (tmp_path / "earlier").glob("lamina.db*"):
        shutil.copy(path, tmp_path / "store")
    with lamina.open(tmp_path / "store") as mem:
        assert sync(mem).written == [WEB]
        assert "two" not in (tmp_path / "store" / WEB).read_text()
        assert sync(mem).changes == 0


def test_an_edit_of_a_file_whose_past_was_pruned_is_not_lost(desk: Desk) -> None:
    made = [desk.finn.remember(f"number {n}", scope="project/web").id for n in range(3)]
    desk.sync()
    for record in made:
        desk.finn.edit(record, f"anew {record}")
    desk.mem.configure("history.knowledge", "none")
    desk.mem.maintain(confirm=True)
    desk.edit(lambda text: text.replace("number 0", "number zero"))
    report = desk.sync()
    assert "number zero" in desk.texts()
    waiting = {one.text for one in desk.web.knowledge.proposals()}
    assert f"anew {made[0]}" in waiting
    assert report.forgotten == 0


def test_a_pipe_among_files_to_import_is_not_waited_for(desk: Desk, tmp_path: Path) -> None:
    desk.web.remember("one")
    desk.web.task.add("t-1", "Parser")
    made = desk.mem.project("ops").remember("two").id
    desk.sync()
    (desk.root / TASKS).write_text("{ broken")
    desk.edit(lambda text: f"{text}- carried here ^{made}\n- made up ^{'7' + 'z' * 25}\n")
    os.mkfifo(desk.root / "LOG.md")
    (desk.root / "items.json").write_text('[{"type": []}, {"type": "note", "confidence": "x"}]')
    shutil.rmtree(desk.root / ".projected")
    assert is_projected(desk.root)
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        rebuild(mem, desk.root)
        held = {(one.scope, one.text) for one in mem.query({"layer": "knowledge"}, limit=99)}
    assert {("project/web", "one"), ("project/web", "carried here"),
            ("project/web", "made up"), ("project/ops", "two")} <= held  # fmt: skip


def test_a_folder_in_order_is_not_looked_into(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.finn.now.update("Ship it")
    desk.finn.session("s-1").append("user", "hello")
    for _ in range(3):
        desk.sync()
    monkeypatch.setattr(Files, "_place", lambda *_, **__: pytest.fail("looked into"))
    assert desk.sync().written == []


def test_only_the_session_that_moved_is_read(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("s-1", "s-2"):
        desk.finn.session(name).append("user", f"hello {name}")
    for _ in range(3):
        desk.sync()
    desk.finn.session("s-2").append("user", "more")
    assert desk.sync().written == [
        f"{FINN}/sessions/s-2.jsonl", f"{FINN}/sessions/sessions.json",
    ]  # fmt: skip
    index = json.loads(desk.read(f"{FINN}/sessions/sessions.json"))["sessions"]
    assert [(one["id"], one["messages"]) for one in index] == [("s-1", 1), ("s-2", 2)]
