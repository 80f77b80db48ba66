"""When a task ends: its notes, its milestone, and what others still wait for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from lamina import ConflictError, ForbiddenError, InvalidInputError, Memory, NotFoundError
from tests.places import STORES, where


@pytest.fixture(params=STORES)
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        yield opened


@pytest.fixture
def finn(whole: Memory) -> Memory:
    agent = whole.agent("finn", project="web")
    agent.task.add("lexer", "write the lexer", milestone="m1")
    agent.task.move("lexer", "active")
    return agent


def texts(records: list[lamina.Record]) -> list[str]:
    return [one.text for one in records]


def test_at_the_end_marked_notes_are_promoted_and_all_are_archived(finn: Memory) -> None:
    book, other = finn.notebook("lexer"), finn.notebook("parser")
    book.note("tabs count as one character", promote="pitfall")
    book.reason("design", "a table is simpler")
    other.note("another task")
    receipt = finn.task.move("lexer", "done")
    assert receipt.id == finn.task.get("lexer").id
    assert book.read() == []
    assert texts(book.read(archived=True)) == ["tabs count as one character", "a table is simpler"]
    [known] = finn.knowledge.query()
    assert (known.kind, known.text) == ("pitfall", "tabs count as one character")
    assert "promote" not in known.data
    assert texts(other.read()) == ["another task"]


def test_archived_notes_are_found_when_they_are_asked_for(finn: Memory) -> None:
    book = finn.notebook("lexer")
    book.note("tabs count as one character")
    finn.task.move("lexer", "dropped")
    assert finn.recall("tabs character").hits == ()
    [hit] = book.search("tabs character", where={"state": "archived"}).hits
    assert hit.record.text == "tabs count as one character"
    [hit] = finn.recall("tabs character", where={"state": "archived"}).hits
    assert hit.record.layer == "notebook"


def test_the_end_of_a_task_is_one_change_that_can_be_undone(finn: Memory) -> None:
    book = finn.notebook("lexer")
    book.note("tabs count as one", promote="pitfall")
    receipt = finn.task.move("lexer", "done", note="all green", notebook="discard")
    assert (book.read(), book.read(archived=True)) == ([], [])
    assert len(finn.knowledge.query()) == 1
    finn.undo(receipt.tx)
    assert finn.task.get("lexer").data["status"] == "active"
    assert "completed" not in finn.task.get("lexer").data
    assert texts(book.read()) == ["tabs count as one"]
    assert finn.knowledge.query() == []


def test_notes_may_stay(finn: Memory) -> None:
    finn.notebook("lexer").note("still needed", promote="fact")
    finn.task.move("lexer", "done", notebook="keep")
    assert texts(finn.notebook("lexer").read()) == ["still needed"]
    assert texts(finn.knowledge.query()) == ["still needed"]


def test_a_refused_end_changes_nothing(finn: Memory) -> None:
    finn.task.add("tables", "draw the tables")
    finn.task.change("lexer", blocked_by=["tables"])
    book = finn.notebook("lexer")
    book.note("tabs count as one", promote="pitfall")
    with pytest.raises(ConflictError, match="waits for tables"):
        finn.task.move("lexer", "done")
    with pytest.raises(InvalidInputError, match="notebook"):
        finn.task.move("lexer", "dropped", notebook="burn")
    assert (len(book.read()), finn.knowledge.query()) == (1, [])
    assert finn.task.get("lexer").data["status"] == "active"


def test_a_mark_that_names_no_kind_does_not_hold_the_task_up(finn: Memory) -> None:
    book = finn.notebook("lexer")
    book.note("fine", promote="fact")
    # Written past the face: otherwise any agent could keep a task from ever ending.
    for mark in ("no kind", ["fact"], 7):
        finn.remember("bad mark", layer="notebook", scope=book.scope, data={"promote": mark})
    finn.task.move("lexer", "done")
    assert [one.text for one in finn.knowledge.query()] == ["fine"]
    assert (len(book.read()), len(book.read(archived=True))) == (0, 4)


def test_a_mark_that_names_no_kind_is_refused_at_once(finn: Memory) -> None:
    for mark in ("no kind", True, None, ""):
        with pytest.raises(InvalidInputError, match="kind"):
            finn.notebook("lexer").note("x", promote=mark)
    assert finn.notebook("lexer").read() == []


def test_opening_again_brings_the_notes_back(finn: Memory) -> None:
    book = finn.notebook("lexer")
    book.note("tabs count as one", promote="pitfall")
    finn.remember("step 3", layer="notebook", key="step", scope=book.scope)
    finn.task.move("lexer", "done")
    assert finn.task.get("lexer").data["completed"]
    finn.remember("step 4", layer="notebook", key="step", scope=book.scope)
    finn.task.move("lexer", "open")
    assert "completed" not in finn.task.get("lexer").data
    assert sorted(texts(book.read())) == ["step 4", "tabs count as one"]
    finn.task.move("lexer", "active")
    finn.task.move("lexer", "done")
    # What was promoted at the first end is not promoted twice.
    assert texts(finn.knowledge.query()) == ["tabs count as one"]
    assert finn.knowledge.proposals() == []


def test_an_agent_ends_a_task_for_its_own_notes_and_others_tidy_theirs(
    whole: Memory, finn: Memory
) -> None:
    maya = whole.agent("maya", project="web")
    maya.notebook("lexer").note("mine", promote="pattern")
    maya.notebook("printer").note("goes on")
    finn.notebook("lexer").note("his")
    finn.task.move("lexer", "done")
    assert texts(maya.notebook("lexer").read()) == ["mine"]
    assert maya.task.tidy() is not None
    assert maya.task.tidy() is None
    assert maya.notebook("lexer").read() == []
    assert texts(maya.notebook("lexer").read(archived=True)) == ["mine"]
    assert texts(maya.notebook("printer").read()) == ["goes on"]
    assert texts(finn.knowledge.query("pattern")) == ["mine"]


def test_an_orchestrator_ends_a_task_for_all_agents(whole: Memory, finn: Memory) -> None:
    boss = whole.agent("boss", project="web", role="orchestrator")
    maya = whole.agent("maya", project="web")
    finn.notebook("lexer").note("his", promote="fact")
    maya.notebook("lexer").note("hers")
    shop = whole.agent("finn", project="shop")
    shop.notebook("lexer").note("another project")
    boss.task.move("lexer", "done")
    assert (finn.notebook("lexer").read(), maya.notebook("lexer").read()) == ([], [])
    assert texts(shop.notebook("lexer").read()) == ["another project"]
    [known] = finn.knowledge.query()
    assert (known.source, known.trust) == ("finn", "agent")


def test_ending_a_task_is_no_review_of_what_others_marked(whole: Memory, finn: Memory) -> None:
    whole.configure("knowledge.accept", "review")
    boss = whole.agent("boss", project="web", role="orchestrator")
    finn.notebook("lexer").note("from an agent", promote="fact")
    boss.remember("from the boss", layer="notebook", scope="project/web/task/lexer",
                  data={"promote": "fact"})  # fmt: skip
    boss.task.move("lexer", "done")
    assert texts(boss.knowledge.query()) == ["from the boss"]
    assert texts(boss.knowledge.proposals()) == ["from an agent"]


def test_a_reader_ends_nothing(whole: Memory, finn: Memory) -> None:
    finn.notebook("lexer").note("his")
    with pytest.raises(ForbiddenError):
        whole.agent("eve", project="web", role="reader").task.move("lexer", "done")
    assert texts(finn.notebook("lexer").read()) == ["his"]


def test_a_notebook_is_archived_by_hand_too(finn: Memory) -> None:
    book = finn.notebook("lexer")
    assert book.archive() is None
    book.note("tabs count as one")
    receipt = book.archive()
    assert receipt is not None
    assert (book.read(), texts(book.read(archived=True))) == ([], ["tabs count as one"])
    finn.undo(receipt.tx)
    assert texts(book.read()) == ["tabs count as one"]


def test_a_task_has_the_fields_of_the_design(finn: Memory) -> None:
    finn.task.add("parser", "write the parser", milestone="m1", priority=2,
                  acceptance=["tests pass"], blocked_by=["lexer"])  # fmt: skip
    finn.task.move("lexer", "done")
    lexer, parser = finn.task.get("lexer"), finn.task.get("parser")
    assert (parser.key, parser.text) == ("parser", "write the parser")
    assert parser.data == {
        "milestone": "m1", "priority": 2, "status": "open", "acceptance": ["tests pass"],
        "blocked_by": ["lexer"],
    }  # fmt: skip
    completed = lexer.data["completed"]
    assert isinstance(completed, str)
    assert lexer.created_at.isoformat()[:10] <= completed[:10]


def test_a_milestone_is_archived_when_all_its_tasks_have_ended(finn: Memory) -> None:
    finn.task.add("parser", "write the parser", milestone="m1")
    finn.task.add("later", "something else", milestone="m2")
    finn.task.move("lexer", "done")
    with pytest.raises(ConflictError, match="parser"):
        finn.task.archive("m1")
    assert len(finn.task.query(milestone="m1")) == 2
    finn.task.move("parser", "dropped")
    receipt = finn.task.archive("m1")
    assert [one.key for one in finn.task.query()] == ["later"]
    assert [one.key for one in finn.task.query(archived=True)] == ["lexer", "parser"]
    assert [one.key for one in finn.task.query(archived=True, status="done")] == ["lexer"]
    assert finn.task.get("lexer").state == "archived"
    with pytest.raises(NotFoundError, match="m1"):
        finn.task.archive("m1")
    finn.undo(receipt.tx)
    assert len(finn.task.query(milestone="m1")) == 2


def test_what_waits_for_an_archived_task_does_not_wait_for_ever(finn: Memory) -> None:
    finn.task.move("lexer", "done")
    finn.task.add("parser", "write the parser", blocked_by=["lexer"])
    finn.task.archive("m1")
    assert [one.key for one in finn.task.ready()] == ["parser"]
    finn.task.add("printer", "write the printer", blocked_by=["lexer"])
    assert {one.key for one in finn.task.ready()} == {"parser", "printer"}
    for status in ("active", "done"):
        finn.task.move("parser", status)


def test_an_archived_task_is_neither_moved_nor_replaced(finn: Memory) -> None:
    finn.task.move("lexer", "done")
    finn.task.archive("m1")
    with pytest.raises(ConflictError, match="archived"):
        finn.task.add("lexer", "another one")
    with pytest.raises(NotFoundError, match="lexer"):
        finn.task.move("lexer", "open")
    with pytest.raises(NotFoundError, match="nobody"):
        finn.task.get("nobody")


def test_a_task_that_has_changed_since_is_not_moved(finn: Memory) -> None:
    seen = finn.task.get("lexer")
    finn.task.change("lexer", "another text")
    with pytest.raises(ConflictError, match="has changed"):
        finn.task.move("lexer", "dropped", expect=seen.rev)
    assert finn.task.get("lexer").data["status"] == seen.data["status"]
    finn.task.move("lexer", "dropped", expect=seen.rev + 1)
    assert finn.task.get("lexer").data["status"] == "dropped"


def test_a_status_that_nobody_knows_is_as_good_as_open(finn: Memory) -> None:
    # Written past the face, as a file may have it.
    for name, data in (
        ("odd", {"status": "pending", "milestone": "m2"}),
        ("bare", {"priority": 1}),
    ):
        finn.remember("from a file", layer="task", key=name, scope="project/web", data=data)
    finn.task.change("lexer", blocked_by=["odd"])
    with pytest.raises(ConflictError, match="waits for odd"):
        finn.task.move("lexer", "done")
    with pytest.raises(ConflictError, match="odd"):
        finn.task.archive("m2")
    for name in ("odd", "bare"):
        with finn.task.attempt(name, approach="any"):
            pass
        finn.task.move(name, "active")
        finn.task.move(name, "done")
    finn.task.move("lexer", "done")


def test_more_notes_than_one_page_all_go(finn: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lamina.layers.face.PAGE", 3)
    for number in range(10):
        finn.notebook("lexer").note(f"note {number}")
    finn.task.move("lexer", "done")
    assert finn.notebook("lexer").read() == []
    assert len(finn.notebook("lexer").read(archived=True)) == 10
