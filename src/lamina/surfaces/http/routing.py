"""Routes that say what they ask of a caller; one that does not say cannot be declared."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeVar

from fastapi import APIRouter, Depends, Request

from lamina.core.permissions import Permission, check_permission
from lamina.core.principal import Principal
from lamina.memory import Memory
from lamina.surfaces.http.bearer import shown_in
from lamina.surfaces.http.engine import Engine

F = TypeVar("F", bound=Callable[..., Any])
_PERMISSION: Final = "x-permission"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls a route, with the store as they see it."""

    principal: Principal
    memory: Memory
    key: str
    """The id of the key that let them in."""


def engine_of(request: Request) -> Engine:
    """The engine of the application that a request came to."""
    found: Engine = request.app.state.engine
    return found


def caller_of(request: Request) -> Caller:
    """Who sent a request, once they have shown it and their role has the route's permission."""
    engine = engine_of(request)
    identity = engine.keys.identify(shown_in(request.headers))
    route = request.scope["route"]
    check_permission(identity.principal, permission_of(route))
    return Caller(identity.principal, engine.handle(identity.principal), identity.key)


Called = Annotated[Caller, Depends(caller_of)]
"""The parameter of a route that needs to know who calls; all but those for anyone do."""


class Routes:
    """A router on which each route declares the permission it asks for."""

    def __init__(self, prefix: str = "", tag: str = "") -> None:
        self.router = APIRouter(prefix=prefix, tags=[tag] if tag else None)

    def add(
        self, method: str, path: str, permission: Permission, **settings: Any
    ) -> Callable[[F], F]:
        """Declare a route; its docstring is its description in the schema."""
        extra = {**settings.pop("openapi_extra", {}), _PERMISSION: permission.value}
        # Checked for each route, also where the function has no use for the caller.
        checks = [] if permission is Permission.ANYONE else [Depends(caller_of)]
        return self.router.api_route(
            path, methods=[method], openapi_extra=extra, dependencies=checks, **settings
        )


def permission_of(route: Any) -> Permission:
    """What a route asks for; one that says nothing is closed to everybody but admins."""
    extra = getattr(route, "openapi_extra", None) or {}
    return Permission(extra.get(_PERMISSION, Permission.ADMIN))
