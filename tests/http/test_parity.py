"""One verdict: what the library says to a role, the server and the command line say as well."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import lamina as package
from lamina import Memory
from lamina.core.principal import Role
from lamina.errors import LaminaError
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine
from lamina.surfaces.wire import exit_status
from lamina.tokens import Keys
from tests.http.in_process import ask
from tests.serving import bearing
from tests.surfaces.conftest import lamina
from tests.surfaces.shell import Call

__all__ = ["lamina"]
ROLES = (Role.ORCHESTRATOR, Role.AGENT, Role.SKILL, Role.READER)


class Asked(NamedTuple):
    """One operation, as each way in spells it; `ID` is somebody's record, `KEY` a key's id."""

    call: Callable[[Memory, str, str], Any]
    request: tuple[str, str, dict[str, Any]]
    words: tuple[str, ...]


def _layer(layer: str, scope: str, **more: Any) -> dict[str, Any]:
    return {"text": "The kettle is blue", "layer": layer, "scope": scope, **more}


def _remembered(layer: str, scope: str, kind: str) -> Asked:
    said = _layer(layer, scope, kind=kind)
    words = ("remember", said["text"], "--layer", layer, "--scope", scope, "--kind", kind)
    return Asked(lambda mem, *_: mem.remember(**said), ("POST", "/api/records", said), words)


OPERATIONS = {
    "write for the project": _remembered("knowledge", "project/web", "fact"),
    "write for everybody": _remembered("knowledge", "global", "fact"),
    "write for another project": _remembered("knowledge", "project/other", "fact"),
    "write in another's scope": _remembered("notebook", "project/web/agent/zoe", "note"),
    "write a fact of the project": _remembered("fact", "project/web", "config"),
    "write what the pipeline writes": _remembered("item", "project/web", "note"),
    "write a key": _remembered("access", "global", "key"),
    "read": Asked(lambda mem, it, _: mem.get(it), ("GET", "/api/records/ID", {}), ("get", "ID")),
    "read a key": Asked(
        lambda mem, _, key: mem.get(key), ("GET", "/api/records/KEY", {}), ("get", "KEY")),
    "change": Asked(
        lambda mem, it, _: mem.edit(it, "The kettle is red"),
        ("PATCH", "/api/records/ID", {"text": "The kettle is red"}),
        ("edit", "ID", "--text", "The kettle is red")),
    "forget": Asked(
        lambda mem, it, _: mem.forget(it), ("DELETE", "/api/records/ID", {}), ("forget", "ID")),
    "list keys": Asked(
        lambda mem, *_: Keys(mem).all(), ("GET", "/api/auth/keys", {}), ("token", "list")),
    "revoke a key": Asked(
        lambda mem, _, key: Keys(mem).revoke(key), ("DELETE", "/api/auth/keys/KEY", {}),
        ("token", "revoke", "KEY")),
}  # fmt: skip
SPELLED = {0: "ok", 4: "forbidden", 3: "not_found"}


def _by_library(mem: Memory, asked: Asked, named: dict[str, str]) -> str:
    try:
        asked.call(mem, named["ID"], named["KEY"])
    except LaminaError as error:
        return SPELLED.get(exit_status(error), error.code)
    return "ok"


def _by_http(app: Any, headers: dict[str, str], asked: Asked, named: dict[str, str]) -> str:
    method, path, body = asked.request
    for name, value in named.items():
        path = path.replace(name, value)
    sent = json.dumps(body).encode() if body else b""
    status, text = asyncio.run(ask(app, method, path, headers, sent))
    return "ok" if status < 300 else str(json.loads(text)["error"]["code"])


def _by_command(lamina: Call, role: Role, asked: Asked, named: dict[str, str]) -> str:
    words = [named.get(word, word) for word in asked.words]
    return SPELLED[lamina(*words, "--as", "finn", "--role", role, "--project", "web").status]


def test_every_way_in_gives_the_same_verdict(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "hello")
    different = []
    with package.open(tmp_path / "store") as mem:
        mem.configure("recall.embedder", "off")
        engine = Engine(mem)
        app = create_app(engine)
        for role in ROLES:
            made = engine.keys.create("finn", role, project="web")
            handle = mem.agent("finn", project="web", role=role)
            for name, asked in OPERATIONS.items():
                named = [
                    {"ID": mem.remember(f"{name} {role} {way}", scope="project/web").id,
                     "KEY": made.key.id}
                    for way in range(3)
                ]  # fmt: skip
                said = [
                    _by_library(handle, asked, named[0]),
                    _by_http(app, bearing(made.text), asked, named[1]),
                    _by_command(lamina, role, asked, named[2]),
                ]
                if role is Role.SKILL:
                    # For a skill nothing exists; the server says so before it looks.
                    assert "ok" not in said
                elif len(set(said)) > 1:
                    different.append((role.value, name, *said))
    assert different == []
