"""Every route of the application, in every role and without any: the verdict is the table's."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from fastapi.routing import APIRoute
from starlette.routing import Mount

import lamina
from lamina import clock
from lamina.core.permissions import GRANTED, Permission
from lamina.core.principal import Role
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.routing import permission_of
from tests.serving import Served, bearing, serving

OPEN = {"/healthz", "/openapi.json", "/docs"}
"""What anyone may ask: that the server is there, and what every server of this version says."""
REFUSED = (401, 403)


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with lamina.open(":memory:") as memory:
        memory.configure("recall.embedder", "off")
        with serving(memory) as served:
            yield served


def every_route(routes: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """All routes of an application, also those of what is mounted in it."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from every_route(inner.routes, prefix)
        else:
            yield prefix + route.path, route


@pytest.fixture(scope="module")
def routes(server: Served) -> list[tuple[str, Any]]:
    return list(every_route(create_app(server.engine).routes))


def address(path: str) -> str:
    """An address that a path pattern takes, of something that is not there."""
    return "/".join("nothing-here" if "{" in part else part for part in path.split("/"))


def asked(client: httpx2.Client, method: str, path: str, headers: dict[str, str]) -> int:
    """The status of the answer; what follows, which may be a stream without end, is left."""
    with client.stream(method, address(path), headers=headers) as answer:
        return answer.status_code


def strangers(server: Served) -> dict[str, dict[str, str]]:
    """What shows nothing valid."""
    keys = server.engine.keys
    revoked, expired = keys.create("gone", "admin"), keys.create("late", "admin", expires="1h")
    token = keys.exchange(revoked.text).text
    keys.revoke(revoked.key.id)
    return {
        "nothing": {},
        "nonsense": bearing("nonsense"),
        "a key that was never made": bearing(f"lmk_{'a' * 16}_{'a' * 52}"),
        "a revoked key": bearing(revoked.text),
        "the token of a revoked key": bearing(token),
        "an expired key": bearing(expired.text),
        "another scheme": {"Authorization": f"Basic {server.key}"},
    }


def test_every_route_declares_what_it_asks(routes: list[tuple[str, Any]]) -> None:
    silent = [
        path
        for path, route in routes
        if not isinstance(route, Mount)
        and not (isinstance(route, APIRoute) and "x-permission" in (route.openapi_extra or {}))
    ]
    assert silent == []
    assert len(routes) >= 6
    open_to_all = {path for path, route in routes if permission_of(route) is Permission.ANYONE}
    assert open_to_all <= OPEN


def test_nobody_comes_in_without_a_valid_key(
    server: Served, routes: list[tuple[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    who = strangers(server)
    real = clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + timedelta(hours=2))
    let_in = []
    with httpx2.Client(base_url=server.url) as client:
        for path, route in routes:
            for method in getattr(route, "methods", None) or ["GET", "POST"]:
                for name, headers in who.items():
                    status = asked(client, method, path, headers)
                    # After ten tries with one key nobody looks at the eleventh.
                    expected = (200,) if path in OPEN else (401, 429)
                    if status not in expected:
                        let_in.append((method, path, name, status))
    assert let_in == []


def test_the_role_decides_as_the_table_says(server: Served, routes: list[tuple[str, Any]]) -> None:
    wrong = []
    with httpx2.Client(base_url=server.url) as client:
        for role in Role:
            project = None if role is Role.ADMIN else "web"
            headers = server.headers_of("somebody", role, project)
            for path, route in routes:
                if isinstance(route, Mount):
                    continue
                [method] = route.methods
                status = asked(client, method, path, headers)
                may = permission_of(route) in GRANTED[role]
                if (status not in REFUSED) != may:
                    wrong.append((role.value, method, path, status))
    assert wrong == []
