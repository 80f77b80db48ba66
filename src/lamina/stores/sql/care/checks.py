"""A check with its result. One that fails is itself a finding; the others go on."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple, TypeAlias

from lamina.stores.base import Finding, Severity
from lamina.stores.sql.care.chains import chains
from lamina.stores.sql.care.digests import digests
from lamina.stores.sql.care.looking import Look, damaged, unreadable
from lamina.stores.sql.care.versions import versions
from lamina.stores.sql.driver import Connection, rows

_MOST: Final = 10
"""How many findings of one sort are told one by one."""

_REMOVED: Final = "Somebody removed it: restore the schema from a dump"

Told: TypeAlias = Callable[[str, str], Finding]


class Check(NamedTuple):
    """Something to look at."""

    name: str
    look: Callable[[Look], Iterator[Finding]]
    failed: Told
    """What it means when the check itself cannot be carried out."""


VOUCHED: Final = (
    Check("chain", chains, damaged),
    Check("versions", versions, damaged),
    Check("digests", digests, damaged),
)
"""What the log vouches for. Where this holds, everything else can be built from it."""


def told(checks: Iterable[Check], look: Look) -> list[Finding]:
    """What each check found, or that it found nothing, or that it could not look."""
    return [found for check in checks for found in _told(check, look)]


def numbers(connection: Connection, streams: Collection[str] | None) -> frozenset[int] | None:
    """The streams of these names by their numbers, for a look at them alone."""
    if streams is None:
        return None
    known = rows(connection, "select sid, name from stream not indexed")
    return frozenset(sid for sid, name in known if name in streams)


def _told(check: Check, look: Look) -> list[Finding]:
    found: list[Finding] = []
    counted: dict[Severity, int] = {}
    try:
        with _apart(look.connection):
            for one in check.look(look):
                counted[one.severity] = counted.get(one.severity, 0) + 1
                if counted[one.severity] <= _MOST:
                    found.append(one)
    except unreadable(look.connection) as error:
        said = f"it cannot be read: {str(error).partition(chr(10))[0]:.200}"
        if look.connection.dialect.is_removed(error):
            found.append(damaged(check.name, said, remedy=_REMOVED))
        else:
            found.append(check.failed(check.name, said))
    found += [
        Finding(check.name, severity, f"and {number - _MOST} more like these")
        for severity, number in counted.items()
        if number > _MOST
    ]
    return found or [Finding(check.name, Severity.OK, "nothing wrong")]


@contextmanager
def _apart(connection: Connection) -> Iterator[None]:
    """What fails within leaves the transaction as it was: some databases end it otherwise."""
    if not connection.in_transaction:
        yield
        return
    connection.execute("savepoint looking")
    try:
        yield
    except BaseException:
        # It may be that nobody is at the other end any more.
        with suppress(connection.dialect.error):
            connection.execute("rollback to savepoint looking")
        raise
    connection.execute("release savepoint looking")
