"""Sessions of the OpenAI Agents SDK in a memory: what its own tests do not ask."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, RunConfig, Runner, SessionSettings
from agents.testing import ScriptedModel, assistant_message

import lamina
from lamina import Memory
from lamina.adapters import openai_items
from lamina.adapters.naming import name_for
from lamina.adapters.openai_agents import LaminaSession
from lamina.errors import StoreUnavailableError
from lamina.memory import AgentMemory
from tests.places import plain

__all__ = ["plain"]

ITEMS: list[Any] = [
    {"role": "user", "content": "Where is my parcel?"},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA" * 50},
    {"type": "function_call", "call_id": "c1", "name": "track", "arguments": '{"id": 7}'},
    {"type": "function_call_output", "call_id": "c1", "output": "in Utrecht"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "It is in Utrecht."}]},
]
SECRET = "ghp_0123456789abcdefABCDEF0123456789abcd"
STRANGE: list[Any] = [
    {"role": "user", "content": f"my token is {SECRET}", "api_key": "q8-Zebra!9xx"},
    {"role": "user", "content": "half \ud83d a NUL \x00 and 2**80", "number": 2**80},
    {"role": "user", "content": [{"type": "input_text", "text": "x" * 1_500_000}]},
    {"role": "user", "content": "", "nested": {"deep": [None, 1.5, True, {"": "ä"}]}},
]


@pytest.fixture
def agent(plain: Memory) -> AgentMemory:
    return plain.agent("helper", project="shop")


def play(work: Callable[[], Awaitable[Any]]) -> Any:
    async def whole() -> Any:
        return await work()

    return asyncio.run(whole())


def test_items_come_back_as_they_were(agent: AgentMemory) -> None:
    session = LaminaSession("ticket-42", agent)

    async def work() -> None:
        await session.add_items(ITEMS)
        await session.add_items(STRANGE)
        assert await session.get_items() == ITEMS + STRANGE
        assert await LaminaSession("ticket-42", agent).get_items(3) == STRANGE[1:]
        assert [await session.pop_item() for _ in range(4)] == STRANGE[::-1]
        assert await session.get_items() == ITEMS
        await session.clear_session()
        assert [await session.get_items(), await session.pop_item()] == [[], None]

    play(work)


def test_what_was_said_is_found_and_secrets_are_not(agent: AgentMemory) -> None:
    session = LaminaSession("ticket-42", agent)
    play(lambda: session.add_items([*ITEMS, STRANGE[0]]))
    assert "in Utrecht" in {one.record.text for one in session.session.search("Utrecht").hits}
    kept = session.session.read()
    assert [one.kind for one in kept] == [
        "user", "assistant", "tool_call", "tool_result", "assistant", "user",
    ]  # fmt: skip
    assert kept[3].trust == "tool"
    assert SECRET not in str([(one.text, one.data) for one in kept])
    assert "Zebra" not in str([one.data for one in kept])


def test_a_store_that_is_away_does_not_turn_a_secret_into_its_reference(
    agent: AgentMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = LaminaSession("ticket-42", agent)
    play(lambda: session.add_items([STRANGE[0]]))
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(agent.store, "sealed", _away)
        with pytest.raises(StoreUnavailableError):
            play(session.get_items)
    assert play(session.get_items) == [STRANGE[0]]


def _away(_: object) -> Any:
    raise StoreUnavailableError("away")


def test_an_item_that_is_no_json_adds_nothing(agent: AgentMemory) -> None:
    session = LaminaSession("s", agent)
    unfit: Any = {"role": "user", "content": object()}
    with pytest.raises(TypeError):
        play(lambda: session.add_items([ITEMS[0], unfit]))
    assert agent.count({"layer": "session"}) == 0


def test_a_compacted_session_is_still_whole(agent: AgentMemory) -> None:
    session = LaminaSession("long", agent)
    many: list[Any] = [{"role": "user", "content": f"message {n}"} for n in range(30)]
    play(lambda: session.add_items(many))
    assert session.session.compact(force=True) is not None
    assert play(session.get_items) == many
    assert play(lambda: session.get_items(25)) == many[-25:]


def test_limits_are_those_of_the_settings_unless_said(agent: AgentMemory) -> None:
    session = LaminaSession("s", agent, session_settings=SessionSettings(limit=2))
    play(lambda: session.add_items(ITEMS))
    assert play(session.get_items) == ITEMS[-2:]
    assert play(lambda: session.get_items(4)) == ITEMS[-4:]
    assert play(lambda: session.get_items(0)) == []


@pytest.mark.parametrize(
    "name", ["Ada Lovelace", "ada@example.org", "x" * 100, "con", "ada-lovelace-9f0a9e1f2d3c4b5a"]
)
def test_any_text_names_a_session_of_its_own(name: str) -> None:
    made = name_for(name, "session_id")
    assert made == name_for(name, "session_id") != name
    assert name_for(made, "session_id") != made
    assert name_for("ticket-42", "session_id") == "ticket-42"


def test_a_cancelled_call_comes_to_its_end(
    agent: AgentMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = LaminaSession("s", agent)
    begun, go_on = threading.Event(), threading.Event()
    real = openai_items.drafts

    def slow(*arguments: Any) -> Any:
        begun.set()
        go_on.wait(10)
        return real(*arguments)

    monkeypatch.setattr(openai_items, "drafts", slow)

    async def work() -> None:
        adding = asyncio.create_task(session.add_items([ITEMS[0]]))
        await asyncio.to_thread(begun.wait, 10)
        for _ in range(2):
            adding.cancel()
            await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await adding
        assert await session.get_items() == [ITEMS[0]]

    play(work)


def test_an_agent_goes_on_where_it_was(agent: AgentMemory) -> None:
    model = ScriptedModel([[assistant_message(one)] for one in ("San Francisco.", "California.")])
    speaker = Agent(name="guide", model=model)
    quiet = RunConfig(tracing_disabled=True)

    async def work() -> None:
        for asked in ("Which city has the Golden Gate?", "In which state?"):
            session = LaminaSession("tour", agent)
            await Runner.run(speaker, asked, session=session, run_config=quiet)

    play(work)
    assert [one.kind for one in agent.session("tour").read()] == ["user", "assistant"] * 2
    [hit, *_] = agent.session("tour").search("Golden Gate").hits
    assert "Golden Gate" in hit.record.text


def test_two_that_write_and_take_off_at_once_lose_nothing(tmp_path: Path) -> None:
    taken: list[Any] = []

    def work(name: str) -> None:
        # Each with a store of its own, as another process has.
        with lamina.open(tmp_path) as opened:
            session = LaminaSession("shared", opened.agent("helper", project="shop"))
            for number in range(8):
                pair: list[Any] = [
                    {"role": "user", "content": f"{name}-{number}-{k}"} for k in "ab"
                ]
                play(partial(session.add_items, pair))
            taken.extend(play(session.pop_item) for _ in range(6))

    with lamina.open(tmp_path) as opened:
        opened.configure("recall.embedder", "off")
        both = [threading.Thread(target=work, args=(name,)) for name in "xy"]
        for one in both:
            one.start()
        for one in both:
            one.join(50)
        session = LaminaSession("shared", opened.agent("helper", project="shop"))
        left = play(session.get_items)
    said = [one["content"] for one in [*taken, *left]]
    assert (len(taken), len(left), len(set(said))) == (12, 20, 32)
    order = [text for text in said if text in {one["content"] for one in left}]
    for text in order:
        # What was added together stands together.
        if text.endswith("b"):
            assert order[order.index(text) - 1] == f"{text[:-1]}a"
