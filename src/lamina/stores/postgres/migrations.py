"""Schemas by number: each step in one transaction with the number that records it.

Servers are upgraded one after the other, so the store may be ahead of some of them. Each step says
how old a Lamina may be that still reads, or still writes, what it leaves behind. Where none may,
the step waits until no older one is connected, and afterwards older ones are turned away.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lamina.core.versions import INDEX_VERSION
from lamina.errors import (
    StoreDamagedError,
    StoreReadOnlyError,
    StoreUnavailableError,
)
from lamina.stores.postgres import failures, locks
from lamina.stores.postgres.driver import Connection
from lamina.stores.postgres.verdicts import is_busy, translated
from lamina.stores.sql.formats import check_readable, check_whole

_FOLDER: Final = Path(__file__).parent / "migrations"
_LONG_SECONDS: Final = 3600.0
"""A step over many records may take its time; how long it waits for others is another matter."""
_ATTEMPTS: Final = 5
_SCHEMA: Final = (
    "select exists (select 1 from pg_class where relnamespace = n.oid)"
    # Also where an extension was put there: its type `vector` and our table cannot both be.
    " or exists (select 1 from pg_proc where pronamespace = n.oid)"
    " or exists (select 1 from pg_type where typnamespace = n.oid),"
    " (select string_agg(a.attname::text || ' ' || a.atttypid::regtype::text, ','"
    " order by a.attnum) from pg_attribute a join pg_class c on c.oid = a.attrelid and a.attnum > 0"
    " where c.relnamespace = n.oid and c.relname = 'setting' and not a.attisdropped),"
    " has_schema_privilege(n.oid, 'usage') from pg_namespace n where n.nspname = ?"
)
_SETTING: Final = "name text,value text"
_NUMBERS: Final = ("format", "oldest_reader", "oldest_writer")
_INSTALLED: Final = (
    "select n.nspname, has_schema_privilege(n.oid, 'usage') from pg_extension e"
    " join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'"
)
_AVAILABLE: Final = "select 1 from pg_available_extensions where name = 'vector'"
_NOTE: Final = (
    "insert into setting values (?, ?) on conflict (name) do update set value = excluded.value"
)
_ONCE: Final = "insert into setting values (?, ?) on conflict do nothing"
_IDENTITY: Final = (
    "insert into setting values ('identity', replace(gen_random_uuid()::text, '-', ''))"
    " on conflict do nothing"
)


@dataclass(frozen=True, slots=True)
class Step:
    """One change of the schema, from the format before to the next."""

    sql: str
    reader: int | None = None
    """The oldest format whose Lamina may read on beside it; only the new one unless said."""
    writer: int | None = None
    """The same for writing."""


_NAMES: Final = ("0001_first.sql",)
NEWEST: Final = len(_NAMES)


def steps() -> list[Step]:
    """Every migration, in order."""
    return [Step((_FOLDER / name).read_text(encoding="utf-8")) for name in _NAMES]


def migrate(connection: Connection, schema: str, known: Sequence[Step] | None = None) -> None:
    """Bring the schema to the newest format; many processes may try at once, one does it.

    Raises:
        StoreVersionError: A newer Lamina was there, and left nothing for this one.
        StoreUnavailableError: Older ones are connected that would have to stop.
        StoreReadOnlyError: The server is a replica, and there is something to be done.
    """
    wanted = steps() if known is None else known
    with translated(connection.location):
        found = int(_settings(connection, schema, len(wanted)).get("format", 0))
        if found >= len(wanted):
            return
        _check_able(connection, found)
        with connection.patiently(_LONG_SECONDS):
            _upgrade(connection, schema, wanted)


def migrate_whole(connection: Connection, schema: str) -> None:
    """The same, and refuse a store that a move has begun to fill and not finished."""
    migrate(connection, schema)
    with translated(connection.location):
        check_whole(read_settings(connection))


def is_there(connection: Connection, schema: str) -> bool:
    """Whether the schema holds a store; what could not become one is refused."""
    with translated(connection.location):
        found = _settings(connection, schema, NEWEST)
        if not found:
            _check_able(connection, 0)
        return bool(found)


def join(connection: Connection, schema: str, newest: int = NEWEST) -> None:
    """Be counted among those connected, and refuse a store that is not for this Lamina any more.

    In this order: whoever upgrades the store looks who is connected first.
    """
    with translated(connection.location):
        locks.share(connection, schema, _presence(newest))
        check_readable(read_settings(connection), newest)


def _settings(connection: Connection, schema: str, newest: int) -> dict[str, str]:
    """The settings of what is there, none where nothing is; what is not ours is refused."""
    for is_used, columns, may_look in connection.execute(_SCHEMA, (schema,)):
        if not may_look:
            raise failures.no_look(connection.location, schema)
        if not is_used:
            break
        settings = read_settings(connection) if columns == _SETTING else {}
        if not _is_ours(settings):
            raise StoreDamagedError(
                f"the schema `{schema}` of {connection.location} holds something else than a"
                " Lamina store",
                remedy="Choose another one: ?schema=NAME in the address; nothing was touched",
            )
        check_readable(settings, newest)
        return settings
    return {}


def _is_ours(settings: Mapping[str, str]) -> bool:
    numbers = [settings[name] for name in _NUMBERS if name in settings]
    known = "format" in settings and "identity" in settings
    return known and all(one.isdecimal() and int(one) > 0 for one in numbers)


def read_settings(connection: Connection) -> dict[str, str]:
    """The settings of the store."""
    return {
        str(name): str(value)
        for name, value in connection.execute("select name, value from setting")
    }


def _check_able(connection: Connection, found: int) -> None:
    """Refuse what cannot succeed, before anything is begun."""
    if connection.is_replica:
        there = (
            "holds no store yet" if not found else f"holds a store of format {found}, an old one"
        )
        raise StoreReadOnlyError(
            f"the server of {connection.location} is a replica and {there}",
            remedy="Open the store once on the primary, which the replica follows",
        )
    if connection.encoding != "UTF8":
        raise failures.no_unicode(connection.location, connection.encoding)
    installed = connection.execute(_INSTALLED).fetchall()
    if not installed:
        available = bool(connection.execute(_AVAILABLE).first())
        raise failures.no_extension(connection.location, available=available)
    [(types, may_use)] = installed
    if not may_use:
        raise failures.no_types(connection.location, types)


def _upgrade(connection: Connection, schema: str, wanted: Sequence[Step]) -> None:
    """Take the steps that are left, all or none; try again while others are in the way."""
    for attempt in range(1, _ATTEMPTS + 1):
        connection.begin(local=[("lock_timeout", "3s")])
        try:
            _take(connection, schema, wanted)
            connection.commit()
        except BaseException as error:
            connection.roll_back()
            if not is_busy(error) or attempt == _ATTEMPTS:
                raise
        else:
            return


def _take(connection: Connection, schema: str, wanted: Sequence[Step]) -> None:
    locks.take(connection, schema, locks.MIGRATING)
    # Another process may have done it while this one waited.
    before = _settings(connection, schema, len(wanted))
    found = int(before.get("format", 0))
    if found >= len(wanted):
        return
    left = list(enumerate(wanted, start=1))[found:]
    oldest = {
        "oldest_reader": max(step.reader or number for number, step in left),
        "oldest_writer": max(step.writer or number for number, step in left),
    }
    if found:
        _check_alone(connection, schema, range(_oldest_writer(before), oldest["oldest_writer"]))
    elif not connection.execute("select to_regnamespace(?)", (schema,)).first():
        # It needs quotes where it is a word of SQL, such as `user`.
        connection.run(f'create schema "{schema}"')
    for _, step in left:
        connection.run(step.sql)
    for name, value in {"format": len(wanted), **oldest}.items():
        connection.execute(_NOTE, (name, str(value)))
    connection.execute(_ONCE, ("index_version", INDEX_VERSION))
    connection.execute(_IDENTITY)


def _check_alone(connection: Connection, schema: str, formats: Iterable[int]) -> None:
    """Refuse to upgrade while anybody is connected who would have to stop because of it."""
    if not all(locks.try_take(connection, schema, _presence(one)) for one in formats):
        raise StoreUnavailableError(
            f"the store at {connection.location} must be upgraded, but older processes are"
            " connected, which could not use it afterwards",
            remedy="Stop them, then open it again; the store was not touched",
        )


def _presence(newest: int) -> str:
    return f"{locks.PRESENCE}:{newest}"


def _oldest_writer(settings: Mapping[str, str]) -> int:
    return int(settings.get("oldest_writer", settings["format"]))
