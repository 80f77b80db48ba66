"""After an erase: empty the log, look for the bytes, and rewrite the file if any are left."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from lamina.stores.base import ScrubReport
from lamina.stores.looking import Sighting, look
from lamina.stores.sql.driver import rows
from lamina.stores.sqlite import DATABASE
from lamina.stores.sqlite.connections import Connections, empty_log
from lamina.stores.sqlite.driver import Connection

_LOG: Final = f"{DATABASE}-wal"
_SAID: Final = (
    "select text || char(10) || data || char(10) || tags || char(10) || kind || char(10) || source"
    " from version",
    "select scope || char(10) || ifnull(key, '') from record",
    "select body from word",
    "select ifnull(sql, '') from sqlite_schema",
)
"""Everything that remaining records (and the schema's own comments) say: their bytes stay."""


def scrub(connections: Connections, folder: Path, erased: Sequence[bytes]) -> ScrubReport:
    """Bytes that a remaining record still holds are its own and stay.

    While another process reads, the log cannot be emptied; what it holds is then in the report.
    """
    emptied = connections.alone(empty_log)
    report = _explained(connections, erased, look(folder.rglob("*"), erased))
    if set(report.residue) - {_LOG}:
        # Pages keep stale copies of cells that moved; writing the file anew leaves them behind.
        emptied = connections.alone(_rewrite)
        report = _explained(connections, erased, look(folder.rglob("*"), erased))
    if emptied:
        return report
    # What is too short to look for lies in the log all the same.
    return replace(report, residue=tuple(sorted({*report.residue, _LOG})))


def _explained(connections: Connections, erased: Sequence[bytes], seen: Sighting) -> ScrubReport:
    open_questions = {number: erased[number] for found in seen.hits.values() for number in found}
    explained = set()
    with connections.reading() as connection:
        for said in _said(connection):
            if not open_questions:
                break
            here = [number for number, needle in open_questions.items() if needle in said]
            explained.update(here)
            for number in here:
                del open_questions[number]
    return seen.report(explained)


def _said(connection: Connection) -> Iterator[bytes]:
    for sql in _SAID:
        for (text,) in rows(connection, sql):
            yield text.encode()


def _rewrite(connection: Connection) -> bool:
    connection.execute("vacuum")
    return empty_log(connection)
