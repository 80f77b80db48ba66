"""One conversation through every surface gives the same JSON and the same error codes."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest
from starlette.testclient import TestClient

import lamina
from lamina.errors import LaminaError
from lamina.memory import Memory
from lamina.surfaces import wire, wire_memory
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine
from tests.mcp.talking import call, error_of, told
from tests.serving import bearing, serving
from tests.surfaces.shell import Call, caller

PASSING = {"id", "tx", "record", "created_at", "updated_at", "at", "took_ms", "hash", "digest"}
PASSING |= {"surface", "supersedes", "files", "bytes"}
ID = re.compile(r"\b[0-7][0-9a-z]{25}\b")
Json = dict[str, Any]


class Surface(Protocol):
    """The verbs of the conversation; an error is its JSON."""

    def remember(self, text: str, **fields: Any) -> Json: ...
    def recall(self, query: str) -> Json: ...
    def get(self, name: str) -> Json: ...
    def edit(self, name: str, **fields: Any) -> Json: ...
    def forget(self, name: str) -> Json: ...
    def undo(self, tx: str) -> Json: ...
    def history(self, name: str) -> Json: ...
    def erase(self, name: str) -> Json: ...
    def query(self, where: Mapping[str, Any]) -> Json: ...


class Library:
    """The conversation in Python."""

    def __init__(self, mem: Memory) -> None:
        self._mem = mem

    def remember(self, text: str, **fields: Any) -> Json:
        return _said(lambda: wire.receipt_out(self._mem.remember(text, **fields)))

    def recall(self, query: str) -> Json:
        return _said(lambda: wire.recall_out(self._mem.recall(query)))

    def get(self, name: str) -> Json:
        return _said(lambda: wire.record_out(self._mem.get(name)))

    def edit(self, name: str, **fields: Any) -> Json:
        return _said(lambda: wire.receipt_out(self._mem.edit(self._mem.get(name).id, **fields)))

    def forget(self, name: str) -> Json:
        return _said(lambda: wire.receipt_out(self._mem.forget(self._mem.get(name).id)))

    def undo(self, tx: str) -> Json:
        return _said(lambda: wire.receipt_out(self._mem.undo(tx)))

    def history(self, name: str) -> Json:
        versions = self._mem.history(self._mem.get(name).id)
        return wire_memory.history_out(versions)

    def erase(self, name: str) -> Json:
        return _said(lambda: wire.erasure_out(self._mem.erase(self._mem.get(name).id)))

    def query(self, where: Mapping[str, Any]) -> Json:
        return _said(lambda: wire.records_out(self._mem.query(where), self._mem.count(where)))


class CommandLine:
    """The conversation in a shell."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def _json(self, *arguments: str) -> Json:
        answer = self._call(*arguments, "--project", "web", "--json")
        found: Json = answer.json
        assert ("error" in found) == (answer.status != 0)
        return found

    def remember(self, text: str, **fields: Any) -> Json:
        return self._json("remember", text, *_flags(fields))

    def recall(self, query: str) -> Json:
        return self._json("recall", query)

    def get(self, name: str) -> Json:
        return self._json("get", name)

    def edit(self, name: str, **fields: Any) -> Json:
        return self._json("edit", name, *_flags(fields))

    def forget(self, name: str) -> Json:
        return self._json("forget", name)

    def undo(self, tx: str) -> Json:
        return self._json("undo", tx)

    def history(self, name: str) -> Json:
        return self._json("history", name)

    def erase(self, name: str) -> Json:
        return self._json("erase", name, "--yes")

    def query(self, where: Mapping[str, Any]) -> Json:
        return self._json("query", json.dumps(where))


class Http:
    """The conversation over the network."""

    def __init__(self, client: TestClient) -> None:
        self._client = client

    def _json(self, method: str, path: str, **sent: Any) -> Json:
        answer = self._client.request(method, f"/api/{path}", **sent)
        found: Json = answer.json()
        assert ("error" in found) == (answer.status_code >= 400)
        # A problem says it in the words of its standard as well, and a page where it goes on.
        more = {"type", "title", "status", "detail"} if "error" in found else {"cursor"}
        return {name: value for name, value in found.items() if name not in more}

    def remember(self, text: str, **fields: Any) -> Json:
        return self._json("POST", "records", json={"text": text, **fields})

    def recall(self, query: str) -> Json:
        return self._json("GET", "search", params={"q": query})

    def get(self, name: str) -> Json:
        return self._json("GET", f"records/{name}")

    def edit(self, name: str, **fields: Any) -> Json:
        return self._json("PATCH", f"records/{name}", json=fields)

    def forget(self, name: str) -> Json:
        return self._json("DELETE", f"records/{name}")

    def undo(self, tx: str) -> Json:
        return self._json("POST", "undo", json={"tx": tx})

    def history(self, name: str) -> Json:
        return self._json("GET", f"records/{name}/history")

    def erase(self, name: str) -> Json:
        return self._json("POST", f"records/{name}/erase")

    def query(self, where: Mapping[str, Any]) -> Json:
        return self._json("GET", "records", params={"where": json.dumps(where)})


def _said(call: Callable[[], Json]) -> Json:
    try:
        return call()
    except LaminaError as error:
        return wire.error_out(error)


def _flags(fields: dict[str, Any]) -> Iterator[str]:
    for name, value in fields.items():
        for one in value if isinstance(value, list) else [value]:
            yield f"--{name.removesuffix('s') if isinstance(value, list) else name}"
            yield json.dumps(one) if isinstance(one, dict) else str(one)


def _lasting(value: Any) -> Any:
    """Without what differs from run to run."""
    if isinstance(value, dict):
        return {
            name: "…" if name in PASSING and isinstance(item, str | int | float) else _lasting(item)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [_lasting(item) for item in value]
    return ID.sub("…", value) if isinstance(value, str) else value


def converse(surface: Surface) -> list[Json]:
    """A whole conversation, good and bad."""
    said = [
        surface.remember(
            "Ann drinks green tea", key="tea", kind="preference", tags=["a", "b"], data={"n": 1}
        ),
        surface.remember("Bob owns a kettle", layer="episode", kind="completed"),
        surface.recall("who drinks tea?"),
        surface.recall("zebra"),
        surface.get("tea"),
        surface.remember("Ann drinks coffee", key="tea", kind="preference", expect=7),
        surface.remember("Ann drinks coffee", key="tea", kind="preference"),
        surface.edit("tea", text="Ann drinks mocha", confidence=0.5),
        surface.history("tea"),
        surface.query({"kind": "preference"}),
        surface.query({"beauty": 1}),
        surface.remember("x", scope="nonsense"),
        surface.remember("x", layer="attic"),
        surface.remember("x", layer="item"),
        surface.undo("0" * 26),
        surface.get("nothing"),
    ]
    hidden = surface.forget("tea")
    said += [hidden, surface.get("tea"), surface.undo(hidden["tx"]), surface.get("tea")]
    said += [surface.erase("tea"), surface.query({}), surface.undo(hidden["tx"])]
    return said


def differences(expected: list[Json], found: list[Json]) -> list[tuple[Json, Json]]:
    """Where two surfaces say different things."""
    pairs = [
        (_lasting(json.loads(json.dumps(left))), _lasting(right))
        for left, right in zip(expected, found, strict=True)
    ]
    return [(left, right) for left, right in pairs if left != right]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[Json]:
    """What the library says."""
    with lamina.open(tmp_path_factory.mktemp("library"), project="web") as mem:
        return converse(Library(mem))


def test_the_conversation_meets_every_sort_of_error(expected: list[Json]) -> None:
    codes = [said["error"]["code"] for said in expected if "error" in said]
    assert {"conflict", "invalid_input", "forbidden", "not_found"} <= set(codes)


def test_the_command_line_says_the_same(
    expected: list[Json], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not differences(expected, converse(CommandLine(caller(capsys, tmp_path))))


def test_the_server_says_the_same(expected: list[Json], tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        engine = Engine(mem)
        key = engine.keys.create("user", "admin", project="web").text
        client = TestClient(create_app(engine), base_url="http://127.0.0.1", headers=bearing(key))
        assert not differences(expected, converse(Http(client)))


def test_a_client_says_the_same(expected: list[Json], tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem, serving(mem) as served:
        key = served.engine.keys.create("user", "admin", project="web").text
        with lamina.connect(served.url, key=key) as far:
            assert not differences(expected, converse(Library(far)))


def test_what_a_model_is_told_is_part_of_what_everybody_is_told(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        finn = mem.agent("finn", project="web")
        kept = told(finn, "remember", text="Ann drinks green tea", key="tea", kind="preference")
        record = finn.get("tea")
        assert kept == wire.receipt_out(finn.remember("Ann drinks green tea", key="tea"))[
            "outcomes"
        ][0] | {"action": "created"}
        [memory] = told(finn, "recall", query="who drinks tea?")["memories"]
        score = memory.pop("score")
        assert memory.items() <= wire.record_out(record).items()
        [hit] = wire.recall_out(finn.recall("who drinks tea?"))["hits"]
        assert round(hit["score"], 3) == score
        wrong = error_of(call(finn, "forget", ids=["nothing"]))
        assert wrong == _said(lambda: wire.receipt_out(finn.forget("nothing")))["error"]
