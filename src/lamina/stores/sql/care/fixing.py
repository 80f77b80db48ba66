"""Setting right the columns that follow from the log and from others, once the records are whole.

If those are damaged nothing is touched: to build the index from altered text, say, would remove the
last trace of what the text had been.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from lamina.errors import StoreDamagedError
from lamina.stores.base import Aids, Finding, Severity
from lamina.stores.sql.care.chains import latest
from lamina.stores.sql.care.digests import freed, held
from lamina.stores.sql.care.looking import RESTORE, Fix, Look
from lamina.stores.sql.care.versions import pointers
from lamina.stores.sql.driver import Connection

_SHOWN: Final = 5


def refuse_damage(findings: Iterable[Finding]) -> None:
    """Repair nothing where something is damaged that no repair can know better."""
    broken = next((one for one in findings if one.severity is Severity.RECORD), None)
    if broken:
        raise StoreDamagedError(
            f"the records are damaged, so nothing was repaired ({broken.message})", remedy=RESTORE
        )


def fix(connection: Connection) -> Iterator[str]:
    """Set pointers, slots and times right, and say what was wrong."""
    for wrong in (pointers, freed, held, latest):
        yield from _apply(connection, wrong(Look(connection, Aids())))


def _apply(connection: Connection, fixes: Iterable[Fix]) -> Iterator[str]:
    """Set columns right while they are looked for: what is read was sorted or paged before."""
    number = 0
    for number, one in enumerate(fixes, start=1):
        connection.execute(one.sql, one.parameters)
        if number <= _SHOWN:
            yield f"{one.what} was noted anew"
    if number > _SHOWN:
        yield f"and {number - _SHOWN:,} more like these"
