"""Schemas by number: each step in one transaction with the number that records it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from lamina.core.versions import INDEX_VERSION
from lamina.errors import StoreDamagedError, StoreUnavailableError
from lamina.stores.sql.driver import one, rows
from lamina.stores.sql.formats import FILLED_FROM, check_format, check_whole
from lamina.stores.sqlite.driver import APPLICATION_ID, Connection, DriverError, use_wal
from lamina.stores.sqlite.formats import NEWEST, STEPS

_FOLDER: Final = Path(__file__).parent / "migrations"
_SETTINGS: Final = (
    "insert or replace into setting values ('format', ?);"
    " insert or ignore into setting values ('index_version', ?)"
)
"""Written with the schema, because every commit reads them to know that it still may write."""
_FILLING: Final = (
    f"select name, value from setting where name in ('{FILLED_FROM}', 'migrating.location')"
)


def steps() -> list[str]:
    """The SQL of every migration, in order."""
    return [(_FOLDER / name).read_text(encoding="utf-8") for name in STEPS]


def migrate(connection: Connection, alone: bool, known: Sequence[str] | None = None) -> None:
    """Bring the file to the newest schema, and refuse one that a move has not finished filling."""
    fill(connection, alone, known)
    try:
        said: dict[str, str] = dict(rows(connection, _FILLING))
    except DriverError:
        # One that is damaged has to be opened to be looked over.
        return
    check_whole(said)


def fill(connection: Connection, alone: bool, known: Sequence[str] | None = None) -> None:
    """Bring the file to the newest schema; many processes may try at once, one does it.

    A store in use is not upgraded: the processes in it would find it changed under their hands.
    """
    newest = NEWEST if known is None else len(known)
    found = _check_ours(connection)
    check_format(found, newest)
    if found == newest:
        if one(connection, "pragma journal_mode") != "wal":
            # Another program has changed it; the promises to many processes rest on it.
            use_wal(connection)
        _analyse_anew(connection, alone=alone)
        return
    if found and not alone:
        raise StoreUnavailableError(
            f"the store has format {found} and must be upgraded to {newest}, but other processes"
            " have it open",
            remedy="Stop them, then open it again; the store was not touched",
        )
    use_wal(connection)
    for number, sql in enumerate(steps() if known is None else known, start=1):
        if number > found:
            _step(connection, number, sql)
    if known is None:
        _analyse_anew(connection, alone=alone)


def _analyse_anew(connection: Connection, *, alone: bool) -> None:
    """Index all records anew where another analyser did it: its words are not the ones asked for.

    A store in use is left as it is. It can be read, and says what to do when it is written. So is
    one that is damaged, which has to be opened to be looked over, and one of a later analyser.
    """
    try:
        found = one(connection, "select value from setting where name = 'index_version'")
    except DriverError:
        return
    if not _is_older(found) or not alone:
        return
    from lamina.core.indexing import index_terms
    from lamina.stores.sql.care.looking import unreadable
    from lamina.stores.sqlite.care.words import reindex

    connection.execute("begin immediate")
    try:
        reindex(connection, lambda record: index_terms(record, record.key))
        connection.execute("commit")
    except unreadable(connection):
        connection.execute("rollback")
    except BaseException:
        connection.execute("rollback")
        raise


def _is_older(made_by: str | None) -> bool:
    """Whether words were analysed by an earlier analyser; a later one's are not ours to replace."""
    name, _, number = (made_by or "").rpartition("-")
    ours, _, newest = INDEX_VERSION.rpartition("-")
    return name == ours and number.isdecimal() and int(number) < int(newest)


def _check_ours(connection: Connection) -> int:
    """The number of the schema in the file, 0 for a new one; a file that is not ours is refused."""
    # In one transaction: another process may be making the schema at this moment.
    connection.execute("begin")
    try:
        found = int(one(connection, "pragma user_version"))
        tables = one(connection, "select count(*) from sqlite_schema")
        owner = one(connection, "pragma application_id")
    finally:
        connection.execute("rollback")
    if (tables or found) and owner != APPLICATION_ID:
        raise StoreDamagedError(
            "the file is a SQLite database, but not a Lamina store",
            remedy="Choose another directory; the file was not touched",
        )
    return found


def _step(connection: Connection, number: int, sql: str) -> None:
    connection.execute("begin immediate")
    try:
        # Another process may have done it while this one waited.
        if int(one(connection, "pragma user_version")) < number:
            connection.execute(sql)
            connection.execute(f"pragma application_id = {APPLICATION_ID}")
            connection.execute(f"pragma user_version = {number}")
            connection.execute(_SETTINGS, (str(number), INDEX_VERSION))
        connection.execute("commit")
    except BaseException:
        connection.execute("rollback")
        raise
