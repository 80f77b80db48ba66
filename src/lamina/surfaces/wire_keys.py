"""The JSON shape of keys, tokens and those who show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.surfaces.wire_layers import instant_out

if TYPE_CHECKING:
    from lamina.core.principal import Principal
    from lamina.tokens import Identity, Key, NewKey, Token
    from lamina.tokens.codes import Entered


def principal_out(principal: Principal) -> dict[str, Any]:
    """Who somebody is, and what they are confined to."""
    root = None if principal.root is None else principal.root.path
    return {"name": principal.name, "role": principal.role.value, "root": root}


def key_out(key: Key) -> dict[str, Any]:
    """What is known of a key."""
    return {
        "id": key.id,
        "principal": principal_out(key.principal),
        "label": key.label,
        "created_at": instant_out(key.created_at),
        "expires_at": instant_out(key.expires_at),
        "revoked_at": instant_out(key.revoked_at),
    }


def keys_out(keys: list[Key]) -> dict[str, Any]:
    """All keys of a store."""
    return {"keys": [key_out(key) for key in keys]}


def new_key_out(made: NewKey) -> dict[str, Any]:
    """A key with its text, which nobody is shown again."""
    return {**key_out(made.key), "text": made.text}


def token_out(token: Token) -> dict[str, Any]:
    """What a key was exchanged for."""
    return {
        "token": token.text,
        "expires_at": instant_out(token.expires_at),
        "lasts_seconds": token.lasts.total_seconds(),
        "principal": principal_out(token.principal),
    }


def entered_out(entered: Entered) -> dict[str, Any]:
    """What a code was traded for, and the code for the next time."""
    return {**token_out(entered.token), "next_code": entered.code}


def identity_out(identity: Identity) -> dict[str, Any]:
    """Who somebody turned out to be."""
    return {
        "principal": principal_out(identity.principal),
        "key": identity.key,
        "until": instant_out(identity.until),
    }
