"""What each failure of a Postgres server means to whoever called, and what to do about it.

By the five letters that the server gives with every error. Before there is a connection there are
none, only words, so those are looked at; a server that speaks another language is quoted.
"""

import re
from collections.abc import Callable
from typing import Final

from lamina.errors import (
    InvalidInputError,
    LaminaError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    StoreUnavailableError,
)

OLDEST: Final = 15
"""The oldest server that this was tried with; those before get no repairs any more."""
NOT_ALLOWED: Final = "42501"
NO_SUCH_TABLE: Final = ("42P01", "3F000")
BEATEN: Final = ("40001", "40P01")
"""Another transaction was in the way, and the same work done again may well succeed."""
UNDONE: Final = ("25P03", "25P04")
"""The transaction took too long, and was rolled back while the server waited for more of it."""
_LOST: Final = ("57P01", "57P02", "57P03", "57P04", "57P05", *UNDONE)
_TOO_LARGE: Final = ("54000", "22001", "22003", "54001", "54011", "54023")
_NO_TEXT: Final = ("22021", "22P05")
_GRANTS: Final = (
    "grant usage on schema {0} to ROLE; grant select, insert, update, delete, truncate on all"
    " tables in schema {0} to ROLE; grant usage, select on all sequences in schema {0} to ROLE"
)
_SECRETS: Final = re.compile(r"://[^\s/@]*@")
_Failure = Callable[[str, str], LaminaError]


def of_statement(state: str, said: str, location: str) -> LaminaError:
    """What it means that a statement failed."""
    for states, failure in _BY_STATE:
        if state in states:
            return failure(location, said)
    return StoreError(f"the store at {location} failed: {_short(said)}")


def is_lost(state: str) -> bool:
    """Whether the connection is of no use any more."""
    return state[:2] == "08" or state in _LOST


def lost(location: str, said: str = "") -> StoreUnavailableError:
    """The connection went away: whether what was asked for has happened nobody knows."""
    why = f" ({_short(said)})" if said else ""
    return StoreUnavailableError(
        f"the connection to {location} was lost{why}; a write may or may not have taken place",
        remedy="Repeat it with the same idempotency key, or look first",
    )


def silent(location: str, seconds: float) -> StoreUnavailableError:
    """Nothing came back in time."""
    return StoreUnavailableError(
        f"{location} did not answer within {seconds:g} seconds; a write may or may not have taken"
        " place",
        remedy="Check server and network, then repeat it with the same idempotency key",
    )


def of_connecting(said: str, location: str) -> LaminaError:
    """What it means that no connection came about."""
    for words, failure in _BY_WORDS:
        if re.search(words, said, re.IGNORECASE):
            return failure(location, said)
    return StoreUnavailableError(
        f"no connection to {location}: {_short(said)}",
        remedy="Check that the server runs, and that host and port are right",
    )


def unreadable(location: str) -> InvalidInputError:
    """The driver does not understand part of an address."""
    return InvalidInputError(
        f"the driver cannot use the parameters of {location}",
        remedy="Check their values, such as that of sslmode",
    )


def no_extension(location: str, *, available: bool) -> StoreError:
    """The server has no vectors, or the database does not yet."""
    who = "A superuser" if available else "Install pgvector on the server; then a superuser"
    return StoreError(
        f"the database of {location} lacks the extension `vector`",
        remedy=f"{who} of the server runs, in that database: create extension vector",
    )


def too_old(location: str, version: int) -> StoreError:
    """The server is of a version that this was never tried with."""
    return StoreError(
        f"the server of {location} is PostgreSQL {version // 10_000}; at least {OLDEST} is needed",
        remedy="Upgrade the server, or name another one; nothing was changed",
    )


def no_unicode(location: str, encoding: str) -> StoreError:
    """The database cannot hold every text."""
    return StoreError(
        f"the database of {location} keeps texts as {encoding}, which cannot hold them all",
        remedy="Make another one: create database NAME encoding 'UTF8' template template0",
    )


def no_look(location: str, schema: str) -> StoreError:
    """There is a schema of that name, and the role may not look into it."""
    return StoreError(
        f"the role may not use the schema `{schema}` of {location}",
        remedy=f"Its owner runs: {_GRANTS.format(schema)}. Or sign in as its owner",
    )


def read_only(location: str, said: str = "") -> StoreReadOnlyError:
    """It is a copy that follows another server, or was told to take no writes."""
    return StoreReadOnlyError(
        f"the server of {location} can only be read: it is a replica, or takes no writes",
        remedy="Name the primary; with several hosts in the address,"
        " target_session_attrs=read-write finds it. If it is the primary: who set"
        " default_transaction_read_only, for role, database or server?",
    )


def _busy(location: str, said: str) -> LaminaError:
    return StoreUnavailableError(
        f"the store at {location} stayed busy ({_short(said)})",
        remedy="Others hold what was asked for; try again in a moment",
    )


def _slow(location: str, said: str) -> LaminaError:
    return StoreUnavailableError(
        f"the server of {location} took too long ({_short(said)})",
        remedy="Nothing was changed; try again when it has less to do, or ask for less",
    )


def _full(location: str, said: str) -> LaminaError:
    return StoreFullError(
        f"no room is left on the server of {location}",
        remedy="Free some space there and try again; nothing acknowledged was lost",
    )


def _crowded(location: str, said: str) -> LaminaError:
    return StoreUnavailableError(
        f"the server of {location} has as many connections as it allows",
        remedy="Try again in a moment, raise its max_connections or the connection limit of role or"
        " database, or put a pool of connections (of whole sessions) before it",
    )


def _not_allowed(location: str, said: str) -> LaminaError:
    whole = re.search(r"for (schema|database) ", said)
    return StoreError(
        f"the role may not do this at {location} ({_short(said)})",
        remedy="The schema's owner, or who may: grant create on database DATABASE to ROLE, or"
        " alter schema NAME owner to ROLE"
        if whole
        else f"Their owner runs: {_GRANTS.format('NAME')}. Or sign in as the owner",
    )


def no_types(location: str, schema: str) -> StoreError:
    """The extension is there, and lies where the role may not look."""
    return StoreError(
        f"the role may not use the schema `{schema}` of {location}, which holds the extension"
        " `vector`",
        remedy=f"Its owner runs: grant usage on schema {schema} to ROLE",
    )


def _gone(location: str, said: str) -> LaminaError:
    return StoreDamagedError(
        f"part of the store at {location} is not there ({_short(said)})",
        remedy="Somebody removed it, or the schema is not Lamina's; restore it from a backup",
    )


def _too_large(location: str, said: str) -> LaminaError:
    return InvalidInputError(f"a value is too large for the store ({_short(said)})")


def no_text(location: str, said: str) -> LaminaError:
    """A text holds what no text in Postgres can."""
    return InvalidInputError(
        f"a text cannot be kept as it is ({_short(said)})",
        remedy="Leave out characters of number 0 and halves of surrogate pairs",
    )


def _damaged(location: str, said: str) -> LaminaError:
    return StoreDamagedError(
        f"the server of {location} found damage in its files ({_short(said)})",
        remedy="Keep them, look into the server's log, and restore from a backup",
    )


def _disk(location: str, said: str) -> LaminaError:
    return StoreError(
        f"the disk failed under the server of {location} ({_short(said)})",
        remedy="Nothing was acknowledged; check the disk, then try again",
    )


def _wrong_password(location: str, said: str) -> LaminaError:
    return StoreError(
        f"the server refuses the role and password of {location}",
        remedy="Check both; the password may stand in the address, in PGPASSWORD or in ~/.pgpass",
    )


def _refused(location: str, said: str) -> LaminaError:
    return StoreError(
        f"the server lets nobody in by {location} ({_short(said)})",
        remedy="Have its pg_hba.conf allow this role, database and host, or use sslmode=require",
    )


def _no_login(location: str, said: str) -> LaminaError:
    return StoreError(
        f"the role of {location} may not sign in ({_short(said)})",
        remedy="Who may runs: alter role ROLE login",
    )


def _no_database(location: str, said: str) -> LaminaError:
    return StoreError(
        f"there is no such database: {location}",
        remedy="Create it: create database NAME owner ROLE encoding 'UTF8'",
    )


def _no_role(location: str, said: str) -> LaminaError:
    return StoreError(
        f"the server knows no such role: {location}",
        remedy="Create it: create role NAME login, or name another one in the address",
    )


def _not_yet(location: str, said: str) -> LaminaError:
    return StoreUnavailableError(
        f"the server of {location} is starting or stopping ({_short(said)})",
        remedy="Try again in a moment",
    )


def _nobody_writes(location: str, said: str) -> LaminaError:
    return StoreUnavailableError(
        f"no host of {location} is what target_session_attrs asks for: they are replicas, or"
        " another primary is being chosen",
        remedy="Try again in a moment, or name the host of the primary",
    )


def _bad_encryption(location: str, said: str) -> LaminaError:
    return StoreError(
        f"no encrypted connection to {location} ({_short(said)})",
        remedy="Check sslmode and sslrootcert in the address, and the server's certificate",
    )


def _short(said: str) -> str:
    """The first line of what the server said, without anything secret."""
    first = said.strip().partition("\n")[0]
    return _SECRETS.sub("://", first)[:200]


_BY_STATE: Final[tuple[tuple[tuple[str, ...], _Failure], ...]] = (
    (BEATEN, _busy),
    (("55P03",), _busy),
    (("57014",), _slow),
    (("53100",), _full),
    (("53300",), _crowded),
    (("25006",), read_only),
    ((NOT_ALLOWED,), _not_allowed),
    (NO_SUCH_TABLE, _gone),
    (("28P01", "28000"), _wrong_password),
    (("3D000",), _no_database),
    (_TOO_LARGE, _too_large),
    (_NO_TEXT, no_text),
    (("XX001", "XX002"), _damaged),
    (("58030",), _disk),
)
_BY_WORDS: Final[tuple[tuple[str, _Failure], ...]] = (
    (r"^connection is bad: invalid |invalid \w+ value", lambda location, _: unreadable(location)),
    (r"password authentication failed|no password supplied|authentication failed", _wrong_password),
    (r"no pg_hba\.conf entry|pg_hba\.conf rejects", _refused),
    (r"not permitted to log in", _no_login),
    (r"role \".*\" does not exist", _no_role),
    (r"database \".*\" does not exist", _no_database),
    (r"too many (clients|connections)|connection slots", _crowded),
    (r"database system is|not yet accepting|shutting down|recovery mode", _not_yet),
    (r"session is (not )?read-only|hot standby mode", _nobody_writes),
    (r"\bSSL\b|certificate|GSS", _bad_encryption),
)
