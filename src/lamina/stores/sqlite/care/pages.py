"""The file: its pages and trees, as far as SQLite itself can tell.

Its messages name pages more often than tables, so they do not say what is lost. The content does:
where every event and version was read and verified, no record is, whatever the trees look like.
"""

import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from lamina.stores.base import Finding
from lamina.stores.sql.care.looking import damaged, derived
from lamina.stores.sql.driver import one, rows
from lamina.stores.sqlite.care.tables import RECORD_TABLES, WORDS
from lamina.stores.sqlite.driver import Connection, DriverError, read_file

_UNVOUCHED: Final = ("receipt", "sealed", "setting")
"""The tables whose rows no event speaks of."""
_FINE: Final = ["ok"]
_HEADER: Final = 100
_FIRST_FREE: Final = 32
_NEXT_AND_COUNT: Final = struct.Struct(">2I")


@contextmanager
def leniently(connection: Connection) -> Iterator[None]:
    """Read pages although their cells are not where they should be.

    Otherwise SQLite refuses such a page, but only the first time it is read; what was found would
    depend on who came before. What is read here is verified by its digest anyway.
    """
    connection.execute("pragma cell_size_check = off")
    try:
        yield
    finally:
        connection.execute("pragma cell_size_check = on")


def pages(connection: Connection, *, sound: bool) -> Iterator[Finding]:
    """What SQLite finds wrong; `sound` says whether all that the log vouches for was verified."""
    # FTS5 notices another connection's writes when it is read, but not when it is checked.
    with suppress(DriverError):
        one(connection, "select rowid from word limit 1")
    lines = _complaints(connection)
    lines = [*_free_list(connection), *(lines if lines != _FINE else [])]
    if not lines:
        return
    ill = [name for name in RECORD_TABLES if _complaints(connection, name) != _FINE]
    for name in ill:
        if name in _UNVOUCHED:
            yield damaged(
                "file", f"the table `{name}` is damaged: {_complaints(connection, name)[0]:.200}"
            )
    if not sound:
        yield damaged("file", f"the file is damaged: {lines[0]:.200}")
    elif ill or not _only_words(lines):
        yield derived("file", f"the file is in disorder: {lines[0]:.200}")
    else:
        yield derived("words", f"the keyword index is damaged: {lines[0]:.200}")


def _free_list(connection: Connection) -> list[str]:
    """What is wrong with the list of free pages.

    SQLite leaves it out of the whole check whenever a view or virtual table happens to come first
    in its memory, but not when it is asked for the schema. And what it is asked for alone, it does
    not compare with the rest: a free page that is in use would be overwritten by the next write.
    """
    found = _complaints(connection, "sqlite_schema")
    if found != _FINE:
        return found
    free = set(_free_pages(connection))
    with suppress(DriverError):
        # A library without this table, or trees that it cannot read.
        used = rows(connection, "select pageno from dbstat") if free else iter(())
        taken = sum(1 for (number,) in used if number in free)
        return [f"free pages that are in use: {taken}"] if taken else []
    return []


def _free_pages(connection: Connection) -> Iterator[int]:
    """The numbers on the list: each of its pages names the next one and some others."""
    size = one(connection, "pragma page_size")
    head = read_file(connection, 0, _HEADER)
    trunk = 0 if head is None else int.from_bytes(head[_FIRST_FREE : _FIRST_FREE + 4])
    seen: set[int] = set()
    while trunk and trunk not in seen:
        page = read_file(connection, (trunk - 1) * size, size)
        if page is None:
            return
        seen.add(trunk)
        yield trunk
        trunk, number = _NEXT_AND_COUNT.unpack_from(page)
        most = (size - _NEXT_AND_COUNT.size) // 4
        yield from struct.unpack_from(f">{min(number, most)}I", page, _NEXT_AND_COUNT.size)


def _complaints(connection: Connection, table: str | None = None) -> list[str]:
    """What SQLite says of the file, or of one table and its indexes."""
    asked = "20" if table is None else table
    try:
        found = [str(line) for (line,) in rows(connection, f"pragma integrity_check({asked})")]
    except DriverError as error:
        return [str(error)]
    return [line.removeprefix("*** in database main ***\n").partition("\n")[0] for line in found]


def _only_words(lines: list[str]) -> bool:
    return all("fts5" in line.lower() or _names_words(line) for line in lines)


def _names_words(line: str) -> bool:
    return any(f" {name}" in line for name in WORDS)
