"""Whether this version of Lamina may use a store of some format."""

from collections.abc import Mapping
from typing import Final

from lamina.errors import StoreReadOnlyError, StoreUnavailableError, StoreVersionError
from lamina.stores.sql.driver import Connection, rows

MOVED_TO: Final = "moved.to"
"""The setting of a store that was moved: where it is now."""
FILLED_FROM: Final = "migrating.from"
"""The setting of a store that a move has begun to fill: the identity of the one that is moved."""
_FORMATS: Final = (
    "select name, value from setting where name in"
    f" ('format', 'oldest_writer', '{MOVED_TO}', '{FILLED_FROM}')"
)


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
    """Refuse a store that a newer Lamina keeps this one from writing, or that is elsewhere now."""
    check_whole(settings)
    check_here(settings)
    _check(settings, "oldest_writer", newest, "write")


def check_here(settings: Mapping[str, str]) -> None:
    """Refuse to write what was moved to another place."""
    if MOVED_TO in settings:
        raise StoreReadOnlyError(
            f"this store was moved to {settings[MOVED_TO]}; what is left here can only be read",
            remedy="Use it there; `lamina migrate --reopen` lets this one be written again",
        )


def check_whole(settings: Mapping[str, str]) -> None:
    """Refuse a store that a move has begun to fill and not finished."""
    if FILLED_FROM in settings:
        where = settings.get("migrating.location", "another store")
        raise StoreUnavailableError(
            f"this store is being filled from {where}, and is not whole yet",
            remedy="Wait for `lamina migrate`, or call it again if it was stopped: it goes on",
        )


def check_still_writable(connection: Connection) -> None:
    """Refuse a store that was upgraded or moved since this process opened it."""
    check_writable(dict(rows(connection, _FORMATS)), connection.dialect.format)


def _check(settings: Mapping[str, str], bound: str, newest: int, verb: str) -> None:
    oldest = int(settings.get(bound, settings["format"]))
    if newest < oldest:
        raise StoreVersionError(
            f"the store has format {settings['format']}; this Lamina knows formats up to {newest},"
            f" and {oldest} is needed to {verb} it",
            remedy="Upgrade Lamina; the store was not touched",
        )
