"""Whether this version of Lamina may use a store of some format."""

from typing import Final

from lamina.errors import StoreVersionError
from lamina.stores.sql.driver import Connection, one

_FORMAT: Final = "select value from setting where name = 'format'"


def check_format(found: int, newest: int) -> None:
    """Refuse a store that a newer Lamina wrote."""
    if found > newest:
        raise StoreVersionError(
            f"the store has format {found}; this Lamina knows formats up to {newest}",
            remedy="Upgrade Lamina; the store was not touched",
        )


def check_writable(connection: Connection) -> None:
    """Refuse a store that was upgraded since this process opened it."""
    check_format(int(one(connection, _FORMAT)), connection.dialect.format)
