"""Routes that say what they ask of a caller; one that does not say cannot be declared."""

import functools
import inspect
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeVar

from fastapi import APIRouter, Depends, Request
from fastapi.dependencies.models import Dependant
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from lamina.clock import stopwatch
from lamina.core.permissions import Permission, check_permission
from lamina.core.principal import Principal
from lamina.errors import LaminaError, StoreUnavailableError
from lamina.memory import Memory
from lamina.surfaces.http import strict
from lamina.surfaces.http.bearer import shown_in
from lamina.surfaces.http.engine import Engine, Limits
from lamina.surfaces.http.problems import status_of
from lamina.surfaces.http.pulse import Part, is_ours
from lamina.surfaces.http.shapes import PROBLEMS
from lamina.tokens import Identity

F = TypeVar("F", bound=Callable[..., Any])
_PERMISSION: Final = "x-permission"
_IN_OUTAGES: Final = "x-in-outages"
_WORK: Final = frozenset((Permission.READ, Permission.WRITE, Permission.SETTLE))
"""What is asked for by routes that really read or write."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls a route, with the store as they see it."""

    memory: Memory
    identity: Identity
    """What to ask the keys about again, where an answer takes longer than a moment."""
    limits: Limits

    @property
    def principal(self) -> Principal:
        """Who they are."""
        return self.identity.principal


def engine_of(request: Request) -> Engine:
    """The engine of the application that a request came to."""
    found: Engine = request.app.state.engine
    return found


async def caller_of(request: Request) -> Caller:
    """Who sent a request, once they have shown it and their role has the route's permission."""
    engine, shown = engine_of(request), shown_in(request.headers)
    route = request.scope["route"]
    identity = engine.keys.known(shown)
    if identity is None:
        try:
            identity = await run_in_threadpool(engine.keys.identify, shown)
        except StoreUnavailableError:
            # Nor could anybody have taken the key back meanwhile: that is kept in the store too.
            identity = engine.keys.last_known(shown) if _tells_of_outages(route) else None
            if identity is None:
                raise
    check_permission(identity.principal, permission_of(route))
    return Caller(engine.handle(identity.principal), identity, engine.limits)


async def _known_caller(request: Request) -> Caller:
    """Who sent a request, as the route has found out before it read anything else."""
    known: Caller = request.state.caller
    return known


Called = Annotated[Caller, Depends(_known_caller)]
"""The parameter of a route that needs to know who calls; all but those for anyone do."""


class StrictRoute(APIRoute):
    """A route that knows who calls before it reads what they say, and reads that strictly."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The usual way to answer, behind what is checked of every request."""
        answer = super().get_route_handler()
        known = frozenset(_parameters(self.dependant))

        async def checked(request: Request) -> Response:
            begun = stopwatch()
            try:
                response = await strictly(request)
            except Exception as error:
                _tell(request, self, begun, error)
                raise
            _tell(request, self, begun, response)
            return response

        async def strictly(request: Request) -> Response:
            if permission_of(self) is not Permission.ANYONE:
                request.state.caller = await caller_of(request)
            strict.check_query(request, known)
            if self.body_field is not None:
                await strict.read_json(request, engine_of(request).limits)
            return await answer(request)

        return checked


def _tell(request: Request, route: APIRoute, begun: float, end: Response | Exception) -> None:
    """Count a request, and take note of what it says about the server's health."""
    engine = engine_of(request)
    status = status_of(end) if isinstance(end, Exception) else end.status_code
    engine.meter.count(request.method, route.path, status, stopwatch() - begun)
    if permission_of(route) not in _WORK:
        return
    part = Part.READ if permission_of(route) is Permission.READ else Part.WRITE
    if isinstance(end, LaminaError) and is_ours(end):
        engine.pulse.failed(part, end.message)
    elif not isinstance(end, Exception):
        engine.pulse.worked(part)


class Routes:
    """A router on which each route declares the permission it asks for."""

    def __init__(self, prefix: str = "", tag: str = "") -> None:
        self.router = APIRouter(prefix=prefix, tags=[tag] if tag else None, route_class=StrictRoute)

    def add(
        self,
        method: str,
        path: str,
        permission: Permission,
        *,
        in_outages: bool = False,
        **settings: Any,
    ) -> Callable[[F], F]:
        """Declare a route; its docstring is its description in the schema.

        What it answers with goes out as it is, so `answers` names its shape for the schema alone.
        What answers `in_outages` of the store admits who was known before.
        """
        settings = {"response_model": None, "status_code": 200, **settings}
        status = settings["status_code"]
        extra = {**settings.pop("openapi_extra", {}), _PERMISSION: permission.value}
        if in_outages:
            extra[_IN_OUTAGES] = True
        responses: dict[int | str, Any] = {**PROBLEMS, **settings.pop("responses", {})}
        if (shape := settings.pop("answers", None)) is not None:
            responses[status] = {"model": shape, **responses.get(status, {})}

        def declare(function: F) -> F:
            self.router.add_api_route(
                path, _answering(function, status), methods=[method], openapi_extra=extra,
                responses=responses, **settings,
            )  # fmt: skip
            return function

        return declare


def _answering(function: Callable[..., Any], status: int) -> Callable[..., Any]:
    """The function, with JSON of its answer made in the thread that it works in."""
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return function

    @functools.wraps(function)
    def answer(*arguments: Any, **named: Any) -> Response:
        found = function(*arguments, **named)
        return found if isinstance(found, Response) else JSONResponse(found, status)

    return answer


def _parameters(dependant: Dependant) -> Iterator[str]:
    """The names that a route can be asked with in its address."""
    for one in dependant.query_params:
        shape = one.field_info.annotation
        if isinstance(shape, type) and issubclass(shape, BaseModel):
            yield from (field.alias or name for name, field in shape.model_fields.items())
        else:
            yield one.alias
    for inner in dependant.dependencies:
        yield from _parameters(inner)


def permission_of(route: Any) -> Permission:
    """What a route asks for; one that says nothing is closed to everybody but admins."""
    return Permission(_said(route, _PERMISSION, Permission.ADMIN))


def _tells_of_outages(route: Any) -> bool:
    return bool(_said(route, _IN_OUTAGES, False))


def _said(route: Any, name: str, otherwise: Any) -> Any:
    return (getattr(route, "openapi_extra", None) or {}).get(name, otherwise)
