"""Agents write to the store, people to the files, and both find what the other wrote."""

import json

from lamina.core.record import State
from tests.files.desk import NOW, TASKS, WEB, Desk


def line_of(text: str, token: str) -> str:
    return next(line for line in text.split("\n") if token in line)


def test_what_agents_learn_can_be_read(desk: Desk) -> None:
    desk.finn.now.update("Ship the parser", ["write tests", "review"])
    desk.finn.log.error("it broke\nbadly")
    desk.finn.knowledge.put("decision", "db", "SQLite")
    desk.finn.remember("Flaky tests hide races", kind="pitfall")
    desk.finn.session("s-1").append("user", "hello", id="m1")
    desk.finn.session("s-1").append("tool_call", "", id="t1", name="read", input={"path": "x"})
    desk.web.task.add("t-1", "Write the parser", milestone="m1", priority=2)
    desk.mem.remember("Be kind", kind="convention")
    desk.sync()
    assert "## Objective\n\nShip the parser\n" in desk.read(NOW)
    assert "- write tests\n- review\n" in desk.read(NOW)
    assert "**ERROR** it broke" in desk.read("projects/web/agents/finn/LOG.md")
    assert "## Decisions\n\n- **db**: SQLite ^" in desk.read()
    assert "Flaky tests" in desk.read("projects/web/agents/finn/MEMORY.md")
    assert "Be kind" in desk.read("MEMORY.md")
    assert json.loads(desk.read(TASKS))["tasks"][0]["milestone"] == "m1"
    lines = desk.read("projects/web/agents/finn/sessions/s-1.jsonl").splitlines()
    assert [json.loads(line)["role"] for line in lines] == ["user", "tool_call"]
    assert json.loads(lines[1])["input"] == {"path": "x"}
    index = json.loads(desk.read("projects/web/agents/finn/sessions/sessions.json"))
    assert index["sessions"][0]["messages"] == 2
    assert desk.read("projects/web/agents/finn/AGENT.md").startswith("---\nlamina: agent\n")


def test_a_second_sync_writes_nothing(desk: Desk) -> None:
    desk.web.knowledge.put("decision", "db", "SQLite")
    assert desk.sync().written == [WEB]
    before = desk.snapshot()
    assert desk.sync().written == []
    assert desk.snapshot() == before


def test_an_agent_without_a_project_has_its_own_folder(desk: Desk) -> None:
    desk.mem.agent("ada").now.update("Think")
    desk.sync()
    assert "Think" in desk.read("agents/ada/NOW.md")


def test_what_people_change_add_and_remove_flows_back(desk: Desk) -> None:
    for key in ("db", "api", "ui", "ci", "os", "fs"):
        desk.finn.knowledge.put("decision", key, f"the first {key}")
    desk.sync()
    gone = line_of(desk.read(), "first ui")
    desk.edit(
        lambda text: (
            text.replace("the first db", "the second db").replace(f"{gone}\n", "")
            + "\n## Deployment\n\n- on Fridays\n"
        )
    )
    report = desk.sync()
    assert (report.added, report.changed, report.forgotten) == (1, 1, 1)
    held = desk.web.knowledge.get("decision", "db")
    assert held is not None
    assert held.text == "the second db"
    assert (held.source, held.trust.value) == ("user", "user")
    assert desk.mem.history(held.id)[-1].event.surface == "files"
    assert desk.web.knowledge.get("decision", "ui") is None
    assert "## Deployment\n\n- on Fridays ^" in desk.read()
    assert desk.sync().changes == 0


def test_one_edit_is_one_transaction_that_can_be_undone(desk: Desk) -> None:
    desk.finn.knowledge.put("decision", "db", "SQLite")
    desk.sync()
    desk.edit(lambda text: text.replace("SQLite", "Postgres") + "- and more\n")
    desk.sync()
    held = desk.web.knowledge.get("decision", "db")
    assert held is not None
    desk.mem.undo(desk.mem.history(held.id)[-1].event.tx)
    desk.sync()
    assert desk.texts() == ["SQLite"]
    assert "and more" not in desk.read()


def test_where_both_changed_one_entry_both_are_kept(desk: Desk) -> None:
    desk.finn.knowledge.put("decision", "db", "SQLite")
    desk.sync()
    desk.edit(lambda text: text.replace("SQLite", "Postgres"))
    desk.finn.knowledge.put("decision", "db", "DuckDB")
    report = desk.sync()
    assert len(report.clashes) == 1
    assert desk.texts() == ["Postgres"]
    proposals = desk.web.knowledge.proposals()
    assert [(one.text, one.source) for one in proposals] == [("DuckDB", "finn")]
    desk.mem.accept(proposals[0].id)
    desk.sync()
    assert "DuckDB" in desk.read()


def test_who_changes_what_the_other_removed_keeps_it(desk: Desk) -> None:
    first = desk.finn.remember("one about herons", scope="project/web").id
    second = desk.finn.remember("two about owls", scope="project/web").id
    for n in range(8):
        desk.finn.remember(f"filler {n}", scope="project/web")
    desk.sync()
    desk.edit(
        lambda text: text.replace("herons", "wrens").replace(line_of(text, "owls") + "\n", "")
    )
    desk.mem.forget(first)
    desk.finn.edit(second, "two about eagle owls")
    report = desk.sync()
    assert "one about wrens" in desk.texts()
    assert "two about eagle owls" in desk.texts()
    assert any(second in notice for notice in report.notices)


def test_an_old_file_saved_late_takes_nothing_back(desk: Desk) -> None:
    desk.finn.knowledge.put("decision", "db", "SQLite")
    desk.sync()
    opened = desk.read()
    for n in range(5):
        desk.finn.knowledge.put("fact", f"k{n}", f"learnt meanwhile {n}")
        desk.finn.knowledge.put("decision", "db", f"SQLite, version {n}")
        desk.sync()
    desk.edit(lambda _: opened + "- written all the while\n")
    report = desk.sync()
    assert (report.added, report.changed, report.forgotten, report.clashes) == (1, 0, 0, [])
    assert "SQLite, version 4" in desk.texts()
    assert "written all the while" in desk.texts()
    assert len([text for text in desk.texts() if text.startswith("learnt")]) == 5


def test_order_title_and_front_matter_stay_as_people_put_them(desk: Desk) -> None:
    for n in range(4):
        desk.finn.remember(f"fact number {n}", scope="project/web")
    desk.sync()
    last = line_of(desk.read(), "number 3")
    desk.edit(
        lambda text: (
            text.replace(f"{last}\n", "")
            .replace("## Facts\n\n", f"## Facts\n\n{last}\n")
            .replace("---\n", "---\naliases: [web]\n", 1)
            .replace("# Memory", "# What the web team knows")
            + "\n## Later\n"
        )
    )
    desk.sync()
    text = desk.read()
    assert text.index("number 3") < text.index("number 0")
    assert "aliases: [web]\n" in text
    assert "# What the web team knows\n" in text
    assert "## Later\n" in text
    for path in sorted(desk.root.rglob("MEMORY.md*")):
        path.unlink()
    desk.sync()
    assert desk.read() == text


def test_a_line_that_is_moved_to_another_heading_changes_its_kind(desk: Desk) -> None:
    desk.finn.knowledge.put("fact", "db", "SQLite")
    desk.sync()
    desk.edit(lambda text: text.replace("## Facts", "## Decisions"))
    desk.sync()
    held = desk.web.knowledge.get("decision", "db")
    assert held is not None
    assert held.rev == 2


def test_a_key_that_somebody_wrote_twice_is_lost_on_neither(desk: Desk) -> None:
    desk.finn.knowledge.put("fact", "db", "SQLite")
    desk.sync()
    desk.edit(lambda text: text + "- **db**: and another\n- **new**: x\n- **new**: y\n")
    desk.sync()
    assert desk.texts() == ["**db**: and another", "**new**: y", "SQLite", "x"]


def test_a_line_that_was_copied_with_its_id_becomes_an_entry_of_its_own(desk: Desk) -> None:
    made = desk.finn.remember("the original", scope="project/web").id
    desk.sync()
    line = line_of(desk.read(), "original")
    desk.edit(
        lambda text: text.replace(line, f"{line.replace('original', 'copy')}\n{line}\n{line}")
    )
    desk.sync()
    assert desk.texts() == ["the copy", "the original"]
    assert desk.mem.get(made).text == "the original"


def test_ids_that_were_stripped_double_nothing(desk: Desk) -> None:
    for n in range(5):
        desk.finn.remember(f"fact number {n}", scope="project/web")
    desk.finn.knowledge.put("fact", "db", "SQLite")
    desk.sync()
    before = desk.read()
    desk.edit(lambda text: "\n".join(line.split(" ^")[0] for line in text.split("\n")))
    assert desk.sync().changes == 0
    assert desk.read() == before


def test_a_file_that_lost_much_is_put_back_and_asked_about(desk: Desk) -> None:
    for n in range(6):
        desk.finn.remember(f"fact number {n}", scope="project/web")
    desk.sync()
    desk.edit(lambda text: "\n".join(line for line in text.split("\n") if "number" not in line))
    report = desk.sync()
    assert len(desk.texts()) == 6
    assert desk.read().count("fact number") == 6
    assert "6 of its entries are gone" in report.asides[0].why[0]
    assert (desk.root / report.asides[0].copy).exists()
    desk.files = type(desk.files)(desk.mem, desk.root, ask=lambda file, lost: len(lost) == 6)
    desk.sync()
    assert desk.texts() == []


def test_half_a_file_changes_nothing(desk: Desk) -> None:
    for n in range(6):
        desk.finn.remember(f"fact number {n} is here", scope="project/web")
    desk.sync()
    whole, texts = desk.read(), desk.texts()
    for end in range(0, len(whole) - 120, 7):
        desk.edit(lambda _, end=end: whole[:end] if end else "\n")  # type: ignore[misc]
        desk.sync()
        assert desk.texts() == texts
        assert desk.read() == whole


def test_a_person_sets_the_objective(desk: Desk) -> None:
    desk.finn.now.update("Ship the parser", ["one"])
    desk.sync()
    desk.edit(lambda text: text.replace("Ship the parser", "Fix the build"), NOW)
    desk.edit(lambda text: text.replace("- one", "1. two\n2) three"), NOW)
    desk.sync()
    status = desk.finn.now.read()
    assert status.objective == "Fix the build"
    assert status.next_steps == ("two", "three")
    assert "- two\n- three\n" in desk.read(NOW)


def test_tasks_are_edited_by_hand(desk: Desk) -> None:
    desk.web.task.add("t-1", "Parser", priority=1)
    desk.web.task.add("t-2", "Printer", blocked_by=["t-1"])
    desk.sync()

    def change(text: str) -> str:
        found = json.loads(text)
        found["tasks"][0]["status"] = "done"
        found["tasks"].append({"id": "TASK-7", "description": "By hand", "status": "pending"})
        found["tasks"].append({"description": "Nobody named this one"})
        return json.dumps(found)

    desk.edit(change, TASKS)
    report = desk.sync()
    assert (report.added, report.changed, report.asides) == (2, 1, [])
    assert desk.web.task.get("t-1").data["completed"]
    assert desk.web.task.get("task-7").text == "By hand"
    assert desk.web.task.get("nobody-named-this-one").data["status"] == "open"
    assert [one.key for one in desk.web.task.ready()][:1] != ["t-1"]


def test_a_task_that_makes_no_sense_is_refused_and_the_others_are_taken(desk: Desk) -> None:
    desk.web.task.add("t-1", "Parser")
    desk.web.task.add("t-2", "Printer", blocked_by=["t-1"])
    desk.sync()

    def change(text: str) -> str:
        found = json.loads(text)
        by_name = {task["id"]: task for task in found["tasks"]}
        by_name["t-2"]["status"] = "done"
        by_name["t-1"]["priority"] = 5
        found["tasks"].append({"id": "t-3", "description": "x", "status": "maybe"})
        found["tasks"].append({"id": "t-4", "description": "x", "blocked_by": ["nobody"]})
        return json.dumps(found)

    desk.edit(change, TASKS)
    report = desk.sync()
    assert len(report.asides[0].why) == 3
    assert desk.web.task.get("t-1").data["priority"] == 5
    assert desk.web.task.get("t-2").data["status"] == "open"
    assert desk.mem.count({"layer": "task"}) == 2


def test_one_way_files_are_written_again_and_edits_kept_aside(desk: Desk) -> None:
    desk.finn.log.thought("hm")
    desk.sync()
    log = "projects/web/agents/finn/LOG.md"
    before = desk.read(log)
    for _ in range(2):
        desk.edit(lambda text: text.replace("hm", "well"), log)
        report = desk.sync()
        assert desk.read(log) == before
        assert "well" in (desk.root / report.asides[0].copy).read_text()
    assert [entry.text for entry in desk.finn.log.tail()] == ["hm"]


def test_a_secret_written_into_a_file_is_sealed_there_too(desk: Desk) -> None:
    desk.finn.remember("something", scope="project/web")
    desk.sync()
    desk.edit(lambda text: text + "- the deploy password is tangerine-42-Lagoon\n")
    desk.sync()
    assert "tangerine" not in desk.read()
    assert "secret://" in desk.read()
    stored = desk.mem.query({"state": {"$in": [state.value for state in State]}}, limit=100)
    assert "tangerine" not in repr(stored)


def test_more_than_fits_is_left_out_and_forgotten_by_nobody(desk: Desk) -> None:
    for n in range(60):
        desk.finn.remember(f"number {n} " + "x" * 1_000, scope="project/web", importance=n / 60)
    desk.sync()
    text = desk.read()
    assert len(text) < 51_000
    assert "number 59 " in text
    assert "number 0 " not in text
    assert "more are in the store" in text
    desk.edit(lambda text: text.replace("number 59 ", "number fifty-nine "))
    assert desk.sync().forgotten == 0
    assert desk.mem.count({"layer": "knowledge"}) == 60


def test_a_file_that_has_nothing_to_say_any_more_goes(desk: Desk) -> None:
    made = desk.finn.remember("the only one", scope="project/web").id
    desk.sync()
    desk.mem.forget(made)
    assert desk.sync().written == [WEB]
    assert not (desk.root / WEB).exists()
    assert desk.sync().written == []
    desk.finn.remember("another one", scope="project/web")
    desk.sync()
    assert "another one" in desk.read()
