"""Addresses of stores in Postgres: `postgresql://user@host/database?schema=name`.

The schema is ours to know; all the rest is for the driver. A password is handed on and never shown.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import SplitResult, quote, unquote, urlencode, urlsplit

from lamina.errors import InvalidInputError

SCHEMES: Final = ("postgresql", "postgres")
DEFAULT_SCHEMA: Final = "lamina"
_SCHEMA: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_NOT_OURS: Final = ("public", "information_schema")
_FORM: Final = "Use postgresql://USER@HOST/DATABASE?schema=NAME"
_ESCAPE: Final = "In a password, write it as {}"
_SECRET: Final = frozenset(("password", "sslpassword"))
_PASSED_ON: Final = _SECRET | frozenset(
    """
    application_name channel_binding connect_timeout gssdelegation gssencmode gsslib host hostaddr
    keepalives keepalives_count keepalives_idle keepalives_interval krbsrvname load_balance_hosts
    options passfile port require_auth requirepeer sslcert sslcertmode sslcompression sslcrl
    sslcrldir sslkey sslmode sslnegotiation sslrootcert sslsni ssl_max_protocol_version
    ssl_min_protocol_version target_session_attrs tcp_user_timeout user
""".split()
)


@dataclass(frozen=True, slots=True)
class Address:
    """Which schema of which database, and how to get there."""

    schema: str
    location: str
    """The same address without anything secret, to be shown."""
    parameters: Mapping[str, str] = field(repr=False)
    """For the driver; the password may be among them."""


def is_address(text: object) -> bool:
    """Whether a store is named by an address of this sort."""
    return isinstance(text, str) and text.startswith(tuple(f"{one}://" for one in SCHEMES))


def parse(text: str) -> Address:
    """Read an address, and refuse one that cannot be meant.

    Raises:
        InvalidInputError: Part of it is wrong; the message names the part, never the password.
    """
    if not text.isascii() and any(0xD800 <= ord(letter) <= 0xDFFF for letter in text):
        raise InvalidInputError("the address of a store is no text that can be sent", remedy=_FORM)
    if any(ord(letter) <= ord(" ") for letter in text):
        raise InvalidInputError("the address of a store has no blanks in it", remedy=_FORM)
    split = _split(text)
    query = _query(split.query)
    schema = check_schema(query.pop("schema", DEFAULT_SCHEMA))
    unknown = sorted(query.keys() - _PASSED_ON)
    if unknown:
        raise InvalidInputError(
            f"an address of a Postgres store has no parameter `{unknown[0]:.40}`",
            remedy=f"{_FORM}; beside `schema`, those of libpq such as `sslmode` may stand there",
        )
    parameters = _before_query(split) | query
    if any(ord(letter) < ord(" ") for value in parameters.values() for letter in value):
        raise InvalidInputError("the address of the store cannot be read", remedy=_FORM)
    shown = {name: value for name, value in query.items() if name not in _SECRET}
    return Address(schema, _location(parameters, shown, schema), parameters)


def check_schema(name: str) -> str:
    """Return the name of a schema, or refuse one that would need quotes or is not ours to use."""
    if not _SCHEMA.fullmatch(name) or name.startswith("pg_") or name in _NOT_OURS:
        raise InvalidInputError(
            f"`schema` cannot be {name!r:.80}",
            remedy="Use up to 63 small letters, digits and `_`, as in `lamina`; not a digit first,"
            " and neither `public` nor `pg_…`",
        )
    return name


def _split(text: str) -> SplitResult:
    try:
        split = urlsplit(text)
    except ValueError:
        # What the library says may quote the password.
        raise InvalidInputError("the address of the store cannot be read", remedy=_FORM) from None
    if split.scheme not in SCHEMES or not text.startswith(f"{split.scheme}://"):
        raise InvalidInputError("this is no address of a Postgres store", remedy=_FORM)
    if split.fragment or "#" in text:
        raise InvalidInputError(
            "the address of the store has a `#` in it", remedy=_ESCAPE.format("%23")
        )
    if "@" not in split.netloc:
        _check_cut(split)
    return split


def _check_cut(split: SplitResult) -> None:
    """Refuse an address that a sign in the password has cut in two; nothing of it is shown."""
    if "@" in split.path:
        sign, spelled = "/", "%2F"
    elif "@" in split.query and not split.path:
        sign, spelled = "?", "%3F"
    else:
        return
    raise InvalidInputError(
        f"the address of the store has a `{sign}` before its `@`", remedy=_ESCAPE.format(spelled)
    )


def _query(text: str) -> dict[str, str]:
    # Not by the library's function, which reads `+` as a blank; the driver does not.
    parts = [one.partition("=") for one in text.split("&") if one]
    pairs = [(unquote(name), unquote(value)) for name, _, value in parts]
    query = dict(pairs)
    if len(query) < len(pairs):
        raise InvalidInputError("the address of the store says a parameter twice", remedy=_FORM)
    empty = [name for name, value in pairs if not value]
    if empty:
        raise InvalidInputError(f"`{empty[0]:.40}` has no value in the address", remedy=_FORM)
    return query


def _before_query(split: SplitResult) -> dict[str, str]:
    who, _, where = split.netloc.rpartition("@")
    user, colon, password = who.partition(":")
    database = unquote(split.path.removeprefix("/"))
    if not database or "/" in database:
        raise InvalidInputError("the address of the store names no database", remedy=_FORM)
    hosts, ports = _hosts(where)
    found = {"dbname": database, "user": unquote(user), "host": hosts, "port": ports}
    if colon:
        found["password"] = unquote(password)
    return {name: value for name, value in found.items() if value}


def _hosts(where: str) -> tuple[str, str]:
    """Hosts and ports as the driver takes them: several, with commas, where one stands in."""
    if not where:
        return "", ""
    hosts, ports = [], []
    for one in where.split(","):
        found = re.fullmatch(r"(\[[0-9a-fA-F:.%]+\]|[^:\[\]]*)(?::(\d{0,5}))?", one)
        if found is None or int(found[2] or 0) > 65_535:
            raise InvalidInputError("the address of the store has no such port", remedy=_FORM)
        hosts.append(unquote(found[1].strip("[]")))
        ports.append(found[2] or "")
    return ",".join(hosts), ",".join(ports) if any(ports) else ""


def _location(parameters: Mapping[str, str], shown: Mapping[str, str], schema: str) -> str:
    user = parameters.get("user", "")
    places = "" if "host" in shown else _places(parameters)
    query = urlencode({**shown, "schema": schema}, safe="/", quote_via=quote)
    who = f"{quote(user)}@" if user and "user" not in shown else ""
    return f"{SCHEMES[0]}://{who}{places}/{quote(parameters['dbname'])}?{query}"


def _places(parameters: Mapping[str, str]) -> str:
    hosts: Sequence[str] = parameters.get("host", "").split(",")
    ports: Sequence[str] = parameters.get("port", "").split(",")
    ports = ports if len(ports) == len(hosts) else [""] * len(hosts)
    named = [f"[{host}]" if ":" in host else host for host in hosts]
    return ",".join(
        f"{host}:{port}" if port else host for host, port in zip(named, ports, strict=True)
    )
