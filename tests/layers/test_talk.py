"""Working memory, notebooks and sessions: what an agent has in mind, notes and hears."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from lamina import ConflictError, InvalidInputError, Memory
from tests.places import STORES, where


@pytest.fixture(params=STORES)
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        yield opened


def test_working_memory_is_of_this_process_until_it_is_kept(whole: Memory) -> None:
    finn = whole.agent("finn", project="web")
    plan = ["read", "write"]
    finn.working.set("plan", plan)
    plan.append("rest")
    assert finn.working.get("plan") == ["read", "write"]
    again = whole.agent("finn", project="web")
    assert again.working.all() == {}
    assert again.working.restore() is False
    finn.working.snapshot()
    assert again.working.restore() is True
    assert again.working.all() == {"plan": ["read", "write"]}
    assert again.working.updated_at is not None
    finn.working.clear()
    assert finn.working.get("plan") is None
    with pytest.raises(InvalidInputError):
        finn.working.set("thing", object())


def test_working_memory_is_private(whole: Memory) -> None:
    finn = whole.agent("finn", project="web")
    finn.working.set("scratchpad", "the heron codeword")
    finn.working.snapshot()
    maya = whole.agent("maya", project="web")
    assert maya.working.restore() is False
    assert maya.query({"layer": "working"}) == []
    assert maya.recall("heron codeword", k=5).hits == ()


def test_a_notebook_belongs_to_a_task(whole: Memory) -> None:
    finn = whole.agent("finn", project="web")
    book = finn.notebook("t-1")
    book.note("the lexer drops tabs")
    book.reason("design", "a table is simpler than a class")
    book.tool_output("pytest", "3 failed", status=1)
    assert [note.kind for note in book.read()] == ["note", "reasoning", "tool_output"]
    assert [note.text for note in book.read(stage="design")] == ["a table is simpler than a class"]
    assert book.search("lexer tabs").hits[0].record.text == "the lexer drops tabs"
    finn.notebook("t-2").note("something else")
    receipt = book.discard()
    assert receipt is not None
    assert book.read() == []
    assert len(finn.notebook("t-2").read()) == 1
    finn.undo(receipt.tx)
    assert len(book.read()) == 3
    assert finn.notebook("t-3").discard() is None


def test_a_session_is_appended_to_and_read_in_order(whole: Memory) -> None:
    finn = whole.agent("finn", project="web")
    talk = finn.session("s-1")
    talk.append("user", "where is the parser?")
    talk.extend([
        {"role": "tool_call", "text": "grep parser", "id": "c-1", "tool": "grep"},
        {"role": "tool_result", "text": "src/parser.py", "id": "c-1"},
        {"role": "assistant", "text": "in src/parser.py"},
    ])  # fmt: skip
    assert [message.kind for message in talk.read()] == [
        "user", "tool_call", "tool_result", "assistant",
    ]  # fmt: skip
    assert [message.text for message in talk.read(last=1)] == ["in src/parser.py"]
    assert talk.read()[1].data == {"tool": "grep"}
    finn.session("s-2").append("user", "hello")
    assert finn.session.names() == ["s-2", "s-1"]
    assert [hit.record.text for hit in talk.search("grep parser", k=1).hits] == ["grep parser"]


def test_a_step_of_a_session_is_kept_whole_or_not_at_all(whole: Memory) -> None:
    talk = whole.agent("finn", project="web").session("s-1")
    talk.append("tool_call", "grep", id="c-1")
    with pytest.raises(ConflictError):
        talk.extend(
            [{"role": "user", "text": "x"}, {"role": "tool_call", "text": "y", "id": "c-1"}]
        )
    with pytest.raises(InvalidInputError, match="role"):
        talk.append("narrator", "once upon a time")
    with pytest.raises(InvalidInputError, match="messages"):
        talk.extend([{"role": "user"}])
    assert len(talk.read()) == 1
