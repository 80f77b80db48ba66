"""How a browser signs in, and what it is given before it has."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

import lamina
from lamina import clock
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine
from lamina.surfaces.ui.files import pages
from lamina.tokens import Keys, codes
from lamina.tokens.codes import Codes
from tests.http.in_process import ask
from tests.serving import bearing


@pytest.fixture(scope="module")
def app() -> Iterator[FastAPI]:
    with lamina.open(":memory:") as memory:
        memory.configure("recall.embedder", "off")
        memory.project("web").remember("one")
        memory.project("other").remember("two")
        memory.project("web").remember("three")
        yield create_app(Engine(memory))


@pytest.fixture(scope="module")
def keys(app: FastAPI) -> Keys:
    found: Keys = app.state.engine.keys
    return found


def told(app: FastAPI, method: str, path: str, shown: str = "", body: Any = None) -> Any:
    headers = bearing(shown) if shown else {}
    sent = b"" if body is None else json.dumps(body).encode()
    status, text = asyncio.run(ask(app, method, path, headers, sent))
    return (status, json.loads(text))


def test_a_code_opens_once_and_brings_the_next(app: FastAPI, keys: Keys) -> None:
    key = keys.create("ann", "reader", project="web").text
    _, issued = told(app, "POST", "/api/auth/codes", key)
    status, entered = told(app, "POST", "/api/auth/enter", body=issued)
    assert (status, entered["principal"]["name"]) == (200, "ann")
    assert told(app, "GET", "/api/auth/me", entered["token"])[1]["principal"]["role"] == "reader"
    assert told(app, "POST", "/api/auth/enter", body=issued)[0] == 401
    again = {"code": entered["next_code"]}
    status, renewed = told(app, "POST", "/api/auth/enter", body=again)
    assert status == 200
    assert told(app, "GET", "/api/auth/me", renewed["token"])[0] == 200
    assert told(app, "POST", "/api/auth/enter", body=again)[0] == 401


def test_a_token_is_given_no_code(app: FastAPI, keys: Keys) -> None:
    token = keys.exchange(keys.create("ann", "admin").text).text
    assert told(app, "POST", "/api/auth/codes", token)[0] == 403


def test_a_code_ends_with_its_key(app: FastAPI, keys: Keys) -> None:
    made = keys.create("bob", "admin")
    _, issued = told(app, "POST", "/api/auth/codes", made.text)
    keys.revoke(made.key.id)
    assert told(app, "POST", "/api/auth/enter", body=issued)[0] == 401


def test_codes_run_out_and_so_does_renewing(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: now[0])
    whole = lamina.open(":memory:")
    key, given = Keys(whole).create("eve", "admin").text, Codes(whole)
    late = given.issue(key)
    now[0] += codes.FIRST
    with pytest.raises(lamina.errors.UnauthenticatedError):
        given.trade(late)
    code, begun = given.issue(key), now[0]
    while now[0] < begun + codes.WHOLE:
        code = given.trade(code).code
        now[0] += codes.NEXT / 2
    with pytest.raises(lamina.errors.UnauthenticatedError):
        given.trade(code)


def test_a_code_opens_once_whichever_server_is_asked_and_whenever_it_was_started(
    tmp_path: Path,
) -> None:
    with lamina.open(tmp_path / "one") as first, lamina.open(tmp_path / "one") as second:
        key = Keys(first).create("ann", "admin").text
        before = Codes(first).trade(Codes(first).issue(key)).code
        after = Codes(second).trade(before)
        assert Keys(first).identify(after.token.text).principal.name == "ann"
        for whole in (first, second):
            with pytest.raises(lamina.errors.UnauthenticatedError):
                Codes(whole).trade(before)
        Codes(first).end(after.code)
        with pytest.raises(lamina.errors.UnauthenticatedError):
            Codes(second).trade(after.code)


def test_undoing_that_somebody_signed_in_gives_no_code_back() -> None:
    with lamina.open(":memory:") as whole:
        given = Codes(whole)
        code = given.issue(Keys(whole).create("ann", "admin").text)
        given.trade(code)
        [used] = whole.query({"layer": "access", "kind": "code"})
        whole.undo(whole.history(used.id)[0].event.tx)
        with pytest.raises(lamina.errors.UnauthenticatedError):
            given.trade(code)


def test_a_code_of_another_store_or_of_our_own_making_opens_nothing(
    app: FastAPI, keys: Keys
) -> None:
    code = Codes(app.state.engine.whole).issue(keys.create("ann", "admin").text)
    prefix, key_id, begun, ends, nonce, signature = code.split("_")
    later = f"{int(ends) + 1:010d}"
    forged = [
        "_".join((prefix, key_id, begun, later, nonce, signature)),
        "_".join((prefix, key_id, later, ends, nonce, signature)),
        "_".join((prefix, key_id, begun, ends, nonce[::-1], signature)),
        "_".join((prefix, "a" * 16, begun, ends, nonce, signature)),
        f"lmt_{key_id}_{ends}_{signature}",
        "x" * 256,
        "",
    ]
    with lamina.open(":memory:") as other, pytest.raises(lamina.errors.UnauthenticatedError):
        Codes(other).trade(code)
    for text in forged:
        assert told(app, "POST", "/api/auth/enter", body={"code": text})[0] == 401, text
        assert told(app, "POST", "/api/auth/leave", body={"code": text})[0] == 401, text
    assert told(app, "GET", "/api/auth/me", code)[0] == 401
    assert told(app, "POST", "/api/auth/leave", body={"code": code}) == (200, {"left": True})
    assert told(app, "POST", "/api/auth/enter", body={"code": code})[0] == 401


def test_the_files_are_for_anybody_and_name_no_other_place(app: FastAPI) -> None:
    index = asyncio.run(ask(app, "GET", "/", {})).text
    names = [name for name in pages() if name != "index.html"]
    first = {name for name in names if f"/assets/{name}" in index}
    assert {name.rpartition(".")[2] for name in first} == {"js", "css", "svg"}
    for name in names:
        assert asyncio.run(ask(app, "GET", f"/assets/{name}", {})).status == 200
    whole = b"".join(page.body for page in pages().values())
    allowed = (b"http://www.w3.org/", b"https://www.w3.org/")
    for scheme in (b"http://", b"https://", b"//cdn"):
        for rest in whole.split(scheme)[1:]:
            assert (scheme + rest).startswith(allowed), rest[:60]
    assert sum(len(pages()[name].packed) for name in first if name.endswith(".js")) <= 60_000


@pytest.mark.parametrize(
    "name",
    ["../files.py", "..%2ffiles.py", "%2e%2e/server.key", "....//index.html", "", "\0", "index"],
)
def test_no_name_of_a_file_leads_out_of_the_folder(app: FastAPI, name: str) -> None:
    assert asyncio.run(ask(app, "GET", f"/assets/{name}", {})).status == 404


def test_the_last_changes_come_newest_first_and_only_ones_own(app: FastAPI, keys: Keys) -> None:
    owner, guest = keys.create("user", "admin").text, keys.create("g", "reader", project="web").text
    _, mine = told(app, "GET", "/api/changes/latest", guest)
    assert [one["record"]["text"] for one in mine["changes"]] == ["three", "one"]
    _, everything = told(app, "GET", "/api/changes/latest", owner)
    seen = [one["record"]["text"] for one in everything["changes"] if one["record"]]
    assert [text for text in seen if text in ("one", "two", "three")] == ["three", "two", "one"]
