"""Errors as the protocol tells them, around the one shape that every surface uses."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from lamina.errors import ForbiddenError, InvalidInputError, LaminaError, NotFoundError
from lamina.surfaces.wire import error_out

_OF_THE_CALLER: Final = (InvalidInputError, NotFoundError, ForbiddenError)


def refused(error: LaminaError) -> MCPError:
    """One of our errors, where a request has no answer of its own to tell it with."""
    told = error_out(error)
    code = INVALID_PARAMS if isinstance(error, _OF_THE_CALLER) else INTERNAL_ERROR
    return MCPError(code=code, message=told["error"]["message"], data=told)


def unexpected(error: Exception) -> LaminaError:
    """What nobody has foreseen: told by its sort alone, for its words may be anybody's."""
    return LaminaError(
        f"something unexpected happened ({type(error).__name__})",
        remedy="The log of the server tells more",
    )


@contextmanager
def told() -> Iterator[None]:
    """Tell errors of ours as the protocol does."""
    try:
        yield
    except LaminaError as error:
        raise refused(error) from error
