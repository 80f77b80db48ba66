"""Many at once on one server: nobody waits for ever, nothing is lost, nothing crosses over."""

import anyio
import pytest
from mcp import Client
from mcp.server.context import ServerRequestContext

from lamina import Memory
from lamina.memory import AgentMemory
from lamina.surfaces.mcp.server import build
from tests.mcp.talking import call, error_of
from tests.places import plain  # noqa: F401 - a fixture

CLIENTS = 10


@pytest.fixture
def finn(plain: Memory) -> AgentMemory:  # noqa: F811 - a fixture
    return plain.agent("finn", project="web")


def test_ten_clients_of_one_server_each_have_a_memory_of_their_own(plain: Memory) -> None:  # noqa: F811
    agents = [plain.agent(f"a-{number}", project="web") for number in range(CLIENTS)]

    async def work(agent: AgentMemory) -> None:
        async with Client(build(lambda _: agent)) as client:
            await client.call_tool("remember", {"text": f"the colour of {agent.principal.name}"})
            found = await client.call_tool("recall", {"query": "the colour", "k": 50})
            assert found.structured_content is not None
            sources = {one["source"] for one in found.structured_content["memories"]}
            assert sources == {agent.principal.name}

    async def crowd() -> None:
        async with anyio.create_task_group() as group:
            for agent in agents:
                group.start_soon(work, agent)

    anyio.run(crowd)
    assert plain.count({"layer": "knowledge"}) == CLIENTS


def test_who_asks_is_settled_for_each_message(plain: Memory) -> None:  # noqa: F811 - a fixture
    agents = [plain.agent(name, project="web") for name in ("finn", "maya")]
    turns: list[str] = []

    def in_turn(context: ServerRequestContext) -> AgentMemory:
        if context.method == "tools/call":
            turns.append(context.method)
        return agents[len(turns) % 2]

    async def talk() -> None:
        async with Client(build(in_turn)) as client:
            for _ in agents:
                await client.call_tool("update_status", {"new_status": "working"})

    anyio.run(talk)
    assert [one.now.read().objective for one in agents] == ["working", "working"]


def test_a_cancelled_call_still_ends_its_transaction(finn: AgentMemory) -> None:
    async def talk() -> None:
        async with Client(build(lambda _: finn)) as client:
            with anyio.move_on_after(0.001):
                await client.call_tool("remember", {"text": "kept or not, but whole"})
            result = await client.call_tool("remember", {"text": "after it"})
            assert not result.is_error

    anyio.run(talk)
    assert finn.count({"text": "after it"}) == 1


def test_an_unknown_tool_is_an_error_of_the_call(finn: AgentMemory) -> None:
    error = error_of(call(finn, "make_coffee"))
    assert error["code"] == "not_found"
    assert "make_coffee" in error["message"]


def test_what_nobody_foresaw_is_told_by_its_sort_alone(
    finn: AgentMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a path of this machine")

    monkeypatch.setattr(type(finn), "remember", broken)
    error = error_of(call(finn, "remember", text="x"))
    assert error["code"] == "error"
    assert "RuntimeError" in error["message"]
    assert "path" not in str(error)
