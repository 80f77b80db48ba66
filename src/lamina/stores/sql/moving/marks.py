"""How far a move has come, kept in the settings of the store that is filled."""

import json
from collections.abc import Mapping
from typing import Final

from lamina.stores.sql.driver import Connection, rows
from lamina.stores.sql.formats import FILLED_FROM
from lamina.stores.sql.moving.tables import Key

PREFIX: Final = "migrating."
assert FILLED_FROM.startswith(PREFIX)
LOCATION: Final = f"{PREFIX}location"
POSITION: Final = f"{PREFIX}position"
"""Everything up to here is copied, for each stream by its number."""
SWEPT: Final = f"{PREFIX}swept"
"""Whether what a page had brought of records that were erased meanwhile is gone."""
DONE: Final = "done"
_CHOOSE: Final = (
    "insert into setting values (?, ?) on conflict (name) do update set value = excluded.value"
)
Position = dict[int, int]


def put(connection: Connection, name: str, value: str) -> None:
    """Write a setting."""
    connection.execute(_CHOOSE, (name, value))


def clear(connection: Connection) -> None:
    """Take all marks away: the store is whole."""
    connection.execute(f"delete from setting where substr(name, 1, {len(PREFIX)}) = ?", (PREFIX,))


def put_position(connection: Connection, position: Position) -> None:
    """Note how far it has come."""
    put(connection, POSITION, json.dumps(position))


def position(settings: Mapping[str, str]) -> Position:
    """How far it had come."""
    return {int(sid): int(seq) for sid, seq in json.loads(settings[POSITION]).items()}


def put_page(connection: Connection, table: str, last: Key | None) -> None:
    """Note the last row of a table that is there; none for all of them."""
    put(connection, f"{PREFIX}page.{table}", DONE if last is None else json.dumps(last))


def page(settings: Mapping[str, str], table: str) -> Key | str | None:
    """The last row of a table that is there, or `DONE`."""
    said = settings.get(f"{PREFIX}page.{table}")
    return said if said in (None, DONE) else tuple(json.loads(said))


def heads(connection: Connection) -> Position:
    """How far each stream has come, by its number."""
    return dict(rows(connection, "select sid, seq from stream"))
