"""Wrong arguments are refused by the name the caller knows; nothing odd hides what is right."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import ConflictError, InvalidInputError, Memory, NotFoundError
from lamina.layers.schemas import Schema
from tests.places import STORES, where


@pytest.fixture(params=STORES)
def finn(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        yield opened.agent("finn", project="web")


WRONG: list[tuple[str, Callable[[Any], Any]]] = [
    ("objective", lambda finn: finn.now.update(5)),
    ("next_steps", lambda finn: finn.now.update("x", next_steps="abc")),
    ("value", lambda finn: finn.fact.save("editor", 5)),
    ("category", lambda finn: finn.fact.save("editor", "helix", category="tools")),
    ("action", lambda finn: finn.episode.record("lexer", "tried")),
    ("tokens_in", lambda finn: finn.episode.record("lexer", "failed", tokens_in=-1)),
    ("ttl", lambda finn: finn.blackboard.publish("a", 1, ttl="soon")),
    ("priority", lambda finn: finn.task.add("a", "x", priority="high")),
    ("acceptance", lambda finn: finn.task.add("a", "x", acceptance="all tests pass")),
    ("blocked_by", lambda finn: finn.task.add("a", "x", blocked_by="lexer")),
    ("milestone", lambda finn: finn.task.add("a", "x", milestone=5)),
    ("tags", lambda finn: finn.project_tier.add_decision("x", "parser")),
    ("type", lambda finn: finn.item.query(type="idea")),
    ("to", lambda finn: finn.handoff.request("Maya", "review")),
    ("memory", lambda finn: finn.handoff.request("maya", "review", memory="notes")),
    ("action", lambda finn: finn.handoff.request("maya", " ")),
    ("n_results", lambda finn: finn.recall_memory("x", n_results=0)),
    ("entry_type", lambda finn: finn.append_log("NOPE", "x")),
]


@pytest.mark.parametrize(("argument", "call"), WRONG, ids=[argument for argument, _ in WRONG])
def test_a_wrong_argument_is_named_as_the_caller_knows_it(
    finn: Memory, argument: str, call: Callable[[Any], Any]
) -> None:
    with pytest.raises(InvalidInputError) as refused:
        call(finn)
    assert f"`{argument}`" in refused.value.message
    assert finn.count() == 0


def test_a_change_is_checked_like_a_new_task(finn: Memory) -> None:
    finn.task.add("lexer", "write the lexer", priority=2)
    with pytest.raises(InvalidInputError, match="`priority`"):
        finn.task.change("lexer", priority="high")  # type: ignore[arg-type]
    assert finn.task.get("lexer").data["priority"] == 2


def test_a_task_that_is_there_is_said_to_be_there(finn: Memory) -> None:
    finn.task.add("lexer", "write the lexer")
    with pytest.raises(ConflictError, match="there is a task 'lexer' already"):
        finn.task.add("lexer", "another")
    assert finn.task.get("lexer").text == "write the lexer"


def test_what_is_not_there_comes_with_a_way_out(finn: Memory) -> None:
    with pytest.raises(NotFoundError) as missing:
        finn.fact.record("editor")
    assert missing.value.remedy


def test_one_odd_task_does_not_hide_the_others(finn: Memory) -> None:
    finn.task.add("lexer", "write the lexer", priority=2)
    odd = {"status": "open", "priority": "high", "blocked_by": 5}
    finn.remember("odd", layer="task", key="odd", scope="project/web", data=odd)
    finn.task.add("parser", "write the parser", blocked_by=["lexer"])
    assert [one.key for one in finn.task.query()] == ["lexer", "odd", "parser"]
    assert [one.key for one in finn.task.ready()] == ["lexer", "odd"]
    finn.task.move("odd", "active")
    finn.task.move("odd", "done")


def test_odd_figures_of_one_episode_do_not_hide_the_others(finn: Memory) -> None:
    finn.episode.record("lexer", "completed", approach="by hand", duration_ms=10, tokens_in=5)
    odd: dict[str, Any] = {"approach": "by hand", "duration_ms": "long", "tokens_in": []}
    finn.remember("odd", layer="episode", kind="completed", scope="project/web", data=odd)
    [rate] = finn.episode.rates()
    assert (rate.completed, rate.duration_ms, rate.tokens) == (2, 10, 5)
    assert sum(span.tokens for span in finn.episode.trend("finn")) == 5


@pytest.mark.parametrize(
    "odd",
    [{}, {"namespaces": 5}, {"namespaces": {"task:": 5}}, {"namespaces": {"task:": {"a": 1}}}],
)
def test_an_odd_declaration_does_not_silence_the_board(finn: Memory, odd: dict[str, Any]) -> None:
    finn.remember("odd", layer="blackboard", kind="schema", key="schema", scope="project/web",
                  data=odd)  # fmt: skip
    finn.blackboard.publish("other:key", "done")
    finn.blackboard.declare("other:", Schema({"other:key": "text"}))
    assert finn.blackboard.read("other:key")
    assert "other:" in finn.blackboard.schemas()


@pytest.mark.parametrize("steps", [5, [1, 2], "abc", None])
def test_odd_steps_are_read_from_the_text(finn: Memory, steps: object) -> None:
    finn.remember("one\ntwo", layer="now", kind="next_steps", key="next_steps",
                  data={"steps": steps})  # fmt: skip
    assert finn.now.read().next_steps == ("one", "two")


def test_handles_and_faces_say_what_they_are(finn: Memory) -> None:
    assert repr(finn) == "<AgentMemory of project/web/agent/finn as finn (agent)>"
    assert repr(finn.now) == "<Now of project/web/agent/finn>"
    assert repr(finn.session("monday")) == "<Session of project/web/agent/finn/session/monday>"
