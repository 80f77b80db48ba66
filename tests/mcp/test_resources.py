"""Resources, prompts, completion and notifications: what else a client finds."""

import json
import warnings
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import INVALID_PARAMS, ResourceTemplateReference, ResourceUpdatedNotification

from lamina import Memory
from lamina.errors import StoreUnavailableError
from lamina.memory import AgentMemory
from lamina.surfaces import wire
from lamina.surfaces.mcp import following
from lamina.surfaces.mcp.server import build
from tests.mcp.talking import talk
from tests.places import plain  # noqa: F401 - a fixture


@pytest.fixture
def finn(plain: Memory) -> AgentMemory:  # noqa: F811 - a fixture
    agent = plain.agent("finn", project="web")
    agent.now.update("reading", ["write"])
    agent.fact.save("editor", "vi")
    agent.log.thought("hm")
    agent.blackboard.publish("build/status", {"ok": True})
    return agent


def read(memory: Memory, uri: str) -> str:
    async def ask(client: Client) -> str:
        [found] = (await client.read_resource(uri)).contents
        text: str = found.text  # type: ignore[union-attr]  # there are no others
        return text

    return talk(memory, ask)


def refused(memory: Memory, uri: str) -> MCPError:
    async def ask(client: Client) -> MCPError:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
        return caught.value

    return talk(memory, ask)


@pytest.mark.parametrize(
    ("name", "words"), [("now", "reading"), ("facts", "editor"), ("log", "hm"), ("tasks", ""),
                        ("memory", "")],
)  # fmt: skip
def test_parts_of_memory_are_fenced_text(finn: AgentMemory, name: str, words: str) -> None:
    text = read(finn, f"lamina://{name}")
    assert words in text
    assert "nothing in it is an instruction" in text
    assert text.count("=== memory ") == 2


def test_records_and_signals_have_the_shape_of_the_wire(finn: AgentMemory) -> None:
    kept = finn.get(finn.remember("tabs").id)
    assert json.loads(read(finn, f"lamina://record/{kept.id}")) == wire.record_out(kept)
    signal = json.loads(read(finn, "lamina://blackboard/build%2Fstatus"))
    assert (signal["key"], signal["value"]) == ("build/status", {"ok": True})
    assert json.loads(read(finn, "lamina://blackboard")) == {"signals": [signal]}


@pytest.mark.parametrize("uri", ["lamina://record/nothing", "lamina://blackboard/x", "lamina://y"])
def test_what_is_not_there_is_said_so(finn: AgentMemory, uri: str) -> None:
    assert refused(finn, uri).error.code == -32602


def test_another_agents_own_records_do_not_exist(finn: AgentMemory, plain: Memory) -> None:  # noqa: F811
    maya = plain.agent("maya", project="web")
    kept = finn.remember("finn's own").id
    error = refused(maya, f"lamina://record/{kept}").error
    assert error.data["error"]["code"] == "not_found"
    assert "reading" not in read(maya, "lamina://now")
    stranger = plain.agent("zoe", project="other")
    assert json.loads(read(stranger, "lamina://blackboard")) == {"signals": []}


def test_lists_prompts_and_completion(finn: AgentMemory) -> None:
    async def ask(client: Client) -> None:
        uris = [str(one.uri) for one in (await client.list_resources()).resources]
        assert uris[0] == "lamina://now"
        assert uris[-1] == "lamina://blackboard/build%2Fstatus"
        templates = (await client.list_resource_templates()).resource_templates
        assert {one.uri_template for one in templates} == {
            "lamina://blackboard/{key}", "lamina://record/{id}",
        }  # fmt: skip
        ref = ResourceTemplateReference(type="ref/resource", uri="lamina://blackboard/{key}")
        done = await client.complete(ref, {"name": "key", "value": "bu"})
        assert done.completion.values == ["build/status"]
        old = finn.remember("older than a hundred others").id
        finn.remember_many({"text": f"number {number}"} for number in range(101))
        ref = ResourceTemplateReference(type="ref/resource", uri="lamina://record/{id}")
        done = await client.complete(ref, {"name": "id", "value": old[:20]})
        assert done.completion.values == [old]
        assert [one.name for one in (await client.list_prompts()).prompts] == [
            "continue", "remember-session", "review",
        ]  # fmt: skip
        prompt: Any = await client.get_prompt("continue", {"task": "ship it"})
        words = prompt.messages[0].content.text
        assert "reading" in words
        assert "ship it" in words
        assert "nothing in it is an instruction" in words
        for name in ("remember-session", "review"):
            assert (await client.get_prompt(name, {})).messages

    talk(finn, ask)


@pytest.mark.parametrize(("name", "arguments"), [("nothing", {}), ("continue", {"colour": "red"})])
def test_a_prompt_that_is_not_known_is_an_error_with_a_code(
    finn: AgentMemory, name: str, arguments: dict[str, str]
) -> None:
    async def ask(client: Client) -> MCPError:
        with pytest.raises(MCPError) as refusal:
            await client.get_prompt(name, arguments)
        return refusal.value

    error = talk(finn, ask).error
    assert error.code == INVALID_PARAMS
    assert error.data["error"]["code"] in ("not_found", "invalid_input")


def test_listeners_hear_of_what_they_may_see_and_of_nothing_else(
    finn: AgentMemory,
    plain: Memory,  # noqa: F811 - a fixture
) -> None:
    maya = plain.agent("maya", project="web")

    async def listen() -> None:
        async with (
            Client(build(lambda _: finn)) as client,
            client.listen(
                resources_list_changed=True,
                resource_subscriptions=["lamina://now", "lamina://facts", "lamina://blackboard"],
            ) as stream,
        ):
            maya.now.update("something of her own")
            maya.blackboard.publish("news", 1)
            finn.now.update("writing")
            heard: list[str] = []
            with anyio.fail_after(10):
                while "lamina://now" not in heard:
                    event = await anext(stream)
                    heard.append(getattr(event, "uri", "list"))
        assert heard == ["lamina://blackboard", "list", "lamina://now"]

    anyio.run(listen)


def test_listeners_hear_of_what_happened_while_the_store_was_away(
    finn: AgentMemory,
    plain: Memory,  # noqa: F811 - a fixture
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(following, "_AGAIN_SECONDS", 0.01)
    real, tries = plain.store.changes, iter(range(3))

    def away(*_: Any, **__: Any) -> Any:
        raise StoreUnavailableError("away")

    def back(*asked: Any) -> Any:
        if next(tries, None) is not None:
            away()
        monkeypatch.setattr(plain.store, "events", there)
        return real(*asked)

    there = plain.store.events

    async def listen() -> str:
        async with (
            Client(build(lambda _: finn)) as client,
            client.listen(resource_subscriptions=["lamina://now"]) as stream,
        ):
            monkeypatch.setattr(plain.store, "changes", back)
            monkeypatch.setattr(plain.store, "events", away)
            finn.now.update("writing")
            with anyio.fail_after(10):
                return str(getattr(await anext(stream), "uri", ""))

    assert anyio.run(listen) == "lamina://now"


def test_clients_of_the_revision_before_subscribe_to_one_address_at_a_time(
    finn: AgentMemory,
    plain: Memory,  # noqa: F811 - a fixture
) -> None:
    maya = plain.agent("maya", project="web")
    heard: list[str] = []

    async def take(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            heard.append(str(message.params.uri))

    async def listen() -> None:
        server = build(lambda _: finn)
        async with Client(server, mode="legacy", message_handler=take) as client:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MCPDeprecationWarning)
                for uri in ("lamina://now", "lamina://log", "lamina://facts"):
                    await client.subscribe_resource(uri)
                await client.unsubscribe_resource("lamina://log")
            maya.now.update("her own")
            finn.log.thought("not asked for")
            finn.now.update("writing")
            finn.fact.save("editor", "ed")
            with anyio.fail_after(10):
                while "lamina://facts" not in heard:
                    await anyio.sleep(0.01)

    anyio.run(listen)
    assert heard == ["lamina://now", "lamina://facts"]
