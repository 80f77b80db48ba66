"""What a request shows in order to be let in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.datastructures import Headers

_BEARER: Final = "bearer "


def shown_in(headers: Headers) -> str | None:
    """The key or token that a request shows; nothing where it shows none, or two."""
    said = headers.getlist("authorization")
    if len(said) != 1 or said[0][: len(_BEARER)].lower() != _BEARER:
        return None
    return said[0][len(_BEARER) :].strip(" ")
