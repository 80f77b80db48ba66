"""Files in and out over HTTP: the verdicts of the library, told while it works, and bounded."""

import asyncio
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lamina import Memory
from lamina.errors import UnauthenticatedError
from lamina.exchange import export_lines
from lamina.importing import bring
from lamina.surfaces.http import spooling, transfer
from lamina.surfaces.wire_importing import import_out
from tests.http.asking import Api, api, plain
from tests.serving import bearing

__all__ = ["api", "plain"]

MEM0 = json.dumps([{"id": str(n), "memory": f"Ann likes tea number {n}"} for n in range(450)])
HEADERS = {"content-type": "application/octet-stream"}


def sent(
    api: Api, body: str | bytes | Iterator[bytes], asked: str = "", **said: Any
) -> list[dict[str, Any]]:
    """The lines that an import is answered with."""
    headers = {**HEADERS, **said.pop("headers", {})}
    answer = api.ask("POST", f"/api/import{asked}", content=body, headers=headers, **said)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


def test_an_import_tells_how_far_it_is_and_comes_to_what_the_library_says(
    api: Api, tmp_path: Path
) -> None:
    (tmp_path / "mem0.json").write_text(MEM0, encoding="utf-8")
    dry = import_out(bring(api.memory, tmp_path / "mem0.json", dry_run=True))
    assert sent(api, MEM0, "?dry_run=true")[-1] == {"report": dry}
    assert api.memory.count() == 0
    *steps, last = sent(api, MEM0)
    assert last["report"]["counts"] == dry["counts"] == {"added": 450}
    assert steps[-1]["progress"] == 1.0
    told = [tx for one in steps for tx in one["transactions"]]
    assert told == last["report"]["transactions"]
    assert len(told) == 3
    assert sent(api, MEM0)[-1]["report"]["counts"] == {"unchanged": 450}
    for tx in reversed(told):
        api.told("POST", "/api/undo", json={"tx": tx})
    assert api.memory.count() == 0


def test_an_export_is_taken_in_again_and_looked_at_before(api: Api, plain: Memory) -> None:
    web = plain.project("web")
    web.remember("Deploys go out on Fridays", key="deploys")
    gone = web.remember("Mira is on holiday").id
    plain.remember("Tea is at four")
    out = api.ask("GET", "/api/export")
    assert out.headers["lamina-records"] == "3"
    assert out.headers["content-disposition"].endswith('.jsonl"')
    assert out.text.splitlines() == list(export_lines(plain))
    plain.erase(gone)
    web.edit("deploys", "Deploys go out on Mondays")
    changed = out.text.replace("Tea is at four", "Tea is at five")
    looked = sent(api, f"{changed}\n{{}}\n", "?dry_run=true")[-1]["report"]
    assert looked["applied"] is False
    assert looked["counts"] == {"unchanged": 1, "erased": 1, "failed": 2}
    done = sent(api, f"{changed}\n{{}}\n")[-1]["report"]
    assert (done["applied"], done["counts"]) == (True, looked["counts"])
    assert "says something else here" in str(done["problems"])


def test_notes_that_are_sent_twice_are_the_same_notes(api: Api) -> None:
    note = "# House\n\n- The kettle is descaled on Mondays\n- The printer is upstairs\n"
    first = sent(api, note, "?name=C:%5Cnotes%5C..%5Chouse.md")[-1]["report"]
    assert (first["format"], first["counts"]) == ("markdown", {"added": 2})
    [kept] = api.memory.query({"data.line": 3})
    assert kept.data["file"] == "house.md"
    before = [one.rev for one in api.memory.query()]
    assert sent(api, note, "?name=house.md")[-1]["report"]["counts"] == {"unchanged": 2}
    assert [one.rev for one in api.memory.query()] == before
    other = "# Boat\n\n- The anchor is in the locker\n"
    assert sent(api, other, "?name=house.md")[-1]["report"]["counts"] == {"added": 1}
    assert api.memory.count() == 3


def test_one_exports_what_one_sees_and_only_admins_bring_what_names_its_own_times(
    api: Api, plain: Memory
) -> None:
    plain.project("web").remember("canary-web", data={"password": "hunter2-hunter2"})
    plain.project("other").remember("canary-other")
    reader = api.key("ann", "reader", "web")
    for form in ("jsonl", "markdown", "server-memory", "mem0"):
        text = api.ask("GET", f"/api/export?format={form}", headers=reader).text
        assert "canary-web" in text
        assert "canary-other" not in text
        assert "hunter2" not in text
    assert api.refused("GET", "/api/export?project=other", headers=reader)[0] == 403
    agent = api.key("finn", "agent", "web")
    said = {"content": MEM0, "headers": {**HEADERS, **agent}}
    assert api.refused("POST", "/api/import", **said)[::2] == (403, "only an admin imports")
    told = sent(api, "- Finn keeps a note\n", "?name=n.md&scope=project/web/agent/finn",
                headers=agent)  # fmt: skip
    assert told[-1]["report"]["counts"] == {"added": 1}


def bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../conversations.json", "[" + " " * (70 << 20))
    return packed.getvalue()


def test_what_is_too_much_or_no_file_is_refused(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "empty" in api.refused("POST", "/api/import", content=b"", headers=HEADERS)[2]
    assert (
        "can be imported"
        in api.refused("POST", "/api/import", content=b"\x00\x01", headers=HEADERS)[2]
    )
    assert (
        "FIELD=COLUMN"
        in api.refused("POST", "/api/import?map=text", content=b"a,b\n1,2\n", headers=HEADERS)[2]
    )
    [failed] = sent(api, bomb(), "?format=chatgpt")[-1]["report"]["problems"]
    assert "200 times as large" in failed["note"]
    small = replace(api.engine.limits, import_bytes=100)
    monkeypatch.setattr(api.engine, "limits", small)
    status, code, message = api.refused("POST", "/api/import", content=MEM0, headers=HEADERS)
    assert (status, code) == (413, "too_large")
    assert "100 bytes" in message
    parts = (b"x" * 60 for _ in range(3))
    assert api.refused("POST", "/api/import", content=parts, headers=HEADERS)[0] == 413
    monkeypatch.setattr(spooling, "stopwatch", iter((0.0, 16.0)).__next__)
    status, _, message = api.refused("POST", "/api/import", content=b"x" * 90, headers=HEADERS)
    assert (status, "bytes of the file came a second" in message) == (408, True)
    assert api.memory.count() == 0


def test_who_is_revoked_meanwhile_brings_nothing_more_and_takes_nothing_more(api: Api) -> None:
    made = api.engine.keys.create("eve", "admin")

    def body() -> Iterator[bytes]:
        yield MEM0.encode()
        api.engine.keys.revoke(made.key.id)

    *_, last = sent(api, body(), headers=bearing(made.text))
    assert last["error"]["code"] == "unauthenticated"
    assert api.memory.count({"layer": "knowledge"}) == 200
    lines = ("x" * 40_000 for _ in range(4))
    with pytest.raises(UnauthenticatedError):
        list(transfer._blocks(lines, lambda: False))


def test_one_export_at_a_time_whatever_becomes_of_it(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api.engine, "limits", replace(api.engine.limits, turn_seconds=0.0))
    name = api.engine.keys.identify(api.owner["Authorization"].removeprefix("Bearer ")).key
    assert api.refused("GET", "/api/export?history=true&format=mem0")[0] == 422
    assert api.ask("GET", "/api/export").status_code == 200
    api.engine.leaving.begin(name)
    assert api.refused("GET", "/api/export")[:2] == (503, "busy")
    assert api.ask("GET", "/api/export", headers=api.key("r", "reader")).status_code == 200
    api.engine.leaving.end(name)
    assert api.ask("GET", "/api/export").status_code == 200


def test_a_file_that_is_no_export_is_given_up(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lamina.exchange._MOST_FAILED", 3)
    kept = json.dumps(json.loads(_line(api)) | {"id": "01kaf5r8q4m3n2p7d6s9t0v1w2", "key": None})
    *_, last = sent(api, f"{kept}\n" + "{}\n" * 2_000, "?format=lamina")
    assert "more than 3 lines cannot be imported; line 2:" in last["error"]["message"]
    assert api.memory.get("01kaf5r8q4m3n2p7d6s9t0v1w2").text == "one"


def _line(api: Api) -> str:
    api.memory.remember("one", key="one")
    return next(iter(export_lines(api.memory)))


def test_one_import_at_a_time_and_who_goes_away_stops_it(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(api.engine, "limits", replace(api.engine.limits, turn_seconds=0.0))
    many = json.dumps([{"id": str(n), "memory": f"Tea number {n}"} for n in range(20_000)])
    told, refused = asyncio.run(left_behind(api, many.encode()))
    assert 0 < told["progress"] < 0.9
    assert refused == 503
    stopped = api.memory.count()
    assert 0 < stopped < 20_000
    assert stopped % 200 == 0
    assert list(tmp_path.iterdir()) == []
    assert api.told("DELETE", "/api/import") == {"stopped": False}


async def left_behind(api: Api, body: bytes) -> tuple[dict[str, Any], int]:
    """Send a file, go away at the second line of the answer, and wait until the server noticed.

    Returns what was told last, and how another import was answered meanwhile.
    """
    parts: list[dict[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]
    gone, said = asyncio.Event(), list[bytes]()
    headers = [(b"host", b"127.0.0.1"), (b"authorization", api.owner["Authorization"].encode())]
    scope = {
        "type": "http", "http_version": "1.1", "scheme": "http", "method": "POST",
        "path": "/api/import", "raw_path": b"/api/import", "query_string": b"", "root_path": "",
        "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "headers": headers,
    }  # fmt: skip
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        if parts:
            return parts.pop()
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.body" and message["body"]:
            said.append(message["body"])
            gone.set()

    async def send_other(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    running = asyncio.ensure_future(api.client.app(scope, receive, send))  # type: ignore[arg-type]
    await gone.wait()
    await api.client.app(scope, receive, send_other)  # type: ignore[arg-type]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    key = api.engine.keys.identify(api.owner["Authorization"].removeprefix("Bearer ")).key
    while True:
        try:
            api.engine.turns.begin(key)
        except Exception:
            await asyncio.sleep(0.01)
        else:
            api.engine.turns.end(key)
            return json.loads(said[-1]), statuses[0]
