"""Who somebody is: keys exchanged for tokens, and keys made and revoked by the owner."""

from typing import Any

from fastapi import Request
from pydantic import Field

from lamina.core.permissions import Permission
from lamina.surfaces import wire_keys
from lamina.surfaces.http import key_shapes
from lamina.surfaces.http.bearer import shown_in
from lamina.surfaces.http.routing import Called, Routes, engine_of
from lamina.surfaces.http.shapes import Body
from lamina.tokens import Keys

ROUTES = Routes("/api/auth", tag="auth")


class WantedKey(Body):
    """For whom a key is to be made."""

    name: str = Field(examples=["finn"])
    role: str = Field("agent", examples=["reader"])
    project: str | None = None
    label: str = Field("", examples=["laptop"])
    expires: str | None = Field(None, examples=["30d"])


@ROUTES.add("POST", "/token", Permission.KNOWN, answers=key_shapes.Token)
def exchange_key(request: Request) -> dict[str, Any]:
    """Exchange the key that is shown as bearer for a token that lasts a quarter of an hour."""
    return wire_keys.token_out(engine_of(request).keys.exchange(shown_in(request.headers)))


@ROUTES.add("GET", "/me", Permission.KNOWN, answers=key_shapes.Identity)
def tell_who_calls(request: Request) -> dict[str, Any]:
    """Who the key or token that is shown belongs to, and when it runs out."""
    return wire_keys.identity_out(engine_of(request).keys.identify(shown_in(request.headers)))


@ROUTES.add("GET", "/keys", Permission.ADMIN, answers=key_shapes.Keys)
def list_keys(caller: Called) -> dict[str, Any]:
    """Every key of the store, also those that were revoked; what they read like is not kept."""
    return wire_keys.keys_out(Keys(caller.memory).all())


@ROUTES.add("POST", "/keys", Permission.ADMIN, status_code=201, answers=key_shapes.NewKey)
def create_key(caller: Called, wanted: WantedKey) -> dict[str, Any]:
    """Make a key; its text is in this answer and nowhere else."""
    made = Keys(caller.memory).create(
        wanted.name, wanted.role, project=wanted.project, label=wanted.label, expires=wanted.expires
    )
    return wire_keys.new_key_out(made)


@ROUTES.add("DELETE", "/keys/{key_id}", Permission.ADMIN, answers=key_shapes.Key)
def revoke_key(caller: Called, key_id: str) -> dict[str, Any]:
    """End a key and all its tokens, at once."""
    return wire_keys.key_out(Keys(caller.memory).revoke(key_id))
