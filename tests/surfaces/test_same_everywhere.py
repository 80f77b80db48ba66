"""One conversation through every surface gives the same JSON and the same error codes."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest

import lamina
from lamina.errors import LaminaError
from lamina.memory import Memory
from lamina.surfaces import wire
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
        return {"versions": [wire.version_out(version) for version in versions]}

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


def test_a_whole_conversation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with lamina.open(tmp_path / "library", project="web") as mem:
        expected = converse(Library(mem))
    found = converse(CommandLine(caller(capsys, tmp_path / "cli")))
    codes = [said["error"]["code"] for said in expected if "error" in said]
    assert {"conflict", "invalid_input", "forbidden", "not_found"} <= set(codes)
    for left, right in zip(expected, found, strict=True):
        assert _lasting(right) == _lasting(json.loads(json.dumps(left)))
