"""Locks of the server that belong to no row: by name, for a transaction or a session.

They go with whoever held them, also when that one is killed, and they are told apart by schema.
"""

import hashlib
from functools import cache
from typing import Final

from lamina.stores.postgres.driver import Connection
from lamina.stores.sql.driver import Asked

MIGRATING: Final = "migrating"
"""Held by the one that changes the schema."""
PRESENCE: Final = "presence"
"""Shared by every connection of one version of Lamina; whoever gets it alone is alone."""


@cache
def number(schema: str, name: str) -> int:
    """The number of a lock: the server knows no names."""
    digest = hashlib.sha256(f"lamina:{schema}:{name}".encode()).digest()
    return int.from_bytes(digest[:8], signed=True)


def taking(number: int) -> Asked:
    """What asks for a lock until the transaction ends, and waits for it."""
    return "select pg_advisory_xact_lock(?)", (number,)


def sharing(schema: str, name: str) -> Asked:
    """What asks for a lock until the transaction ends, which others may share."""
    return "select pg_advisory_xact_lock_shared(?)", (number(schema, name),)


def take(connection: Connection, schema: str, name: str) -> None:
    """Have a lock until the transaction ends; waits for it."""
    connection.execute(*taking(number(schema, name)))


def try_take(connection: Connection, schema: str, name: str) -> bool:
    """Have a lock until the transaction ends, if it is free."""
    sql = "select pg_try_advisory_xact_lock(?)"
    return bool(connection.execute(sql, (number(schema, name),)).first())


def share(connection: Connection, schema: str, name: str) -> None:
    """Hold a lock together with others until the session ends."""
    connection.execute("select pg_advisory_lock_shared(?)", (number(schema, name),))


def try_hold(connection: Connection, schema: str, name: str) -> bool:
    """Have a lock until it is let go or the session ends, if it is free."""
    sql = "select pg_try_advisory_lock(?)"
    return bool(connection.execute(sql, (number(schema, name),)).first())


def let_go(connection: Connection, schema: str, name: str) -> None:
    """Give back a lock that this session holds."""
    connection.execute("select pg_advisory_unlock(?)", (number(schema, name),))
