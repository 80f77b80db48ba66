"""Every route of the application, in every role and without any: the verdict is the table's."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import Mount

import lamina
from lamina import clock
from lamina.core.permissions import GRANTED, Permission
from lamina.core.principal import Role
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine, Limits
from lamina.surfaces.http.routing import permission_of
from lamina.tokens import Keys
from tests.http.in_process import ask
from tests.serving import bearing

OPEN = {
    "/healthz": 200, "/readyz": 200, "/openapi.json": 200, "/docs": 200, "/": 200,
    "/assets/{name}": 404, "/api/auth/enter": 422, "/api/auth/leave": 422,
}  # fmt: skip
"""What anyone may ask, and what they are told of nothing in particular: that the server is there,
what every server of this version says, and to be let in for a code that opens once."""


@pytest.fixture(scope="module")
def app() -> Iterator[FastAPI]:
    with lamina.open(":memory:") as memory:
        memory.configure("recall.embedder", "off")
        yield create_app(Engine(memory, Limits(attempts=1_000_000)))


@pytest.fixture(scope="module")
def keys(app: FastAPI) -> Keys:
    found: Keys = app.state.engine.keys
    return found


@pytest.fixture(scope="module")
def routes(app: FastAPI) -> list[tuple[str, Any]]:
    return list(every_route(app.routes))


def every_route(routes: Any) -> Iterator[tuple[str, Any]]:
    """All routes of an application, also those of the routers that it has taken in."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from every_route(inner.routes)
        else:
            yield route.path, route


def methods_of(route: Any) -> list[str]:
    return list(getattr(route, "methods", None) or ["GET", "POST", "DELETE"])


def address(path: str) -> str:
    """An address that a path pattern takes, of something that is not there."""
    return "/".join("nothing-here" if "{" in part else part for part in path.split("/"))


def strangers(keys: Keys) -> dict[str, dict[str, str]]:
    """What shows nothing valid, two hours from now."""
    revoked, expired = keys.create("gone", "admin"), keys.create("late", "admin", expires="1h")
    token = keys.exchange(revoked.text).text
    keys.revoke(revoked.key.id)
    return {
        "nothing": {},
        "a key that was never made": bearing(f"lmk_{'a' * 16}_{'a' * 52}"),
        "a revoked key": bearing(revoked.text),
        "the token of a revoked key": bearing(token),
        "an expired key": bearing(expired.text),
        "an expired token": bearing(keys.exchange(keys.create("user", "admin").text).text),
        "another scheme": {"Authorization": f"Basic {keys.create('user', 'admin').text}"},
    }


def test_every_route_declares_what_it_asks(routes: list[tuple[str, Any]]) -> None:
    silent = [
        path
        for path, route in routes
        if not isinstance(route, Mount)
        and not (isinstance(route, APIRoute) and "x-permission" in (route.openapi_extra or {}))
    ]
    assert silent == []
    open_to_all = {path for path, route in routes if permission_of(route) is Permission.ANYONE}
    assert open_to_all <= OPEN.keys()


def test_nobody_comes_in_without_a_valid_key(
    app: FastAPI, keys: Keys, routes: list[tuple[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    who = strangers(keys)
    real = clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + timedelta(hours=2))

    async def let_in() -> list[Any]:
        return [
            (method, path, name, status)
            for path, route in routes
            for method in methods_of(route)
            for name, headers in who.items()
            if (status := (await ask(app, method, address(path), headers)).status)
            != OPEN.get(path, 401)
        ]

    assert asyncio.run(let_in()) == []


def test_the_role_decides_as_the_table_says(
    app: FastAPI, keys: Keys, routes: list[tuple[str, Any]]
) -> None:
    declared = [(path, route) for path, route in routes if not isinstance(route, Mount)]

    async def wrong() -> list[Any]:
        found = []
        for role in Role:
            headers = bearing(keys.create("somebody", role, project="web").text)
            for path, route in declared:
                [method] = methods_of(route)
                status, text = await ask(app, method, address(path), headers)
                # What the library refuses beyond that is for this record or place alone.
                denied = status == 403 and "needs the permission" in text
                if status == 401 or denied == (permission_of(route) in GRANTED[role]):
                    found.append((role.value, method, path, status))
        return found

    assert asyncio.run(wrong()) == []
