"""Has every `lamina.open` of a test answered by a handle that is connected to a real server."""

import functools
from contextlib import ExitStack, suppress
from typing import Any

import pytest

import lamina
from lamina import LaminaError, Memory, opening
from lamina.core.names import check_name
from lamina.core.principal import Principal, Surface, check_role
from lamina.core.scope import Scope
from lamina.remote import connect
from lamina.surfaces.http.engine import Engine
from lamina.tokens import Keys
from tests.serving import serving

_open = opening.open
_ending: list[ExitStack] = []


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
    server = ending.enter_context(serving(whole, engine))
    far = connect(server.url, key=server.key)
    close = far.store.close
    ending.callback(close)
    far.store.close = ending.close  # type: ignore[method-assign]  # the server goes with it
    _ending.append(ending)
    return far if who == far.principal else far.acting(who)


opening.open = _connected
lamina.open = _connected


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End what tests have left open."""
    del session
    while _ending:
        with suppress(LaminaError, OSError):
            _ending.pop().close()
