"""Errors as problem details (RFC 9457), around the one shape that every surface uses."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Route

from lamina import errors
from lamina.surfaces.wire import error_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fastapi import FastAPI, Request

    from lamina.errors import LaminaError

MEDIA_TYPE: Final = "application/problem+json"
_log: Final = logging.getLogger(__name__)

STATUS: Final[dict[type[LaminaError], HTTPStatus]] = {
    errors.LaminaError: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.InvalidInputError: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.NotFoundError: HTTPStatus.NOT_FOUND,
    errors.ForbiddenError: HTTPStatus.FORBIDDEN,
    errors.UnauthenticatedError: HTTPStatus.UNAUTHORIZED,
    errors.ConflictError: HTTPStatus.CONFLICT,
    errors.UnsupportedError: HTTPStatus.NOT_IMPLEMENTED,
    errors.BusyError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.StoreError: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.StoreUnavailableError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.StoreReadOnlyError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.StoreFullError: HTTPStatus.INSUFFICIENT_STORAGE,
    errors.SecretError: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.EmbedderError: HTTPStatus.BAD_GATEWAY,
    errors.EmbedderUnavailableError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.ModelError: HTTPStatus.BAD_GATEWAY,
    errors.ModelUnavailableError: HTTPStatus.SERVICE_UNAVAILABLE,
}
"""The status of each class of the error tree; a class from elsewhere counts as its ancestor."""

_PLAIN: Final = {
    HTTPStatus.NOT_FOUND: (
        "not_found", "nothing is at this address", "`/openapi.json` lists every address"),
    HTTPStatus.METHOD_NOT_ALLOWED: (
        "method_not_allowed", "this address does not take that method",
        "The header Allow says which it takes"),
}  # fmt: skip


class Refusal(HTTPException):
    """What is wrong with a request as such, before it reaches any memory; to be raised or told."""

    def __init__(
        self,
        status: HTTPStatus,
        code: str,
        message: str,
        remedy: str = "",
        *,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, message, dict(headers) if headers else None)
        passes = status is HTTPStatus.TOO_MANY_REQUESTS
        self.told = _told(code, message, remedy, retryable=passes)

    def answer(self) -> JSONResponse:
        """The response that tells it."""
        return problem(self.status_code, self.told, self.headers)


def not_json() -> Refusal:
    """A body comes along that does not say it is JSON."""
    return Refusal(
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        "unsupported_media_type",
        "the body is not said to be JSON",
        "Send the header Content-Type: application/json",
    )


def problem(
    status: int, told: dict[str, Any], headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """A response that tells what is wrong: `told` is what `error_out` made."""
    error = told["error"]
    body = {
        "type": f"urn:lamina:error:{error['code']}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": error["message"],
        **told,
    }
    return JSONResponse(body, status, headers, media_type=MEDIA_TYPE)


def status_of(error: Exception) -> int:
    """The status that an error is answered with."""
    if isinstance(error, HTTPException):
        return error.status_code
    if isinstance(error, RequestValidationError):
        return HTTPStatus.UNPROCESSABLE_ENTITY
    found = (STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    return next(found, HTTPStatus.INTERNAL_SERVER_ERROR)


def problem_of(error: LaminaError) -> JSONResponse:
    """The response for one of our errors."""
    status = status_of(error)
    headers = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else {}
    if error.retryable:
        headers["Retry-After"] = "1"
    return problem(status, error_out(error), headers)


def answer_with_problems(app: FastAPI) -> None:
    """Have every error answered as a problem, whoever raised it."""
    for kind, answer in (
        (errors.LaminaError, _of_ours),
        (RequestValidationError, _of_input),
        (HTTPException, _of_http),
        (Exception, _of_strange),
    ):
        app.add_exception_handler(kind, answer)


def _of_ours(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, errors.LaminaError)
    return problem_of(error)


def _of_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if isinstance(error, Refusal):
        return error.answer()
    status = HTTPStatus(error.status_code)
    usual = ("invalid_input", str(error.detail), "")
    headers = dict(error.headers or {})
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        # Each method of an address is a route of its own, and knows of no other.
        methods = set(_methods(request.app.routes, request.url.path))
        headers["Allow"] = ", ".join(sorted(methods))
    return problem(status, _told(*_PLAIN.get(status, usual)), headers)


def _methods(routes: Iterable[Any], path: str) -> Iterator[str]:
    """What an address takes, by whichever route."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from _methods(inner.routes, path)
        elif isinstance(route, Route) and route.path_regex.match(path):
            yield from route.methods or ()


def _of_input(_: Request, error: Exception) -> JSONResponse:
    """The first thing that is wrong with what was said, by its name."""
    assert isinstance(error, RequestValidationError)
    wrong = error.errors()[0]
    # The first part says where it was looked for: in the body, the query or the path.
    where, *rest = [str(part) for part in wrong["loc"] if not str(part).isupper()]
    name = ".".join(rest) or where
    match wrong["type"]:
        case "extra_forbidden":
            message = f"`{name:.80}` is not something this request takes"
        case "missing":
            message = f"`{name:.80}` is missing"
        case _:
            message = f"`{name:.80}`: {wrong['msg'][:1].lower()}{wrong['msg'][1:]:.200}"
    remedy = "`/openapi.json` says what this request takes"
    return problem_of(errors.InvalidInputError(message, remedy=remedy))


def _of_strange(request: Request, error: Exception) -> JSONResponse:
    _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    message = "the server failed to answer this; what went wrong is in its log"
    told = _told("internal", message, "Try again; if it happens again, report it with the log")
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, told)


def _told(code: str, message: str, remedy: str, *, retryable: bool = False) -> dict[str, Any]:
    return {
        "error": {"code": code, "message": message, "remedy": remedy, "retryable": retryable},
    }
