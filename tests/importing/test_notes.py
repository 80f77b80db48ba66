"""Markdown becomes knowledge, is followed, and lives on beside it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

import lamina
from lamina import ForbiddenError, InvalidInputError, Memory
from lamina.core.record import Record
from lamina.importing import Fate, NotesReport, markdown
from tests.places import STORES, mem, where

__all__ = ["mem"]

PAGE = """# Shared context

We build a brain.

## Key Decisions
- 2026-02-01: Chose SQLite over PostgreSQL #db
- **Server**: Fastify, not Express

## User Preferences
- Prefers concise answers
- Uses tabs

### 2026-02-05
- Discussed the agent loop
"""


@pytest.fixture
def page(tmp_path: Path, mem: Memory) -> Path:
    mem.configure("recall.embedder", "off")
    file = tmp_path / "notes" / "context.md"
    file.parent.mkdir()
    file.write_text(PAGE, encoding="utf-8")
    return file


def swap(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def fates(report: NotesReport) -> dict[str, str]:
    return {entry.text: entry.fate.value for entry in report.entries}


def known(mem: Memory) -> dict[str, Record]:
    return {record.text: record for record in mem.query({"layer": "knowledge"}, limit=1000)}


def stands(mem: Memory) -> dict[str, tuple[str, int]]:
    return {record.text: (record.id, record.rev) for record in known(mem).values()}


def test_each_entry_becomes_knowledge(mem: Memory, page: Path) -> None:
    web = mem.project("web")
    report = markdown(web, page)
    assert [file for file, _ in report.transactions] == ["context.md"]
    assert (report.applied, report.files, report.scope) == (True, 1, "project/web")
    assert report.count(Fate.ADDED) == len(report.entries) == 6
    found = known(web)
    chosen = found["2026-02-01: Chose SQLite over PostgreSQL #db"]
    assert (chosen.kind, chosen.tags, chosen.trust) == ("decision", ("db",), "file")
    assert chosen.valid_from == datetime(2026, 2, 1, tzinfo=UTC)
    assert chosen.scope == "project/web"
    assert (chosen.data["file"], chosen.data["line"]) == ("context.md", 6)
    assert chosen.data["section"] == "Key Decisions"
    assert chosen.data["title"] == "Shared context"
    assert found["Prefers concise answers"].kind == "preference"
    assert found["We build a brain."].kind == "fact"
    assert web.get("Server").text == "Fastify, not Express"
    talked = found["Discussed the agent loop"]
    assert talked.data["section"] == "User Preferences\n2026-02-05"
    assert talked.valid_from == datetime(2026, 2, 5, tzinfo=UTC)
    assert web.recall("which database was chosen over PostgreSQL?").hits[0].record == chosen
    assert {one.event.surface for one in web.history(chosen.id)} == {"import"}


def test_the_file_and_what_is_known_of_it_stay_as_they_are(mem: Memory, page: Path) -> None:
    before = page.read_bytes(), page.stat().st_mtime_ns, sorted(page.parent.iterdir())
    markdown(mem, page)
    there = stands(mem)
    assert {entry.fate for entry in markdown(mem, page).entries} == {Fate.UNCHANGED}
    assert (page.read_bytes(), page.stat().st_mtime_ns, sorted(page.parent.iterdir())) == before
    swap(page, "# Shared context", "# Shared context\n\nA line more.")
    markdown(mem, page)
    assert {text: stands(mem)[text] for text in there} == there


def test_what_changed_in_the_file_changes_in_memory(mem: Memory, page: Path) -> None:
    markdown(mem, page)
    there = stands(mem)
    swap(page, "Fastify, not Express", "Express after all")
    swap(page, "- Uses tabs\n", "- Uses spaces\n- Likes tests\n")
    swap(page, "We build a brain.\n", "")
    report = markdown(mem, page)
    assert fates(report) == {
        "2026-02-01: Chose SQLite over PostgreSQL #db": "unchanged",
        "Express after all": "revised",
        "Prefers concise answers": "unchanged",
        "Uses spaces": "revised",
        "Likes tests": "added",
        "Discussed the agent loop": "unchanged",
        "We build a brain.": "forgotten",
    }
    now = stands(mem)
    assert now["Express after all"] == (there["Fastify, not Express"][0], 2)
    assert now["Uses spaces"] == (there["Uses tabs"][0], 2)
    assert now["Prefers concise answers"] == there["Prefers concise answers"]
    assert "We build a brain." not in now
    assert mem.get(there["We build a brain."][0]).state == "forgotten"


def test_each_file_is_one_transaction(mem: Memory, page: Path) -> None:
    markdown(mem, page)
    swap(page, "Uses tabs", "Uses spaces")
    swap(page, "We build a brain.\n", "")
    [(file, tx)] = markdown(mem, page).transactions
    assert file == "context.md"
    mem.undo(tx)
    assert {"Uses tabs", "We build a brain."} <= set(known(mem))


def test_what_moves_to_another_heading_is_the_same_record(mem: Memory, page: Path) -> None:
    markdown(mem, page)
    there = stands(mem)["Uses tabs"]
    swap(page, "- Uses tabs\n", "")
    page.write_text(page.read_text() + "\n## Code style\n- Uses tabs\n")
    markdown(mem, page)
    moved = known(mem)["Uses tabs"]
    assert (moved.id, moved.rev) == (there[0], 2)
    assert (moved.kind, moved.data["section"]) == ("convention", "Code style")


def test_what_was_changed_by_hand_is_never_overwritten(mem: Memory, page: Path) -> None:
    markdown(mem, page)
    mem.edit("Server", "Koa")
    mem.edit(stands(mem)["Uses tabs"][0], "Uses tabs, four wide")
    mine = stands(mem)
    assert markdown(mem, page).count(Fate.UNCHANGED) == 6
    swap(page, "Fastify, not Express", "Hono")
    swap(page, "- Uses tabs\n", "")
    for _ in range(2):
        report = markdown(mem, page)
        [conflict] = [one for one in report.entries if one.fate is Fate.CONFLICT]
        assert (conflict.key, conflict.text, conflict.line) == ("Server", "Hono", 7)
        assert conflict.id == mine["Koa"][0]
        [kept] = [one for one in report.entries if one.fate is Fate.KEPT]
        assert kept.id == mine["Uses tabs, four wide"][0]
        assert stands(mem) == mine


def test_a_conflict_is_seen_though_no_key_names_it(mem: Memory, page: Path) -> None:
    markdown(mem, page)
    mem.edit(stands(mem)["Uses tabs"][0], "something else entirely")
    swap(page, "Uses tabs", "Uses spaces")
    assert fates(markdown(mem, page))["Uses spaces"] == "conflict"
    assert "Uses spaces" not in known(mem)


def test_a_change_that_was_taken_back_is_none(mem: Memory, page: Path) -> None:
    markdown(mem, page)
    mem.undo(mem.edit("Server", "Koa").tx)
    swap(page, "Fastify, not Express", "Hono")
    assert fates(markdown(mem, page))["Hono"] == "revised"
    assert mem.get("Server").rev == 4


def test_what_was_accepted_is_followed(mem: Memory, page: Path) -> None:
    mem.configure("knowledge.accept", "review")
    finn = mem.agent("finn", project="web")
    assert markdown(finn, page, scope="project/web").count(Fate.PROPOSED) == 6
    web = mem.project("web")
    [waiting] = [one for one in web.query({"state": "proposed"}) if one.key == "Server"]
    web.accept(waiting.id)
    swap(page, "Fastify, not Express", "Hono")
    assert fates(markdown(web, page))["Hono"] == "revised"
    assert web.get("Server").text == "Hono"


def test_what_was_forgotten_by_hand_stays_forgotten(mem: Memory, page: Path) -> None:
    markdown(mem, page)
    gone = stands(mem)["Uses tabs"][0]
    mem.forget(gone)
    assert fates(markdown(mem, page))["Uses tabs"] == "hidden"
    assert "Uses tabs" not in known(mem)
    assert markdown(mem, page, again=True).count(Fate.ADDED) == 1
    assert stands(mem)["Uses tabs"] == (gone, 3)


def test_an_entry_that_comes_back_is_the_same_record(mem: Memory, page: Path) -> None:
    markdown(mem, page)
    was = stands(mem)["Uses tabs"][0]
    swap(page, "- Uses tabs\n", "")
    markdown(mem, page)
    page.write_text(PAGE, encoding="utf-8")
    assert fates(markdown(mem, page))["Uses tabs"] == "added"
    assert stands(mem)["Uses tabs"][0] == was
    assert markdown(mem, page).count(Fate.UNCHANGED) == 6


def test_a_key_that_another_holds_is_only_proposed(mem: Memory, page: Path) -> None:
    mem.remember("Koa", key="Server", kind="decision")
    for times in range(3):
        report = markdown(mem, page)
        assert report.count(Fate.PROPOSED) == (times == 0)
        assert mem.get("Server").text == "Koa"
        assert len(mem.query({"state": "proposed"})) == 1
    swap(page, "Fastify, not Express", "Koa")
    assert fates(markdown(mem, page))["Koa"] in ("revised", "unchanged")
    assert mem.get("Server").rev == 1


def test_of_two_files_the_first_keeps_a_key(mem: Memory, page: Path) -> None:
    other = page.with_name("AGENTS.md")
    other.write_text("## Decisions\n- **Server**: Hono\n")
    markdown(mem, page)
    held = mem.get("Server")
    assert markdown(mem, other).count(Fate.PROPOSED) == 1
    assert markdown(mem, page).count(Fate.UNCHANGED) == 6
    assert mem.get("Server") == held
    swap(other, "Hono", "Hapi")
    assert fates(markdown(mem, other)) == {"Hapi": "revised"}
    assert mem.get("Server") == held


def test_a_key_that_says_the_same_already_is_known(mem: Memory, page: Path) -> None:
    other = page.with_name("AGENTS.md")
    other.write_text("## Decisions\n- **Server**: Fastify, not Express\n")
    markdown(mem, page)
    held = mem.get("Server")
    assert markdown(mem, other).count(Fate.UNCHANGED) == 1
    assert mem.get("Server") == held
    other.write_text("## Decisions\n")
    markdown(mem, other)
    assert mem.get("Server") == held


def test_entries_that_are_there_twice_are_two_records(mem: Memory, page: Path) -> None:
    page.write_text("# A\n- same\n- same\n- **k**: one\n- **k**: two\n\n# A\n- same\n")
    assert markdown(mem, page).count(Fate.ADDED) == 5
    assert mem.get("k").text == "one"
    assert "**k**: two" in known(mem)
    assert markdown(mem, page).count(Fate.UNCHANGED) == 5
    page.write_text("# A\n- same\n- **k**: one\n")
    assert markdown(mem, page).count(Fate.FORGOTTEN) == 3
    assert mem.count({"text": "same"}) == 1


def test_secrets_are_sealed_and_not_shown(mem: Memory, page: Path) -> None:
    secret = "quartz-9-bramble-lake"
    page.write_text(f"- the password is {secret}\n- **Password**: `{secret}`\n- a #b\n")
    report = markdown(mem, page, dry_run=True)
    assert secret not in repr(report)
    report = markdown(mem, page)
    assert report.sealed >= 1
    assert secret not in repr(report) + repr(known(mem))
    assert markdown(mem, page).count(Fate.UNCHANGED) == 3


def test_a_dry_run_tells_and_writes_nothing(mem: Memory, page: Path) -> None:
    told = markdown(mem, page, dry_run=True)
    assert not told.applied
    assert told.count(Fate.ADDED) == 6
    assert mem.count() == 0
    markdown(mem, page)
    swap(page, "Uses tabs", "Uses spaces")
    there = stands(mem)
    assert fates(markdown(mem, page, dry_run=True))["Uses spaces"] == "revised"
    assert stands(mem) == there


def test_a_folder_that_moved_is_known_again(mem: Memory, page: Path) -> None:
    markdown(mem, page)
    mem.edit("Server", "Koa")
    there = {text: found[0] for text, found in stands(mem).items()}
    page = page.parent.rename(page.parent.with_name("elsewhere")) / page.name
    swap(page, "Uses tabs", "Uses spaces")
    report = markdown(mem, page)
    assert fates(report)["Uses spaces"] == "revised"
    assert report.count(Fate.ADDED) == 0
    now = {text: found[0] for text, found in stands(mem).items()}
    assert sorted(now.values()) == sorted(there.values())
    swap(page, "Fastify, not Express", "Hono")
    assert fates(markdown(mem, page))["Hono"] == "conflict"
    assert mem.get("Server").trust == "user"


def test_files_of_one_name_in_two_folders_are_two(mem: Memory, page: Path) -> None:
    other = page.parent / "b" / page.name
    other.parent.mkdir()
    other.write_text("- quite another thing\n- Uses tabs\n- and one more\n")
    markdown(mem, page)
    there = stands(mem)
    markdown(mem, other)
    assert mem.count({"text": "Uses tabs"}) == 2
    other.write_text("- quite another thing\n")
    markdown(mem, other)
    assert {text: stands(mem)[text] for text in there} == there


def test_an_agent_brings_its_own_notes(mem: Memory, page: Path) -> None:
    finn = mem.agent("finn", project="web")
    report = markdown(finn, page)
    assert report.scope == "project/web/agent/finn"
    assert {record.source for record in known(finn).values()} == {"finn"}
    assert markdown(finn, page).count(Fate.UNCHANGED) == 6
    assert markdown(mem.project("web"), page, scope="project/web").count(Fate.ADDED) == 6
    with pytest.raises(ForbiddenError):
        markdown(finn, page, scope="project/other")
    with pytest.raises(ForbiddenError):
        markdown(mem.agent("ann", project="web", role="reader"), page)


def test_records_that_lost_their_mark_are_left_alone(mem: Memory, page: Path) -> None:
    markdown(mem, page)
    [one] = [record for record in known(mem).values() if record.text == "Uses tabs"]
    mem.edit(one.id, data={"file": "context.md", "import": {"rev": "x"}})
    report = markdown(mem, page)
    assert fates(report)["Uses tabs"] == "added"
    assert mem.get(one.id).rev == 2


@pytest.mark.parametrize("kind", STORES)
def test_two_who_import_at_once_do_it_once(kind: str, tmp_path: Path) -> None:
    page = tmp_path / "context.md"
    with lamina.open(where(kind, tmp_path / "store")) as mem:
        mem.configure("recall.embedder", "off")
        for text, added in ((PAGE, 6), (PAGE.replace("tabs", "spaces") + "- more\n", 1)):
            page.write_text(text)
            with ThreadPoolExecutor(4) as pool:
                reports = list(pool.map(lambda _: markdown(mem, page), range(4)))
            assert sum(report.count(Fate.ADDED) for report in reports) == added
        assert mem.count() == 7
        assert mem.count({"state": "proposed"}) == 0


def test_what_is_no_note_is_refused(mem: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    for path in (tmp_path / "a.txt", tmp_path / "missing.md", ""):
        with pytest.raises(InvalidInputError, match="`path`"):
            markdown(mem, path)
