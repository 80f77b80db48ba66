"""Whether this version of Lamina may use a store of some format."""

from collections.abc import Mapping
from typing import Final

from lamina.errors import StoreVersionError
from lamina.stores.sql.driver import Connection, rows

_FORMATS: Final = "select name, value from setting where name in ('format', 'oldest_writer')"


def check_format(found: int, newest: int) -> None:
    """Refuse a store that a newer Lamina wrote."""
    if found > newest:
        raise StoreVersionError(
            f"the store has format {found}; this Lamina knows formats up to {newest}",
            remedy="Upgrade Lamina; the store was not touched",
        )


def check_readable(settings: Mapping[str, str], newest: int) -> None:
    """Refuse a store that a newer Lamina has made unreadable to this one."""
    _check(settings, "oldest_reader", newest, "read")


def check_writable(settings: Mapping[str, str], newest: int) -> None:
    """Refuse a store that a newer Lamina keeps this one from writing."""
    _check(settings, "oldest_writer", newest, "write")


def check_still_writable(connection: Connection) -> None:
    """Refuse a store that was upgraded since this process opened it."""
    check_writable(dict(rows(connection, _FORMATS)), connection.dialect.format)


def _check(settings: Mapping[str, str], bound: str, newest: int, verb: str) -> None:
    oldest = int(settings.get(bound, settings["format"]))
    if newest < oldest:
        raise StoreVersionError(
            f"the store has format {settings['format']}; this Lamina knows formats up to {newest},"
            f" and {oldest} is needed to {verb} it",
            remedy="Upgrade Lamina; the store was not touched",
        )
