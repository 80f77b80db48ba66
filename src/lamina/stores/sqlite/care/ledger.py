"""The ledger beside the file: every erase that the log knows of has its tombstone."""

from collections.abc import Iterator, Mapping
from typing import Final

from lamina.core.ids import RecordId
from lamina.errors import StoreError
from lamina.stores.base import Finding, Severity
from lamina.stores.ledger import Ledger
from lamina.stores.sql.care.looking import LOG, Look, derived, note
from lamina.stores.sql.driver import Connection, rows

ERASED: Final = "select record, at from event not indexed where action = 'erased'"
IDS: Final = "select id from record not indexed"


def tombstones(look: Look, ledger: Ledger) -> Iterator[Finding]:
    """Erases without a tombstone, and tombstones of what is still here."""
    try:
        known, garbled = ledger.tombstones(), ledger.unreadable()
    except StoreError as error:
        yield Finding("ledger", Severity.RECORD, error.message, error.remedy)
        return
    if number := len(missing(look.connection, known)):
        yield derived("ledger", f"erased records without a tombstone: {number}", LOG)
    here = [record_id for (record_id,) in look.each(IDS) if record_id in known]
    if here:
        what = (
            f"records that are here and have a tombstone: {len(here)}, such as {here[0]}; an erase"
            " did not finish, or an older copy of the store was put back"
        )
        yield note("ledger", what, "Erase them again: `lamina erase ID`")
    if garbled:
        what = f"lines of the ledger that cannot be read: {garbled}; a crash leaves such a line"
        yield note("ledger", what, "Nothing to do once every erase in the log has its tombstone")


def missing(connection: Connection, known: Mapping[RecordId, str]) -> dict[RecordId, str]:
    """The tombstones that follow from the log and are not in the ledger."""
    return {
        RecordId(record_id): at
        for record_id, at in rows(connection, ERASED)
        if record_id not in known
    }
