"""After an erase: empty the log, look for the bytes on the disk, and rewrite the file if any are left."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from lamina.errors import StoreError
from lamina.stores.base import ScrubReport
from lamina.stores.looking import look
from lamina.stores.sqlite.connections import Connections
from lamina.stores.sqlite.driver import Connection, one

_LIVE: Final = (
    # Names are matched as bytes: text functions stop at what is not text.
    "select exists (select 1 from version where instr(cast(text as blob), ?1)"
    " or instr(cast(data as blob), ?1) or instr(cast(tags as blob), ?1)"
    " or instr(cast(kind as blob), ?1) or instr(cast(source as blob), ?1))"
    " or exists (select 1 from record where instr(cast(key as blob), ?1)"
    " or instr(cast(scope as blob), ?1))"
    " or exists (select 1 from word where instr(cast(body as blob), ?1))"
)


def scrub(connections: Connections, folder: Path, erased: Sequence[bytes]) -> ScrubReport:
    """Bytes that a remaining record still holds are its own and stay."""
    connections.alone(empty_log)
    gone = [needle for needle in erased if not _is_live(connections, needle)]
    report = look(folder.rglob("*"), gone)
    if report.residue:
        # Pages keep stale copies of cells that moved; writing the file anew leaves them behind.
        connections.alone(_rewrite)
        report = look(folder.rglob("*"), gone)
    return report


def empty_log(connection: Connection) -> None:
    """Move the write-ahead log into the file and cut it to nothing."""
    busy = one(connection, "pragma wal_checkpoint(truncate)")
    if busy:
        raise StoreError(
            "another process is reading, so the write-ahead log cannot be emptied",
            remedy="The record is gone from the store; run `lamina doctor --repair` once it is idle",
        )


def _is_live(connections: Connections, needle: bytes) -> bool:
    with connections.reading() as connection:
        return bool(one(connection, _LIVE, (needle,)))


def _rewrite(connection: Connection) -> None:
    connection.execute("vacuum")
    empty_log(connection)
