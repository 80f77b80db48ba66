"""Where a Redis is, as a person writes it down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from lamina.core.names import check_name
from lamina.errors import InvalidInputError

SCHEMES: Final = {
    "redis": "redis",
    "rediss": "rediss",
    "valkey": "redis",
    "valkeys": "rediss",
    "unix": "unix",
}
"""What an address may begin with, and what the client knows it as."""
_PREFIX: Final = "lamina"
_FORM: Final = "redis://[USER:PASSWORD@]HOST[:PORT][/DB][?prefix=NAME], or unix:///PATH?db=DB"


@dataclass(frozen=True, slots=True)
class Address:
    """A server, a database on it, and what the keys there begin with."""

    url: str
    """For the client: it may hold a password."""
    prefix: str
    shown: str
    """For people: it never does."""


def parse_address(url: str) -> Address:
    """Read an address, or say what one looks like."""
    scheme, _, rest = url.partition("://")
    if scheme not in SCHEMES or not rest:
        raise InvalidInputError(f"`hot` is not the address of a Redis: {_hidden(url)!r:.80}",
                                remedy=f"Write it like {_FORM}")  # fmt: skip
    try:
        parts = urlsplit(url)
        asked = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
        host, port = parts.hostname or "", parts.port
    except ValueError:
        # What the library says may quote the password.
        raise InvalidInputError(
            "`hot` is not the address of a Redis: part of it cannot be read",
            remedy=f"Write it like {_FORM}; in a password `/`, `?` and `#` as %2F, %3F and %23",
        ) from None
    prefix = check_name(asked.pop("prefix", _PREFIX), "prefix")
    unknown = asked.keys() - {"db", "password"}
    if unknown:
        raise InvalidInputError(
            f"`hot` asks for what is not known: {sorted(unknown)[0]!r:.40}",
            remedy=f"Write it like {_FORM}",
        )
    database = asked.get("db") or parts.path.strip("/") if scheme != "unix" else asked.get("db", "")
    if database and not database.isdigit():
        raise InvalidInputError(f"`hot` names no database by its number: {database!r:.40}")
    bare = f"{SCHEMES[scheme]}://{rest.partition('?')[0]}" + (
        f"?{urlencode(asked)}" if asked else ""
    )
    place = unquote(parts.path) if scheme == "unix" else f"{host}:{port or 6379}"
    return Address(bare, prefix, f"{scheme}://{place}/{database or 0}?prefix={prefix}")


def _hidden(url: str) -> str:
    """The text without what stands before an `@`: it may be a password."""
    return url.rpartition("@")[2]
