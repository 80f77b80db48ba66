"""Every check with its result. One that fails is itself a finding; the others go on."""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from lamina.errors import LaminaError
from lamina.stores.base import Aids, Finding, Severity
from lamina.stores.ledger import Ledger
from lamina.stores.sql.driver import rows
from lamina.stores.sqlite.care.chains import chains
from lamina.stores.sqlite.care.contents import receipts, sealed, settings
from lamina.stores.sqlite.care.digests import digests, twins
from lamina.stores.sqlite.care.ledger import tombstones
from lamina.stores.sqlite.care.looking import UNREADABLE, Look, damaged, derived, leniently, measure
from lamina.stores.sqlite.care.pages import pages
from lamina.stores.sqlite.care.tables import schema
from lamina.stores.sqlite.care.vectors import vectors
from lamina.stores.sqlite.care.versions import versions
from lamina.stores.sqlite.care.words import indexed, lookups, statistics
from lamina.stores.sqlite.connections import Connections
from lamina.stores.sqlite.driver import Connection

_MOST: Final = 10
"""How many findings of one sort are told one by one."""
_WITHOUT_ENGINE: Final = (
    "Run `pip install 'lamina[lancedb]'`, or `lamina config set recall.engine builtin`"
)

Told: TypeAlias = Callable[[str, str], Finding]


class _Check(NamedTuple):
    name: str
    look: Callable[[Look], Iterator[Finding]]
    failed: Told
    """What it means when the check itself cannot be carried out."""


_VOUCHED: Final = (
    _Check("schema", schema, damaged),
    _Check("chain", chains, damaged),
    _Check("versions", versions, damaged),
    _Check("digests", digests, damaged),
)
"""What the log vouches for. Where this holds, everything else can be built from it."""
_BESIDE: Final = (
    _Check("slots", twins, damaged),
    _Check("settings", settings, damaged),
    _Check("sealed", sealed, damaged),
    _Check("receipts", receipts, damaged),
    _Check("index", indexed, derived),
    _Check("statistics", statistics, derived),
    _Check("words", lookups, derived),
    _Check("vectors", vectors, derived),
)


def check(
    connections: Connections, aids: Aids | None = None, ledger: Ledger | None = None
) -> list[Finding]:
    """Look a store over; a copy that lies apart from its ledger is looked over without it."""
    aids = aids or Aids()
    try:
        with connections.reading() as connection, leniently(connection):
            found = list(_findings(Look(connection, aids), ledger if aids.beside else None))
    except LaminaError as error:
        found = [damaged("file", f"it cannot be looked over: {error.message}")]
    aids.tell(1.0)
    return found


def audit(connections: Connections, streams: Collection[str] | None) -> list[Finding]:
    """Look at what the log vouches for, in these streams alone or in all."""
    try:
        with connections.reading() as connection, leniently(connection):
            return vouched(Look(connection, Aids(), sids=_numbers(connection, streams)))
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
    return [found for one_check in _VOUCHED for found in _told(one_check, look)]


def _findings(look: Look, ledger: Ledger | None) -> Iterator[Finding]:
    look.total = measure(look.connection)
    records = vouched(look)
    sound = not any(found.severity is Severity.RECORD for found in records)
    file = _Check("file", partial(pages, sound=sound), damaged)
    yield from _told(file, look)
    yield from records
    for one_check in _BESIDE:
        yield from _told(one_check, look)
    if ledger is not None:
        yield from _told(_Check("ledger", partial(tombstones, ledger=ledger), derived), look)


def _told(asked: _Check, look: Look) -> list[Finding]:
    """What a check found, or that it found nothing, or that it could not look."""
    found: list[Finding] = []
    counted: dict[Severity, int] = {}
    try:
        for one in asked.look(look):
            counted[one.severity] = counted.get(one.severity, 0) + 1
            if counted[one.severity] <= _MOST:
                found.append(one)
    except UNREADABLE as error:
        found.append(asked.failed(asked.name, f"it cannot be read: {error!s:.200}"))
    found += [
        Finding(asked.name, severity, f"and {number - _MOST} more like these")
        for severity, number in counted.items()
        if number > _MOST
    ]
    return found or [Finding(asked.name, Severity.OK, "nothing wrong")]


def _numbers(connection: Connection, streams: Collection[str] | None) -> frozenset[int] | None:
    if streams is None:
        return None
    known = rows(connection, "select sid, name from stream not indexed")
    return frozenset(sid for sid, name in known if name in streams)
