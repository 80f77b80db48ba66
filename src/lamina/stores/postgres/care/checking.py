"""Every check of a store in Postgres; what the server itself vouches for is left to it."""

from collections.abc import Collection, Iterator
from typing import Final

from lamina.errors import LaminaError
from lamina.stores.base import Aids, Finding, Severity
from lamina.stores.postgres.care.words import LONG_SECONDS, indexed, lookups
from lamina.stores.postgres.connections import Connections
from lamina.stores.postgres.migrations import NEWEST
from lamina.stores.postgres.partitions import known
from lamina.stores.sql.care.checks import VOUCHED, Check, numbers, told
from lamina.stores.sql.care.contents import receipts, sealed, settings
from lamina.stores.sql.care.digests import twins
from lamina.stores.sql.care.looking import Look, damaged, derived, measure, note
from lamina.stores.sql.care.words import statistics
from lamina.stores.sql.driver import one, rows

_ABOVE_ALL: Final = (
    "select current_user, rolsuper or rolbypassrls from pg_roles where rolname = current_user"
)
_STRAY_VECTORS: Final = (
    "select count(*) from vector x where not exists"
    " (select 1 from record r where r.rid = x.rid and r.sid = x.sid)"
)
_TOMBSTONES: Final = (
    "select count(*) from event e where e.action = 'erased' and not exists"
    " (select 1 from tombstone t where t.id = e.record)"
)


def _settings(look: Look) -> Iterator[Finding]:
    return settings(look, str(NEWEST))


def _fence(look: Look) -> Iterator[Finding]:
    for role, above in rows(look.connection, _ABOVE_ALL):
        if above:
            yield note(
                "fence", f"the role `{role}` is above row-level security, which so keeps nothing",
                "Let Lamina connect as a role that is no superuser",
            )  # fmt: skip


def _partitions(look: Look) -> Iterator[Finding]:
    apart = [one for one in known(look.connection) if one.has_own]
    under_way = [one.name for one in apart if one.strays or not one.home]
    if under_way:
        yield note(
            "partitions", f"on the way to partitions of their own, or back: {', '.join(under_way)}",
            "Run `lamina maintain --only partitions`, which goes on",
        )  # fmt: skip
    elif apart:
        told = ", ".join(f"{one.name} ({one.records:,} records)" for one in apart)
        yield Finding("partitions", Severity.OK, f"of their own: {told}")


def _vectors(look: Look) -> Iterator[Finding]:
    if strays := one(look.connection, _STRAY_VECTORS):
        yield derived("vectors", f"vectors that belong to no record: {strays}")


def _buried(look: Look) -> Iterator[Finding]:
    if lost := one(look.connection, _TOMBSTONES):
        yield derived("tombstones", f"erased records without a tombstone: {lost}", "the log")


_BESIDE: Final = (
    Check("slots", twins, damaged),
    Check("settings", _settings, damaged),
    Check("sealed", sealed, damaged),
    Check("receipts", receipts, damaged),
    Check("index", indexed, derived),
    Check("statistics", statistics, derived),
    Check("words", lookups, derived),
    Check("vectors", _vectors, derived),
    Check("tombstones", _buried, derived),
    Check("fence", _fence, derived),
    Check("partitions", _partitions, derived),
)


def check(connections: Connections, aids: Aids | None = None) -> list[Finding]:
    """Look a store over."""
    aids = aids or Aids()
    try:
        with connections.reading() as connection, connection.patiently(LONG_SECONDS):
            look = Look(connection, aids, measure(connection))
            found = told((*VOUCHED, *_BESIDE), look)
    except LaminaError as error:
        found = [damaged("store", f"it cannot be looked over: {error.message}")]
    aids.tell(1.0)
    return found


def audit(connections: Connections, streams: Collection[str] | None) -> list[Finding]:
    """Look at what the log vouches for, in these streams alone or in all."""
    try:
        with connections.reading() as connection, connection.patiently(LONG_SECONDS):
            return told(VOUCHED, Look(connection, Aids(), sids=numbers(connection, streams)))
    except LaminaError as error:
        return [damaged("store", f"it cannot be looked over: {error.message}")]
