"""Writing a file anew from the tables that hold the records: for pages and trees in disorder.

The new file is made aside, from whole tables and without asking any index, and then copied over the
old one in a single transaction. Nobody else may be in the store meanwhile: what another process
wrote between reading and copying would be lost.
"""

from collections.abc import Callable
from contextlib import closing, suppress
from typing import Final

from lamina.errors import StoreDamagedError
from lamina.stores.base import Aids
from lamina.stores.sql.care.looking import RESTORE, Look, unreadable
from lamina.stores.sql.driver import rows
from lamina.stores.sqlite import formats, migrations
from lamina.stores.sqlite.care.checking import vouched
from lamina.stores.sqlite.care.pages import leniently
from lamina.stores.sqlite.care.tables import LOSABLE, RECORD_TABLES, expected, found, quoted
from lamina.stores.sqlite.connections import Connections
from lamina.stores.sqlite.driver import APPLICATION_ID, Connection, copy_pages, scratch

_CONTENT: Final = (
    "vid, rid, rev, from_seq, state, kind, text, data, tags, importance, confidence, trust, source,"
    " tokens, updated_at, valid_from, expires_at, supersedes, salt"
)
_VOUCHED: Final = {
    "stream": ("(sid, name, seq, hash)", "sid, name, seq, hash"),
    "record": (
        "(rid, id, sid, scope, layer, key, created_at, head)",
        "rid, id, sid, scope, layer, key, created_at, rid",
    ),
    "version": (f"({_CONTENT})", _CONTENT),
}
"""The columns that do not follow from others, where to put them, and where from."""
_EXPENDABLE: Final = ("telemetry", *LOSABLE)


def rewrite(connections: Connections, follow: Callable[[Connection], int]) -> int:
    """Write the file anew; `follow` fills in what follows from the records."""
    with connections.exclusive():
        return connections.alone(lambda connection: _rewrite(connection, follow))


def _rewrite(old: Connection, follow: Callable[[Connection], int]) -> int:
    with closing(scratch()) as fresh:
        for sql in migrations.steps():
            fresh.execute(sql)
        fresh.execute(f"pragma application_id = {APPLICATION_ID}")
        fresh.execute(f"pragma user_version = {formats.NEWEST}")
        fresh.execute("begin")
        fresh.execute("delete from setting")
        with leniently(old):
            here = {name for _, name in found(old)}
            for table in RECORD_TABLES:
                if table in here or table not in LOSABLE:
                    _copy(old, fresh, table)
            _take_along(old, fresh)
        indexed = follow(fresh)
        fresh.execute("commit")
        fresh.execute("begin")
        _check(fresh)
        copy_pages(fresh, old, lambda share: None)
    return indexed


def _check(fresh: Connection) -> None:
    """Whatever was read, nothing takes the place of the old file that does not verify."""
    for finding in vouched(Look(fresh, Aids())):
        if finding.severity.is_damage:
            raise StoreDamagedError(
                f"the file could not be written anew ({finding.message})", remedy=RESTORE
            )


def _copy(old: Connection, fresh: Connection, table: str) -> None:
    """Take over a table; where it cannot be read whole, only what nothing else says."""
    try:
        _fill(old, fresh, table)
    except unreadable(old):
        if table in _VOUCHED:
            fresh.execute(f"delete from {table}")
            _fill(old, fresh, table, *_VOUCHED[table])
        elif table not in _EXPENDABLE:
            raise


def _fill(
    old: Connection, fresh: Connection, table: str, into: str = "", columns: str = "*"
) -> None:
    source = rows(old, f"select {columns} from {quoted(table)} not indexed")
    first = next(source, None)
    if first is None:
        return
    # A page in disorder can show rows that were never written, without a number or with one twice.
    insert = f"insert or ignore into {quoted(table)} {into} values ({', '.join('?' * len(first))})"
    fresh.execute(insert, first)
    fresh.executemany(insert, source)


def _take_along(old: Connection, fresh: Connection) -> None:
    """Tables of somebody else: they are not ours to leave behind."""
    for (kind, name), sql in found(old).items():
        if kind == "table" and (kind, name) not in expected():
            # What does not come along was noted by the check, and may itself be what is broken.
            with suppress(*unreadable(old)):
                fresh.execute(sql)
                _fill(old, fresh, name)
