"""The protocol under /mcp: keys, roles and sessions as everywhere else."""

import json
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost

import lamina
from lamina.core.principal import Surface
from tests.mcp.talking import error_of
from tests.serving import Served, serving

HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {},
               "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with lamina.open(":memory:") as memory:
        memory.configure("recall.embedder", "off")
        with serving(memory) as served:
            yield served


@asynccontextmanager
async def client_of(
    server: Served, headers: dict[str, str], path: str = "/mcp", mode: Any = "auto"
) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(server.url + path, http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_key_opens_the_memory_of_its_principal(server: Served, mode: str) -> None:
    name = f"finn-{mode}"
    headers = server.headers_of(name, "agent", "web")

    async def talk() -> None:
        async with client_of(server, headers, mode=mode) as client:
            kept: Any = await client.call_tool("remember", {"text": f"said by {name}"})
            record = server.engine.whole.get(kept.structured_content["id"])
            assert (record.scope, record.source) == (f"project/web/agent/{name}", name)
            change = server.engine.whole.history(record.id)[0]
            assert change.event.surface == Surface.MCP.value

    anyio.run(talk)


def test_a_reader_reads_and_writes_nothing(server: Served) -> None:
    headers = server.headers_of("rae", "reader", "web")
    server.engine.whole.project("web").remember("The build takes long")

    async def talk() -> None:
        async with client_of(server, headers) as client:
            offered = [tool.name for tool in (await client.list_tools()).tools]
            assert offered == ["recall", "context", "get_fact"]
            found: Any = await client.call_tool("recall", {"query": "build"})
            assert found.structured_content["memories"]
            for tool, arguments in (
                ("remember", {"text": "x"}), ("update_status", {"new_status": "x"}),
                ("log_activity", {"entry_type": "THOUGHT", "content": "x"}),
                ("save_fact", {"key": "a", "value": "b"}), ("forget", {"ids": ["x"]}),
            ):  # fmt: skip
                refused = error_of(await client.call_tool(tool, arguments))
                assert refused["code"] == "forbidden"

    anyio.run(talk)


def test_profiles_have_addresses_of_their_own(server: Served) -> None:
    headers = server.headers_of("gail", "agent", "web")

    async def talk() -> None:
        async with client_of(server, headers, "/mcp/server-memory") as client:
            assert len((await client.list_tools()).tools) == 9

    anyio.run(talk)
    wrong = httpx2.post(f"{server.url}/mcp/nothing", json=HELLO, headers={**headers, **ACCEPT})
    assert wrong.status_code == 422
    assert wrong.json()["error"]["code"] == "invalid_input"


@pytest.mark.parametrize("shown", [{}, {"Authorization": "Bearer nonsense"}])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_nobody_comes_in_without_a_key(server: Served, method: str, shown: dict[str, str]) -> None:
    answer = httpx2.request(method, f"{server.url}/mcp", headers={**shown, **ACCEPT})
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "unauthenticated"


def test_a_role_that_may_nothing_is_refused_at_the_door(server: Served) -> None:
    headers = server.headers_of("sam", "skill", "web")
    answer = httpx2.post(f"{server.url}/mcp", json=HELLO, headers={**headers, **ACCEPT})
    assert answer.status_code == 403


def test_a_session_is_of_no_use_to_another_principal(server: Served) -> None:
    url, finn = f"{server.url}/mcp", server.headers_of("finn", "agent", "web")
    again = server.headers_of("finn", "agent", "web")
    maya = server.headers_of("maya", "agent", "web")
    begun = httpx2.post(url, json=HELLO, headers={**finn, **ACCEPT})
    session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    status = [
        httpx2.post(url, json=ping, headers={**who, **session, **ACCEPT}).status_code
        for who in (maya, finn, again)
    ]
    assert status == [404, 200, 200]
    assert httpx2.delete(url, headers={**maya, **session}).status_code == 404


def test_a_stream_ends_when_its_key_is_revoked(server: Served) -> None:
    made = server.engine.keys.create("gone", "agent", project="web")
    headers = {"Authorization": f"Bearer {made.text}"}

    async def talk() -> None:
        async with (
            client_of(server, headers) as client,
            client.listen(resource_subscriptions=["lamina://now"]) as stream,
        ):
            server.engine.handle(made.key.principal).now.update("one")
            with anyio.fail_after(10):
                assert (await anext(stream)).uri == "lamina://now"  # type: ignore[union-attr]
            server.engine.keys.revoke(made.key.id)
            # It is asked every two seconds whether a key still stands.
            with anyio.fail_after(8), pytest.raises((SubscriptionLost, StopAsyncIteration)):
                await anext(stream)

    anyio.run(talk)


def test_too_much_is_refused_before_it_is_read(server: Served) -> None:
    headers = server.headers_of("finn", "agent", "web")
    much = b" " * (server.engine.limits.body_bytes + 1)
    said = {**headers, **ACCEPT, "Content-Type": "application/json"}
    answer = httpx2.post(f"{server.url}/mcp", content=much, headers=said)
    assert answer.status_code == 413


def test_whatever_is_sent_is_no_fault_of_the_servers(server: Served) -> None:
    headers = {**server.headers_of("finn", "agent", "web"), **ACCEPT}
    chosen = random.Random(11)
    revisions = ["2025-11-25", "2026-07-28", "1999-01-01", "x" * 5_000, ""]
    wrong: list[tuple[int, bytes]] = []
    with httpx2.Client(base_url=server.url, headers=headers) as client:
        for _ in range(150):
            body = _nonsense(chosen)
            said = {"Content-Type": "application/json"}
            if chosen.random() < 0.7:
                said["MCP-Protocol-Version"] = chosen.choice(revisions)
            if chosen.random() < 0.3:
                said["Mcp-Session-Id"] = chosen.choice(["", "x", "0" * 32])
            answer = client.post("/mcp", content=body, headers=said)
            wrong += [(answer.status_code, body)] if answer.status_code >= 500 else []
        assert client.post("/mcp", json=HELLO).status_code == 200
    assert wrong == []


def _nonsense(chosen: random.Random) -> bytes:
    """A message that is nearly one, or not at all."""
    odd: list[Any] = [None, True, 0, -1, 1e308, "", "x", "\ud800", [], {}, [[]], {"a": {}}]
    call = {"name": chosen.choice(["recall", "forget", "", 3]),
            "arguments": {"query": chosen.choice(odd), "ids": chosen.choice(odd)}}  # fmt: skip
    message: dict[str, Any] = {
        "jsonrpc": chosen.choice(["2.0", "2.0", "1.0", 2]),
        "id": chosen.choice([1, "a", None, 1.5, {}, []]),
        "method": chosen.choice(["tools/call", "resources/read", "initialize", "ping", "", 7]),
        "params": chosen.choice([call, call, HELLO["params"], {"uri": "lamina://x"}, *odd]),
    }
    for name in chosen.sample(list(message), chosen.randint(0, 2)):
        del message[name]
    text = json.dumps(chosen.choice([message, message, [message], chosen.choice(odd)]))
    cut = text[: chosen.randint(0, len(text))] if chosen.random() < 0.2 else text
    return cut.encode("utf-8", "surrogatepass") if chosen.random() < 0.9 else b"\xff\xfe{}"


def test_nobody_takes_the_room_of_others(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lamina.surfaces.mcp.sessions.MOST_OF_ONE", 3)
    greedy, other = server.headers_of("greedy", "reader"), server.headers_of("other", "reader")
    with httpx2.Client(base_url=server.url, headers=ACCEPT) as client:

        def opened(headers: dict[str, str]) -> httpx2.Response:
            return client.post("/mcp", json=HELLO, headers=headers)

        answers = [opened(greedy) for _ in range(5)]
        assert [one.status_code for one in answers] == [200] * 3 + [503] * 2
        assert answers[-1].json()["error"]["code"] == "busy"
        assert opened(other).status_code == 200
        session = {**greedy, "Mcp-Session-Id": answers[0].headers["mcp-session-id"]}
        assert client.delete("/mcp", headers=session).status_code == 200
        assert [opened(greedy).status_code for _ in range(2)] == [200, 503]
        # What opens no session keeps no room.
        assert opened({**other, "Mcp-Session-Id": "none"}).status_code == 404
        assert [opened(other).status_code for _ in range(3)] == [200, 200, 503]
