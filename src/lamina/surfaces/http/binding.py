"""Where a server may listen, and which names it then goes by."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

from lamina.errors import InvalidInputError
from lamina.surfaces.http.engine import LOOPBACK, Engine
from lamina.surfaces.http.origins import name_of
from lamina.tokens import Keys
from lamina.tokens.local import ensure_owner_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.memory import Memory

_ORIGINS: Final = ("http://", "https://")


def engine_at(
    whole: Memory, host: str, names: Sequence[str] = (), origins: Sequence[str] = ()
) -> Engine:
    """What a server works with that listens at `host`; its owner has a key for it from now on.

    Args:
        whole: The handle of the store's owner.
        host: The address to listen at.
        names: The names it answers to, beside those of this machine for itself.
        origins: Addresses of pages that count as its own, such as that of a proxy before it.

    Raises:
        InvalidInputError: Others could reach it, and there are no keys, or no name is given.
    """
    hosts = (*LOOPBACK, *map(_checked_name, names))
    if not is_loopback(host):
        _check_open(whole, host, names)
    ensure_owner_key(whole)
    return Engine(whole, hosts=hosts, origins=tuple(map(_checked_origin, origins)))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _check_open(whole: Memory, host: str, names: Sequence[str]) -> None:
    if not names:
        raise InvalidInputError(
            f"`--host` {host!r:.60} can be reached by others, and no name is given for it",
            remedy="Say what it is called there: --allow-host memory.example.com",
        )
    if not any(key.revoked_at is None for key in Keys(whole).all()):
        raise InvalidInputError(
            f"`--host` {host!r:.60} can be reached by others, and the store has no keys yet",
            remedy="Make one for each who may come in: lamina token create NAME",
        )


def _checked_name(name: str) -> str:
    found = name_of(name)
    if found is None or found != name.lower():
        raise InvalidInputError(
            f"`--allow-host` is not a name: {name!r:.60}",
            remedy="Give it without scheme and port, as memory.example.com or [fd00::7]",
        )
    return found


def _checked_origin(origin: str) -> str:
    scheme = next((one for one in _ORIGINS if origin.lower().startswith(one)), None)
    if scheme is None or name_of(origin[len(scheme) :]) is None:
        raise InvalidInputError(
            f"`--allow-origin` is not the address of a page: {origin!r:.60}",
            remedy="Give scheme and name, as https://memory.example.com",
        )
    return origin.lower()
