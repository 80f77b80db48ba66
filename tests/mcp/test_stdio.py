"""The server as clients start it: a process on standard streams, several on one store."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

import lamina
from lamina.core.principal import Surface
from tests.mcp.talking import command

HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {},
               "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
NONSENSE = [
    "", "{", "[]", "null", "\x00", '{"jsonrpc": "2.0"}', '{"jsonrpc": "2.0", "id": 7}',
    '{"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": 3}}',
    '{"jsonrpc": "2.0", "id": 9, "method": "no/such", "params": {}}',
    "x" * 100_000, '{"a":' * 5_000, '{"jsonrpc": "1.0", "id": {}, "method": []}',
    '{"jsonrpc": "2.0", "id": 10, "method": "tools/call", "params": []}',
    '{"jsonrpc": "2.0", "id": 11, "method": "tools/call", "params": {"name": "remember",'
    ' "arguments": {"text": "half of a \\ud83d"}}}',
    '{"jsonrpc": "2.0", "id": "deep", "method": "tools/call", "params": ' + "[" * 5_000,
]  # fmt: skip


def test_two_servers_share_a_store_and_end_with_their_clients(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with lamina.open(store) as memory:
        memory.configure("recall.embedder", "off")

    async def talk() -> None:
        async with (
            Client(command(store, "--project", "web")) as first,
            Client(command(store, "--project", "web", "--as", "maya")) as second,
        ):
            text = {"text": "The port is 8484", "shared": True}
            kept: Any = await first.call_tool("remember", text)
            found: Any = await second.call_tool("recall", {"query": "which port?"})
            [memory] = found.structured_content["memories"]
            assert memory["id"] == kept.structured_content["id"]
            assert memory["source"] == "assistant"

    anyio.run(talk)
    with lamina.open(store) as memory:
        [kept] = memory.query({"layer": "knowledge"})
        assert kept.scope == "project/web"
        assert memory.history(kept.id)[0].event.surface == Surface.MCP.value


def test_nonsense_is_answered_or_passed_over_and_ends_nothing(tmp_path: Path) -> None:
    last = {"jsonrpc": "2.0", "id": "last", "method": "tools/list", "params": {}}
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    lines = [json.dumps(HELLO), json.dumps(ready), *NONSENSE, json.dumps(last)]
    arguments = ["-m", "lamina", "mcp", "--dir", str(tmp_path / "store")]
    with subprocess.Popen(
        [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, encoding="utf-8",
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("\n".join(lines) + "\n")
        server.stdin.flush()
        # Every line of its output is a message, and the last question is answered.
        answers = []
        for line in server.stdout:
            answers.append(json.loads(line))
            if answers[-1].get("id") == "last":
                break
        server.stdin.close()
        assert server.stdout.read() == ""
        assert server.wait(10) == 0
        assert server.stderr is not None
        assert "Traceback" not in server.stderr.read()
    assert answers[0]["result"]["serverInfo"]["name"] == "lamina"
    codes = {one.get("id"): one["error"]["code"] for one in answers if "error" in one}
    # Whoever asked is answered, or they would wait forever; to other nonsense nobody is named.
    assert codes == {8: -32602, 9: -32601, 10: -32600, 11: -32700, "deep": -32700, None: -32600}
    assert len(answers[-1]["result"]["tools"]) == 8


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--tools", "nothing"], 2, "--tools"),
        (["--as", "Not A Name"], 2, "--as"),
        (["--role", "agent"], 2, "--role"),
    ],
)
def test_a_wrong_call_says_so_on_standard_error(
    tmp_path: Path,
    arguments: list[str],
    status: int,
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from lamina.surfaces.cli.main import main

    assert main(["mcp", "--dir", str(tmp_path / "store"), *arguments]) == status
    told = capsys.readouterr()
    assert told.out == ""
    assert words in told.err


def test_without_the_package_the_remedy_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from lamina.surfaces.cli.main import main

    for name in [one for one in sys.modules if one.startswith("lamina.surfaces.mcp.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    assert main(["mcp", "--dir", str(tmp_path / "store")]) == 6
    assert "lamina[mcp]" in capsys.readouterr().err
    assert not (tmp_path / "store").exists()
