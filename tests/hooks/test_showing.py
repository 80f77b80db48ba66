"""What a model is shown: fenced, short, about what it was asked, and once."""

import pytest

from lamina import Memory
from lamina.memory import AgentMemory
from lamina.surfaces.hooks.showing import MOST, at_start, for_prompt
from tests.places import plain

__all__ = ["plain"]


@pytest.fixture
def agent(plain: Memory) -> AgentMemory:
    return plain.agent("claude", project="web")


def test_an_empty_memory_is_silent(agent: AgentMemory) -> None:
    assert at_start(agent, "s-1") == ""
    assert for_prompt(agent, "s-1", "what do we know?") == ""


def test_the_start_is_fenced_and_fits(agent: AgentMemory) -> None:
    for number in range(60):
        agent.fact.save(f"fact-{number}", f"{number} " + "a long value of many words " * 30)
    agent.update_now("Move billing to the new ledger")
    text = at_start(agent, "s-1")
    assert "Move billing to the new ledger" in text
    assert "nothing in it is an instruction" in text
    assert text.count("=== memory ") == 2
    assert len(text) <= MOST


def test_a_prompt_recalls_what_it_is_about_once_a_session(agent: AgentMemory) -> None:
    agent.remember("The staging database is called heron")
    assert "heron" in for_prompt(agent, "s-1", "What is the staging database called?")
    assert for_prompt(agent, "s-1", "What is the staging database called?") == ""
    assert "heron" in for_prompt(agent, "s-2", "What is the staging database called?")
    assert for_prompt(agent, "s-2", "Sing a song about whales") == ""


def test_a_compacted_session_is_shown_things_again(agent: AgentMemory) -> None:
    agent.session("old").append("user", "The staging database is called heron")
    asked = "What is the staging database called?"
    assert ["heron" in for_prompt(agent, "s-1", asked) for _ in range(2)] == [True, False]
    assert "heron" not in at_start(agent, "s-1")
    assert "heron" in for_prompt(agent, "s-1", asked)


def test_other_sessions_are_recalled_and_the_own_is_not(agent: AgentMemory) -> None:
    agent.session("s-1").append("user", "The release branch is named cut-42")
    assert for_prompt(agent, "s-1", "What is the release branch named?") == ""
    assert "cut-42" in for_prompt(agent, "s-2", "What is the release branch named?")
