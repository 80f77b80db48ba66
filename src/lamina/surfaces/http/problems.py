"""Errors as problem details (RFC 9457), around the one shape that every surface uses."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from fastapi.responses import JSONResponse

from lamina import errors
from lamina.surfaces.wire import error_out

if TYPE_CHECKING:
    from fastapi import FastAPI, Request

    from lamina.errors import LaminaError

MEDIA_TYPE: Final = "application/problem+json"

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
    errors.StoreFullError: HTTPStatus.INSUFFICIENT_STORAGE,
    errors.SecretError: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.EmbedderError: HTTPStatus.BAD_GATEWAY,
    errors.EmbedderUnavailableError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.ModelError: HTTPStatus.BAD_GATEWAY,
    errors.ModelUnavailableError: HTTPStatus.SERVICE_UNAVAILABLE,
}
"""The status of each class of the error tree; a class from elsewhere counts as its ancestor."""


def problem(
    status: int, told: dict[str, Any], headers: dict[str, str] | None = None
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


def problem_of(error: LaminaError) -> JSONResponse:
    """The response for one of our errors."""
    status = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    headers = {"WWW-Authenticate": "Bearer"} if status is HTTPStatus.UNAUTHORIZED else {}
    if error.retryable:
        headers["Retry-After"] = "1"
    return problem(status, error_out(error), headers)


def answer_with_problems(app: FastAPI) -> None:
    """Have every error of ours answered as a problem."""

    def answer(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, errors.LaminaError)
        return problem_of(error)

    app.add_exception_handler(errors.LaminaError, answer)
