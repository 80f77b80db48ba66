"""Every check of a file: what the log vouches for, what follows from it, and what lies beside."""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Final

from lamina.errors import LaminaError
from lamina.stores.base import Aids, Finding, Severity
from lamina.stores.ledger import Ledger
from lamina.stores.sql.care.checks import VOUCHED, Check, numbers, told
from lamina.stores.sql.care.contents import receipts, sealed, settings
from lamina.stores.sql.care.digests import twins
from lamina.stores.sql.care.looking import Look, damaged, derived, measure
from lamina.stores.sql.care.words import statistics
from lamina.stores.sql.driver import one
from lamina.stores.sqlite.care.ledger import tombstones
from lamina.stores.sqlite.care.pages import leniently, pages
from lamina.stores.sqlite.care.tables import schema
from lamina.stores.sqlite.care.vectors import vectors
from lamina.stores.sqlite.care.words import indexed, lookups
from lamina.stores.sqlite.connections import Connections
from lamina.stores.sqlite.driver import Connection

_WITHOUT_ENGINE: Final = (
    "Run `pip install 'lamina[lancedb]'`, or `lamina config set recall.engine builtin`"
)


def _settings(look: Look) -> Iterator[Finding]:
    return settings(look, str(one(look.connection, "pragma user_version")))


_VOUCHED: Final = (Check("schema", schema, damaged), *VOUCHED)
_BESIDE: Final = (
    Check("slots", twins, damaged),
    Check("settings", _settings, damaged),
    Check("sealed", sealed, damaged),
    Check("receipts", receipts, damaged),
    Check("index", indexed, derived),
    Check("statistics", statistics, derived),
    Check("words", lookups, derived),
    Check("vectors", vectors, derived),
)


def check(
    connections: Connections, aids: Aids | None = None, ledger: Ledger | None = None
) -> list[Finding]:
    """Look a store over; a copy that lies apart from its ledger is looked over without it."""
    aids = aids or Aids()
    try:
        with connections.reading() as connection, leniently(connection):
            found = list(_findings(connection, aids, ledger if aids.beside else None))
    except LaminaError as error:
        found = [damaged("file", f"it cannot be looked over: {error.message}")]
    aids.tell(1.0)
    return found


def audit(connections: Connections, streams: Collection[str] | None) -> list[Finding]:
    """Look at what the log vouches for, in these streams alone or in all."""
    try:
        with connections.reading() as connection, leniently(connection):
            return vouched(Look(connection, Aids(), sids=numbers(connection, streams)))
    except LaminaError as error:
        return [damaged("file", f"it cannot be looked over: {error.message}")]


def indexes(look: Callable[[], list[str]], lacking: Callable[[], str | None]) -> list[Finding]:
    """Files beside the database that make searches fast.

    `look` tells what is wrong with them, and `lacking` what this machine has not got for them.
    """
    try:
        found = [derived("indexes", fault) for fault in look()]
        if trouble := lacking():
            message = f"{trouble}; the built-in engine answers"
            found.append(Finding("indexes", Severity.NOTE, message, remedy=_WITHOUT_ENGINE))
    except LaminaError as error:
        found = [derived("indexes", f"they cannot be looked over: {error.message}")]
    return found or [Finding("indexes", Severity.OK, "nothing wrong")]


def vouched(look: Look) -> list[Finding]:
    """Whatever is wrong with the records themselves, and with what says so."""
    return told(_VOUCHED, look)


def _findings(connection: Connection, aids: Aids, ledger: Ledger | None) -> Iterator[Finding]:
    look = Look(connection, aids, measure(connection))
    records = vouched(look)
    sound = not any(found.severity is Severity.RECORD for found in records)
    file = Check("file", lambda _: pages(connection, sound=sound), damaged)
    yield from told([file], look)
    yield from records
    yield from told(_BESIDE, look)
    if ledger is not None:
        beside = Check("ledger", partial(tombstones, ledger=ledger), derived)
        yield from told([beside], look)
