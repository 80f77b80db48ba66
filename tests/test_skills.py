"""The five skills: what a model is told of them is what they take."""

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import InvalidInputError, skills
from lamina.memory import AgentMemory
from lamina.skills import Skill
from tests.places import STORES, where

ARGUMENTS: dict[str, dict[str, Any]] = {
    "update_status": {"new_status": "reading the CSV", "next_steps": ["sum it up"]},
    "log_activity": {"entry_type": "TOOL_USE", "content": "ran", "metadata": {"tool": "make"}},
    "recall_memory": {"query": "which currency?", "n_results": 3},
    "save_fact": {"key": "currency", "value": "USD", "category": "preference"},
    "get_fact": {"key": "currency"},
}
"""All that each skill takes."""
WRONG = {"string": 3, "integer": "three", "array": "one", "object": []}


@pytest.fixture(params=STORES)
def finn(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AgentMemory]:
    with lamina.open(where(request.param, tmp_path / "store")) as mem:
        mem.configure("recall.embedder", "off")
        yield mem.agent("finn", project="web")


def by_name(agent: AgentMemory) -> dict[str, Skill]:
    return {skill.name: skill for skill in skills.for_agent(agent)}


def test_there_are_five_and_they_work(finn: AgentMemory) -> None:
    found = by_name(finn)
    assert list(found) == list(ARGUMENTS)
    found["update_status"].execute(**ARGUMENTS["update_status"])
    assert finn.now.read().next_steps == ("sum it up",)
    found["log_activity"].execute(**ARGUMENTS["log_activity"])
    assert finn.log.tail()[0].data == {"tool": "make"}
    kept = found["save_fact"].execute(**ARGUMENTS["save_fact"])
    assert kept == {"id": finn.fact.record("currency").id, "action": "created", "rev": 1}
    assert found["get_fact"].execute(key="currency") == {"key": "currency", "value": "USD"}
    assert found["get_fact"].execute(key="colour") == {"key": "colour", "value": None}
    [memory] = found["recall_memory"].execute(query="which currency?")["memories"]
    assert (memory["text"], memory["source"], memory["trust"]) == ("USD", "finn", "agent")
    assert found["recall_memory"].execute(query="quantum physics") == {"memories": []}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_what_a_model_is_told_is_what_the_function_takes(finn: AgentMemory, name: str) -> None:
    skill = by_name(finn)[name]
    taken = list(inspect.signature(getattr(skills, name)).parameters.items())[1:]
    properties = skill.parameters["properties"]
    assert list(properties) == [one for one, _ in taken] == list(ARGUMENTS[name])
    required = [one for one, parameter in taken if parameter.default is parameter.empty]
    assert skill.parameters["required"] == required
    assert skill.description
    assert all(told["description"] for told in properties.values())
    json.dumps(skill.execute(**ARGUMENTS[name]))
    skill.execute(**{one: ARGUMENTS[name][one] for one in required})
    assert json.loads(json.dumps(skill.metadata))["name"] == name


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_wrong_argument_is_named(finn: AgentMemory, name: str) -> None:
    skill = by_name(finn)[name]
    for argument, told in skill.parameters["properties"].items():
        whole = ARGUMENTS[name]
        for wrong in (WRONG[told["type"]], True):
            with pytest.raises(InvalidInputError, match=f"`{argument}`"):
                skill.execute(**{**whole, argument: wrong})
        if argument in skill.parameters["required"]:
            rest = {one: value for one, value in whole.items() if one != argument}
            with pytest.raises(InvalidInputError, match=f"`{argument}` is missing"):
                skill.execute(**rest)
            with pytest.raises(InvalidInputError, match=f"`{argument}`"):
                skill.execute(**{**whole, argument: None})
        if "enum" in told:
            with pytest.raises(InvalidInputError, match=rf"`{argument}`.*{told['enum'][0]}"):
                skill.execute(**{**whole, argument: "gossip"})
    with pytest.raises(InvalidInputError, match=r"`agent_name`.*" + name) as caught:
        skill.execute(**whole, agent_name="maya")
    assert caught.value.remedy is not None
    assert "It takes" in caught.value.remedy


def test_a_model_may_write_null_for_what_it_leaves_out(finn: AgentMemory) -> None:
    by_name(finn)["update_status"].execute(new_status="reading", next_steps=None)
    assert finn.now.read().objective == "reading"


@pytest.mark.parametrize("wrong", [0, 51, -1])
def test_numbers_have_bounds(finn: AgentMemory, wrong: int) -> None:
    with pytest.raises(InvalidInputError, match="`n_results` must be from 1 to 50"):
        by_name(finn)["recall_memory"].execute(query="x", n_results=wrong)
