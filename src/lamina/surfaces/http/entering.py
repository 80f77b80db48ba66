"""How a browser signs in: a key for a code, a code for a token."""

from typing import Any

from fastapi import Request
from pydantic import Field

from lamina.core.permissions import Permission
from lamina.surfaces import wire_keys
from lamina.surfaces.http import key_shapes
from lamina.surfaces.http.bearer import shown_in
from lamina.surfaces.http.routing import Routes, engine_of
from lamina.surfaces.http.shapes import Body
from lamina.tokens.forms import LONGEST

ROUTES = Routes("/api/auth", tag="auth")


class Shown(Body):
    """What a page has been given."""

    code: str = Field(max_length=LONGEST)


@ROUTES.add("POST", "/codes", Permission.KNOWN, answers=key_shapes.Code)
def issue_code(request: Request) -> dict[str, Any]:
    """A code for the key that is shown as bearer; it opens once, within two minutes."""
    return {"code": engine_of(request).codes.issue(shown_in(request.headers))}


@ROUTES.add("POST", "/enter", Permission.ANYONE, answers=key_shapes.Entered)
def enter(request: Request, body: Shown) -> dict[str, Any]:
    """Trade a code for a token, and for the code that the next token is traded for."""
    return wire_keys.entered_out(engine_of(request).codes.trade(body.code))


@ROUTES.add("POST", "/leave", Permission.ANYONE, answers=key_shapes.SignedOut)
def leave(request: Request, body: Shown) -> dict[str, Any]:
    """Give the code for the next token back, so that nobody renews anything with it."""
    engine_of(request).codes.end(body.code)
    return {"left": True}
