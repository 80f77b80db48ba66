"""Schemas by number: each step in one transaction with the number that records it."""

from pathlib import Path
from typing import Final

from lamina.core.indexing import INDEX_VERSION
from lamina.errors import StoreDamagedError, StoreVersionError
from lamina.stores.sqlite.driver import APPLICATION_ID, Connection, one

_FOLDER: Final = Path(__file__).parent / "migrations"
STEPS: Final = ("0001_first.sql",)
NEWEST: Final = len(STEPS)
_SETTINGS: Final = (
    "insert or replace into setting values ('format', ?);"
    " insert or ignore into setting values ('index_version', ?)"
)
"""Written with the schema, because every commit reads them to know that it still may write."""


def schema_version(connection: Connection) -> int:
    """The number of the schema in the file; a new file has none."""
    return int(one(connection, "pragma user_version") or 0)


def check_format(found: int) -> None:
    """Refuse a store that a newer Lamina wrote."""
    if found > NEWEST:
        raise StoreVersionError(
            f"the store has format {found}; this Lamina knows formats up to {NEWEST}",
            remedy="Upgrade Lamina; the store was not touched",
        )


def _check_ours(connection: Connection, found: int) -> None:
    """Refuse a file that is not ours."""
    if found == 0 and one(connection, "select count(*) from sqlite_schema"):
        raise StoreDamagedError(
            "the file is a SQLite database, but not a Lamina store",
            remedy="Choose another directory; the file was not touched",
        )
    if found and one(connection, "pragma application_id") != APPLICATION_ID:
        raise StoreDamagedError(
            "the file is a database of another program",
            remedy="Choose another directory; the file was not touched",
        )


def migrate(connection: Connection) -> None:
    """Bring the file to the newest schema; many processes may try at once, one does it."""
    found = schema_version(connection)
    _check_ours(connection, found)
    check_format(found)
    if found == NEWEST:
        return
    _use_wal(connection)
    for number, name in enumerate(STEPS, start=1):
        if number > found:
            _step(connection, number, (_FOLDER / name).read_text(encoding="utf-8"))


def _use_wal(connection: Connection) -> None:
    """Readers and the writer do not block each other; a property of the file, set once."""
    mode = one(connection, "pragma journal_mode = wal")
    if mode != "wal":
        raise StoreDamagedError(f"the store cannot use a write-ahead log (journal mode {mode})")


def _step(connection: Connection, number: int, sql: str) -> None:
    connection.execute("begin immediate")
    try:
        # Another process may have done it while this one waited.
        if schema_version(connection) < number:
            connection.execute(sql)
            connection.execute(f"pragma application_id = {APPLICATION_ID}")
            connection.execute(f"pragma user_version = {number}")
            connection.execute(_SETTINGS, (str(number), INDEX_VERSION))
        connection.execute("commit")
    except BaseException:
        connection.execute("rollback")
        raise
