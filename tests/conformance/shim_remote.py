"""Has every `lamina.open` of a test answered by a handle that is connected to a real server."""

import functools
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi import FastAPI

import lamina
from lamina import LaminaError, Memory, opening
from lamina.core.names import check_name
from lamina.core.principal import Principal, Surface, check_role
from lamina.core.scope import Scope
from lamina.remote import connect
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine
from lamina.tokens import Keys
from tests.serving import listening

_open = opening.open
_servers = ExitStack()
_ending: list[ExitStack] = []


@dataclass(frozen=True, slots=True)
class _Server:
    """A server that is given one store after the other: to start one takes its time."""

    url: str
    app: FastAPI


_idle: list[_Server] = []


def _server() -> _Server:
    if _idle:
        return _idle.pop()
    engine = Engine(_servers.enter_context(_open(":memory:")))
    app = create_app(engine)
    return _Server(_servers.enter_context(listening(app, engine)).url, app)


@functools.wraps(_open)
def _connected(where: Any = None, **how: Any) -> Memory:
    given = {name: how.pop(name) for name in ("project", "name", "role") if name in how}
    how.pop("surface", None)
    project, name, role = (given.get(one) for one in ("project", "name", "role"))
    root = None if project is None else Scope.of(f"project/{check_name(project, 'project')}")
    who = Principal(name or "user", check_role(role or "admin"), root, Surface.HTTP)
    ending = ExitStack()
    whole = ending.enter_context(_open(where, **how))
    engine = Engine(whole)
    # Kept elsewhere, or tests that count and follow would meet the key.
    engine.keys = Keys(ending.enter_context(_open(":memory:")))
    server = _server()
    ending.callback(_idle.append, server)
    ending.callback(engine.hub.close)
    server.app.state.engine = engine
    far = connect(server.url, key=engine.keys.create("user", "admin").text)
    ending.callback(far.store.close)
    far.store.close = ending.close  # type: ignore[method-assign]  # the store goes with it
    _ending.append(ending)
    return far if who == far.principal else far.acting(who)


opening.open = _connected
lamina.open = _connected


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of tests that run on every store in turn, keep those on the default one."""
    other = [one for one in items if _is_on_another_store(one)]
    items[:] = [one for one in items if one not in other]
    config.hook.pytest_deselected(items=other)


def _is_on_another_store(item: pytest.Item) -> bool:
    found = getattr(item, "callspec", None)
    given = [] if found is None else list(found.params.values())
    return "ephemeral" in given or "json" in given


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End what tests have left open."""
    del session
    while _ending:
        with suppress(LaminaError, OSError):
            _ending.pop().close()
    _servers.close()
